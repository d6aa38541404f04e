import type { ClientSession } from '../../schemas/client-session.js'
import type { CreatePaymentBody } from '../../schemas/payment.js'
import { invalid, invalidField } from '../refusal.js'
import type { PaymentRecord, StoredPayment } from '../store/records.js'
import { zoneless } from '../times.js'
import { amountOf } from './amounts.js'
import type { Desk } from './context.js'
import { merged } from './merge.js'
import { usualProcessor } from './processors.js'
import { scenarios } from './scenarios.js'
import { analyticsId, type PaymentMethodSource } from './vault.js'

/** A new payment, pending. What the request does not say is taken from the session that the token was made in. */
export function createPayment({ paymentMethodToken, ...given }: CreatePaymentBody, desk: Desk): PaymentRecord {
  const source = desk.vault.find(paymentMethodToken)
  if (!source) throw invalidField('paymentMethodToken', 'is not a token of this service, or it was deleted')
  const facts = complete(merged<ClientSession>(desk.sessions.valuesOf(source.clientToken), given))
  desk.vault.use(source)
  return {
    payment: newPayment(source, facts, desk),
    scenario: source.scenario,
    createdAt: desk.clock.now().getTime(),
    ...(source.isVaulted && { vaultedToken: source.token }),
    ...(!source.isVaulted && facts.paymentMethod?.vaultOnSuccess && { vaultFor: facts.customerId }),
  }
}

type CompleteFacts = ClientSession & Pick<StoredPayment, 'orderId' | 'currencyCode' | 'amount'>

/** Refuses unless everything is there that a payment needs, be it from the request or from the session. */
function complete(facts: ClientSession): CompleteFacts {
  const { orderId, currencyCode, customerId, paymentMethod } = facts
  const amount = amountOf(facts)
  if (paymentMethod?.vaultOnSuccess && !customerId) {
    throw invalidField('customerId', 'is missing: paymentMethod.vaultOnSuccess needs it, here or in the client session')
  }
  if (orderId && currencyCode && amount !== undefined) return { ...facts, orderId, currencyCode, amount }
  const missing = [...(orderId ? [] : ['orderId']), ...(currencyCode ? [] : ['currencyCode'])]
  if (amount === undefined) missing.push('amount')
  const message = 'is missing: it must be in the request or in the client session'
  throw invalid(
    'body',
    missing.map((field) => ({ path: [field], message })),
  )
}

function newPayment(source: PaymentMethodSource, facts: CompleteFacts, { clock, random }: Desk): StoredPayment {
  const { vaultOnSuccess: _, options: __, ...paymentMethod } = facts.paymentMethod ?? {}
  const { paymentMethodType, paymentMethodData, onResume } = scenarios[source.scenario]
  const date = zoneless(clock.now())
  const { amount, currencyCode } = facts
  return {
    id: random.id('pay'),
    date,
    dateUpdated: date,
    status: 'PENDING',
    ...facts,
    paymentMethod: {
      ...paymentMethod,
      paymentMethodToken: source.token,
      isVaulted: source.isVaulted,
      analyticsId: analyticsId(source.scenario),
      paymentMethodType,
      paymentMethodData,
      threeDSecureAuthentication: { responseCode: 'NOT_PERFORMED', challengeIssued: false },
    },
    processor: { ...usualProcessor, amountCaptured: 0, amountRefunded: 0 },
    ...(onResume && {
      requiredAction: {
        name: '3DS_AUTHENTICATION',
        description: 'The customer has to pass 3-D Secure.',
        clientToken: random.id('client'),
      },
    }),
    transactions: [
      {
        date,
        amount,
        currencyCode,
        transactionType: 'SALE',
        processorTransactionId: random.id('txn'),
        processorName: usualProcessor.name,
        processorMerchantId: usualProcessor.processorMerchantId,
        processorStatus: 'PENDING',
      },
    ],
    riskData: {
      fraudCheck: { source: 'SANDBOX', preAuthorizationResult: 'ACCEPT', postAuthorizationResult: 'ACCEPT' },
    },
  }
}
