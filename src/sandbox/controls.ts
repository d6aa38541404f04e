import { describeIssues } from '../internal/issues.js'
import { DisputeStatusEvent } from '../schemas/event.js'
import { check } from '../schemas/schema.js'
import { conclude } from './domain/authorization.js'
import type { Desk } from './domain/context.js'
import { requireMove } from './domain/lifecycle.js'
import { balanceKey } from './domain/loyalty.js'
import { finishRefund, hasRefunds, pendingRefund } from './domain/refunds.js'
import { scenarioNames, scenarios } from './domain/scenarios.js'
import { requireOptions, unknown } from './options.js'
import type { DisputeControls, DisputeFields, LoyaltyControls, ProcessorControls, TokenizeOptions } from './types.js'

/** What the processor does on its side. */
export function processorControls(desk: Desk): ProcessorControls {
  const { payments } = desk
  return {
    authorize(paymentId) {
      const record = payments.get(paymentId)
      requireMove(record.payment, 'processor.authorize')
      if (record.payment.requiredAction) throw new Error('The payment waits for the customer: use completeAction')
      conclude(desk, record, 'processor.authorize', { status: 'AUTHORIZED' })
    },

    settle(paymentId) {
      const record = payments.get(paymentId)
      const { status, amount, processor } = record.payment
      requireMove(record.payment, 'processor.settle')
      if (status === 'AUTHORIZED') record.isCaptureClosed = true
      const amountCaptured = status === 'AUTHORIZED' ? amount : processor.amountCaptured
      payments.move(record, 'processor.settle', 'SETTLED', { processor: { ...processor, amountCaptured } })
    },

    decline(paymentId) {
      const record = payments.get(paymentId)
      requireMove(record.payment, 'processor.decline')
      conclude(desk, record, 'processor.decline', scenarios.declined.onCreate)
    },

    fail(paymentId) {
      const record = payments.get(paymentId)
      requireMove(record.payment, 'processor.fail')
      if (hasRefunds(record.payment)) throw new Error('The payment was refunded: it cannot fail any more')
      const processor = { ...record.payment.processor, amountCaptured: 0 }
      conclude(desk, record, 'processor.fail', scenarios.failed.onCreate, { processor })
    },

    finishRefund(paymentId, status) {
      const record = payments.get(paymentId)
      if (status !== 'SETTLED' && status !== 'FAILED') throw new TypeError('A refund ends as SETTLED or as FAILED')
      const refund = pendingRefund(record.payment)
      if (!refund) throw new Error('The payment has no pending refund')
      finishRefund(record, refund, status, desk)
    },
  }
}

/** The customer passes the check that the payment waits for. */
export function completeAction(paymentId: string, { payments, random }: Desk): string {
  const record = payments.get(paymentId)
  if (!record.payment.requiredAction) throw new Error('The payment does not wait for the customer')
  record.resumeToken = random.id('resume')
  return record.resumeToken
}

/** The customer enters a payment method in the checkout. */
export function tokenize(options: TokenizeOptions, desk: Desk): string {
  requireOptions('tokenize option', options, ['clientToken', 'scenario'])
  const { clientToken, scenario = 'card' } = options
  if (!scenarioNames.includes(scenario)) throw new TypeError(unknown('scenario', scenario, scenarioNames))
  if (clientToken !== undefined) desk.sessions.get(clientToken)
  return desk.vault.tokenize(scenario, clientToken)
}

/** How long a dispute can be challenged. */
const challengePeriodMs = 14 * 24 * 3_600_000

/** The customer's bank. */
export function disputeControls({ payments, store, clock, random, events }: Desk): DisputeControls {
  const tell = (dispute: DisputeStatusEvent) => {
    if (!dispute.status) throw new TypeError('A dispute needs a status, such as OPEN or WON')
    const { issues } = check(DisputeStatusEvent.sent, dispute)
    if (issues) throw new TypeError(`A dispute cannot look like that: ${describeIssues(issues)}`)
    store.disputes.set(dispute.processorDisputeId as string, dispute)
    events.dispute(dispute)
  }
  return {
    open(paymentId, fields: DisputeFields = {}) {
      const { payment } = payments.get(paymentId)
      const id = random.id('dispute')
      const now = clock.now()
      const { paymentMethodType, paymentMethodData } = payment.paymentMethod
      const dispute: DisputeStatusEvent = {
        eventType: 'DISPUTE.STATUS',
        version: '2021-09-27',
        type: 'DISPUTE',
        status: 'OPEN',
        primerAccountId: 'sandbox-account',
        transactionId: payment.transactions[0]?.processorTransactionId,
        orderId: payment.orderId,
        paymentMethod: { paymentMethodType, paymentMethodData: { network: paymentMethodData?.network } },
        processor: payment.processor.name,
        receivedAt: now.toISOString(),
        challengeRequiredBy: new Date(now.getTime() + challengePeriodMs).toISOString(),
        reason: 'FRAUDULENT',
        reasonCode: '10.4',
        processorReason: 'Other fraud: card-absent environment',
        amount: payment.amount,
        currency: payment.currencyCode,
        merchantId: payment.processor.processorMerchantId,
        ...fields,
        paymentId,
        processorDisputeId: id,
      }
      tell(dispute)
      return id
    },

    move(disputeId, status, fields = {}) {
      const dispute = store.disputes.get(disputeId)
      if (!dispute) throw new Error('There is no dispute with this id')
      const { paymentId } = dispute
      const receivedAt = clock.now().toISOString()
      tell({ ...dispute, receivedAt, ...fields, status, paymentId, processorDisputeId: disputeId })
    },
  }
}

/** The loyalty provider. */
export function loyaltyControls({ store }: Desk): LoyaltyControls {
  return {
    setBalance(connectionId, customerId, points) {
      if (!Number.isSafeInteger(points)) throw new TypeError('A balance is a whole number of points')
      store.loyaltyBalances.set(balanceKey(connectionId, customerId), points)
    },
  }
}
