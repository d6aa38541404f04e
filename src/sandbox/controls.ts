import { describeIssues } from '../internal/issues.js'
import { string } from '../internal/options.js'
import { DisputeStatusEvent } from '../schemas/event.js'
import { check } from '../schemas/schema.js'
import type { Context } from './domain/context.js'
import { finishRefund, hasRefunds, pendingRefund } from './domain/refunds.js'
import { milliseconds } from './internal/clock.js'
import { knownName, requireOptions } from './internal/options.js'
import { type ScenarioName, scenarioNames, scenarios } from './internal/scenarios.js'
import { balanceKey } from './store/store.js'

/** Simulates the processor's side of asynchronous payments and refunds. Each method sends the event of its change. */
export interface ProcessorControls {
  /** Authorizes a pending payment. */
  authorize(paymentId: string): void
  /** Settles a payment. If it is authorized, the full amount is captured. */
  settle(paymentId: string): void
  /** Declines a pending payment. */
  decline(paymentId: string): void
  /** Fails a payment that is not final for a technical reason. */
  fail(paymentId: string): void
  /** Gives the oldest pending refund its final status. */
  finishRefund(paymentId: string, status: 'SETTLED' | 'FAILED'): void
}

export function processorControls(context: Context): ProcessorControls {
  const { payments } = context
  const recordEffect = (operation: string, resourceId: string, amount?: number) =>
    context.ledger.record({
      operation,
      resourceId,
      amount,
      idempotencyKey: undefined,
      at: context.clock.now().toISOString(),
    })
  return {
    authorize(paymentId) {
      const record = payments.get(paymentId, 'processor.authorize')
      if (record.payment.requiredAction) throw new Error('The payment waits for the customer: use completeAction')
      recordEffect('processor.authorize', paymentId, record.payment.amount)
      payments.conclude(record, 'processor.authorize', { status: 'AUTHORIZED' })
    },

    settle(paymentId) {
      const record = payments.get(paymentId, 'processor.settle')
      const { status, amount, processor } = record.payment
      if (status === 'AUTHORIZED') {
        record.isCaptureClosed = true
        recordEffect('processor.settle', paymentId, amount)
        payments.move(record, 'processor.settle', 'SETTLED', { processor: { ...processor, amountCaptured: amount } })
      } else {
        recordEffect('processor.settle', paymentId)
        payments.move(record, 'processor.settle', 'SETTLED')
      }
    },

    decline(paymentId) {
      const record = payments.get(paymentId, 'processor.decline')
      recordEffect('processor.decline', paymentId)
      payments.conclude(record, 'processor.decline', scenarios.declined.onCreate)
    },

    fail(paymentId) {
      const record = payments.get(paymentId, 'processor.fail')
      if (hasRefunds(record.payment)) throw new Error('The payment has refunds, so it cannot fail')
      recordEffect('processor.fail', paymentId)
      const processor = { ...record.payment.processor, amountCaptured: 0 }
      payments.conclude(record, 'processor.fail', scenarios.failed.onCreate, { processor })
    },

    finishRefund(paymentId, status) {
      const record = payments.get(paymentId)
      if (status !== 'SETTLED' && status !== 'FAILED') throw new TypeError("status must be 'SETTLED' or 'FAILED'")
      const refund = pendingRefund(record.payment)
      if (!refund) throw new Error('The payment has no pending refund')
      recordEffect('processor.finishRefund', paymentId, status === 'SETTLED' ? refund.amount : undefined)
      finishRefund(record, refund, status, context)
    },
  }
}

/** Completes the customer's action that a payment waits for. @returns the resume token */
export function completeAction(paymentId: string, { payments, random }: Context): string {
  const record = payments.get(paymentId)
  if (!record.payment.requiredAction) throw new Error('The payment requires no action of the customer')
  record.resumeToken = random.id('resume')
  return record.resumeToken
}

/** Options of `tokenize`. */
export interface TokenizeOptions {
  /** The client session of the checkout. Payments with the token take its values. */
  clientToken?: string
  /** The scenario of payments with the token: a key of `tokens`. @default 'card' */
  scenario?: ScenarioName
}

/** Creates a single-use token. */
export function tokenize(options: TokenizeOptions, { sessions, vault }: Context): string {
  const rules = { clientToken: string, scenario: knownName('a scenario', scenarioNames) }
  const { clientToken, scenario = 'card' } = requireOptions<TokenizeOptions>('tokenize', options, rules)
  if (clientToken !== undefined) sessions.get(clientToken)
  return vault.tokenize(scenario, clientToken)
}

/** Simulates retrievals, disputes (chargebacks) and pre-arbitrations. Each method sends a DISPUTE.STATUS event. */
export interface DisputeControls {
  /** @returns the dispute's id, which is `processorDisputeId` in its events */
  open(paymentId: string, fields?: DisputeFields): string
  /**
   * @param status The new status, for example `WON`. Any non-empty string.
   * @param fields Other changed fields, for example `type` when a retrieval becomes a dispute.
   */
  move(disputeId: string, status: string, fields?: DisputeFields): void
}

/** Fields of a dispute's events that do not come from the payment. */
export type DisputeFields = Partial<Omit<DisputeStatusEvent, 'eventType' | 'paymentId' | 'processorDisputeId'>>

/** How long a dispute can be challenged. */
const challengePeriodMs = milliseconds('14d')

export function disputeControls({ payments, store, clock, random, events }: Context): DisputeControls {
  const update = (dispute: DisputeStatusEvent) => {
    if (!dispute.status) throw new TypeError('A dispute needs a status, for example OPEN or WON')
    const { issues } = check(DisputeStatusEvent.sent, dispute)
    if (issues) throw new TypeError(`Invalid fields of a dispute: ${describeIssues(issues)}`)
    store.disputes.set(dispute.processorDisputeId as string, dispute)
    events.dispute(dispute)
  }
  return {
    open(paymentId, fields = {}) {
      const { payment, apiVersion } = payments.get(paymentId)
      const id = random.id('dispute')
      const now = clock.now()
      const { paymentMethodType, paymentMethodData } = payment.paymentMethod
      update({
        eventType: 'DISPUTE.STATUS',
        version: apiVersion,
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
      })
      return id
    },

    move(disputeId, status, fields = {}) {
      const dispute = store.disputes.get(disputeId)
      if (!dispute) throw new Error('There is no dispute with this id')
      const { paymentId } = dispute
      const receivedAt = clock.now().toISOString()
      update({ ...dispute, receivedAt, ...fields, status, paymentId, processorDisputeId: disputeId })
    },
  }
}

/** Simulates the loyalty provider. */
export interface LoyaltyControls {
  setBalance(connectionId: string, customerId: string, points: number): void
}

export function loyaltyControls({ store }: Context): LoyaltyControls {
  return {
    setBalance(connectionId, customerId, points) {
      if (!Number.isSafeInteger(points)) throw new TypeError('points must be an integer')
      store.loyaltyBalances.set(balanceKey(connectionId, customerId), points)
    },
  }
}
