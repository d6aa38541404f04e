import type { ClientSession } from '../../../core/schemas/client-session.js'
import type { CreatePaymentBody } from '../../../core/schemas/payment.js'
import { zoneless } from '../internal/clock.js'
import { invalidField, invalidRequest } from '../internal/exchange.js'
import { scenarios } from '../internal/scenarios.js'
import type { PaymentRecord, StoredPayment, StoredTransaction } from '../store/records.js'
import type { Context } from './context.js'
import { amountOf, merged } from './fields.js'
import { analyticsId, type PaymentMethodSource } from './vault.js'

/** The processor of every payment, unless `payments.authorize` names a different processor. */
export const defaultProcessor = { name: 'SANDBOX', processorMerchantId: 'sandbox-merchant' }

/** Creates a pending payment. Fields that the request omits come from the token's session. */
export function createPayment(
  { paymentMethodToken, ...given }: CreatePaymentBody,
  apiVersion: string,
  context: Context,
): PaymentRecord {
  const source = context.vault.find(paymentMethodToken)
  if (!source) throw invalidField('paymentMethodToken', 'is not a token of this service, or it was deleted')
  const fields = requireFields(
    merged<ClientSession>(context.sessions.valuesOf(source.clientToken), given as ClientSession),
  )
  context.vault.use(source)
  return {
    payment: newPayment(source, fields, context),
    scenario: source.scenario,
    apiVersion,
    createdAt: context.clock.now().getTime(),
    history: [],
    ...(source.isVaulted && { vaultedToken: source.token }),
    ...(!source.isVaulted && fields.paymentMethod?.vaultOnSuccess && { vaultFor: fields.customerId }),
  }
}

type RequiredFields = ClientSession & Pick<StoredPayment, 'orderId' | 'currencyCode' | 'amount'>

function requireFields(fields: ClientSession): RequiredFields {
  const { orderId, currencyCode, customerId, paymentMethod } = fields
  const amount = amountOf(fields)
  if (paymentMethod?.vaultOnSuccess && !customerId) {
    throw invalidField('customerId', 'is missing: paymentMethod.vaultOnSuccess needs it, here or in the client session')
  }
  if (orderId && currencyCode && amount !== undefined) return { ...fields, orderId, currencyCode, amount }
  const missing = [
    ...(orderId ? [] : ['orderId']),
    ...(currencyCode ? [] : ['currencyCode']),
    ...(amount === undefined ? ['amount'] : []),
  ]
  const message = 'is missing: it must be in the request or in the client session'
  throw invalidRequest(
    'body',
    missing.map((field) => ({ path: [field], code: 'missing', message })),
  )
}

function newPayment(source: PaymentMethodSource, fields: RequiredFields, context: Context): StoredPayment {
  const { clock, random } = context
  const { vaultOnSuccess: _, options: __, ...paymentMethod } = fields.paymentMethod ?? {}
  const { paymentMethodType, paymentMethodData, onResume } = scenarios[source.scenario]
  const date = zoneless(clock.now())
  const processor = { ...defaultProcessor, amountCaptured: 0, amountRefunded: 0 }
  return {
    id: random.id('pay'),
    date,
    dateUpdated: date,
    status: 'PENDING',
    ...fields,
    paymentMethod: {
      ...paymentMethod,
      paymentMethodToken: source.token,
      isVaulted: source.isVaulted,
      analyticsId: analyticsId(source.scenario),
      paymentMethodType,
      paymentMethodData,
      threeDSecureAuthentication: { responseCode: 'NOT_PERFORMED', challengeIssued: false },
    },
    processor,
    ...(onResume && {
      requiredAction: {
        name: '3DS_AUTHENTICATION',
        description: 'The customer has to pass 3-D Secure.',
        clientToken: random.id('client'),
      },
    }),
    transactions: [newTransaction('SALE', { ...fields, processor }, context)],
    riskData: {
      fraudCheck: { source: 'SANDBOX', preAuthorizationResult: 'ACCEPT', postAuthorizationResult: 'ACCEPT' },
    },
  }
}

/** Creates a pending transaction at the payment's processor. */
export function newTransaction(
  transactionType: 'SALE' | 'REFUND',
  { amount, currencyCode, processor }: Pick<StoredPayment, 'amount' | 'currencyCode' | 'processor'>,
  { clock, random }: Context,
): StoredTransaction {
  return {
    date: zoneless(clock.now()),
    amount,
    currencyCode,
    transactionType,
    processorTransactionId: random.id('txn'),
    processorName: processor.name,
    processorMerchantId: processor.processorMerchantId,
    processorStatus: 'PENDING',
  }
}
