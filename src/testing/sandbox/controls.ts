import * as z from 'zod'
import { describeIssues } from '../../core/internal/issues.js'
import { optionsOf } from '../../core/internal/validation.js'
import { type DisputeStatusEvent, DisputeStatusEventSchema } from '../../core/schemas/event.js'
import { validate } from '../../core/schemas/validate.js'
import type { Context } from './domain/context.js'
import { finishRefund, hasRefunds, pendingRefund } from './domain/refunds.js'
import { milliseconds } from './internal/clock.js'
import { ServiceError } from './internal/exchange.js'
import { knownName, requireOptions } from './internal/options.js'
import { type ScenarioName, scenarioNames, scenarios } from './internal/scenarios.js'
import { balanceKey } from './store/store.js'

/** Simulates the processor's asynchronous results for payments and refunds. Each method sends the webhook event. */
export class ProcessorControls {
  readonly #context: Context

  /** @internal */
  constructor(context: Context) {
    this.#context = context
  }

  /** Authorizes a pending payment. */
  authorize(paymentId: string): void {
    const record = this.#context.payments.get(paymentId, 'processor.authorize')
    if (record.payment.requiredAction)
      throw new Error('The payment requires an action from the customer: call completeAction and resume the payment')
    this.#context.ledger.record('processor.authorize', paymentId, record.payment.amount)
    this.#context.payments.move(record, 'processor.authorize', { status: 'AUTHORIZED' })
  }

  /** Settles a payment. Captures the full amount first if the payment is authorized. */
  settle(paymentId: string): void {
    const record = this.#context.payments.get(paymentId, 'processor.settle')
    const { status, amount, processor } = record.payment
    const isCaptured = status === 'AUTHORIZED'
    if (isCaptured) record.isCaptureClosed = true
    this.#context.ledger.record('processor.settle', paymentId, isCaptured ? amount : undefined)
    const changes = isCaptured ? { processor: { ...processor, amountCaptured: amount } } : {}
    this.#context.payments.move(record, 'processor.settle', { status: 'SETTLED' }, changes)
  }

  /** Declines a pending payment. */
  decline(paymentId: string): void {
    const record = this.#context.payments.get(paymentId, 'processor.decline')
    this.#context.ledger.record('processor.decline', paymentId)
    this.#context.payments.move(record, 'processor.decline', scenarios.declined.onCreate)
  }

  /** Fails a payment whose status is not final, as after a technical error. */
  fail(paymentId: string): void {
    const record = this.#context.payments.get(paymentId, 'processor.fail')
    if (hasRefunds(record.payment)) throw new Error('The payment has refunds, so it cannot fail')
    this.#context.ledger.record('processor.fail', paymentId)
    const processor = { ...record.payment.processor, amountCaptured: 0 }
    this.#context.payments.move(record, 'processor.fail', scenarios.failed.onCreate, { processor })
  }

  /** Sets the oldest pending refund to a final status. */
  finishRefund(paymentId: string, status: 'SETTLED' | 'FAILED'): void {
    const record = this.#context.payments.get(paymentId)
    if (status !== 'SETTLED' && status !== 'FAILED') throw new TypeError("status must be 'SETTLED' or 'FAILED'")
    const refund = pendingRefund(record.payment)
    if (!refund) throw new Error('The payment has no pending refund')
    this.#context.ledger.record('processor.finishRefund', paymentId, status === 'SETTLED' ? refund.amount : undefined)
    finishRefund(record, refund, status, this.#context)
  }
}

/** Completes the action that a payment requires from the customer. @returns the resume token */
export function completeAction(paymentId: string, { payments, random }: Context): string {
  const record = payments.get(paymentId)
  if (!record.payment.requiredAction) throw new Error('The payment requires no action from the customer')
  record.resumeToken = random.id('resume')
  return record.resumeToken
}

/** Options for `tokenize`. */
export interface TokenizeOptions {
  /**
   * Client token of the checkout's session. A payment with the returned token takes the fields that it omits from this
   * session.
   */
  clientToken?: string
  /** The scenario for payments with this token: a key of `tokens`. @default 'card' */
  scenario?: ScenarioName
}

export const tokenizeShape = {
  clientToken: z.string('must be a string'),
  scenario: knownName('a scenario', scenarioNames),
}

const tokenizeOptions = optionsOf<TokenizeOptions>(tokenizeShape)

export function tokenize(options: TokenizeOptions, { sessions, vault }: Context): string {
  const { clientToken, scenario = 'card' } = requireOptions('tokenize', options, tokenizeOptions)
  if (clientToken !== undefined) sessions.get(clientToken)
  return vault.tokenize(scenario, clientToken)
}

/** The fields of a dispute event that a test can set. */
export type DisputeFields = Partial<Omit<DisputeStatusEvent, 'eventType' | 'paymentId' | 'processorDisputeId'>>

const challengePeriodMs = milliseconds('14d')

/** Simulates retrievals, disputes (chargebacks) and pre-arbitrations. Each method sends a DISPUTE.STATUS event. */
export class DisputeControls {
  readonly #context: Context

  /** @internal */
  constructor(context: Context) {
    this.#context = context
  }

  /** Opens a dispute. @returns the dispute's ID: the field `processorDisputeId` of its events */
  open(paymentId: string, fields: DisputeFields = {}): string {
    const { payments, random, clock } = this.#context
    const { payment, apiVersion } = payments.get(paymentId)
    const id = random.id('dispute')
    const now = clock.now()
    const { paymentMethodType, paymentMethodData } = payment.paymentMethod
    this.#update({
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
  }

  /**
   * Changes the status of a dispute.
   *
   * @param status The new status: any non-empty string, for example `WON`.
   * @param fields Other fields to change, for example `type` when a retrieval becomes a dispute.
   */
  move(disputeId: string, status: string, fields: DisputeFields = {}): void {
    const dispute = this.#context.store.disputes.get(disputeId)?.at(-1)
    if (!dispute) throw new ServiceError(404, 'DisputeNotFound', 'There is no dispute with this ID')
    const { paymentId } = dispute
    const receivedAt = this.#context.clock.now().toISOString()
    this.#update({ ...dispute, receivedAt, ...fields, status, paymentId, processorDisputeId: disputeId })
  }

  #update(dispute: DisputeStatusEvent): void {
    if (!dispute.status) throw new TypeError('A dispute needs a status, for example OPEN or WON')
    const issues = validate(DisputeStatusEventSchema, dispute)
    if (issues.length > 0) throw new TypeError(`Invalid dispute fields: ${describeIssues(issues)}`)
    const { disputes } = this.#context.store
    const id = dispute.processorDisputeId as string
    disputes.set(id, [...(disputes.get(id) ?? []), dispute])
    this.#context.emit(dispute)
  }
}

export function setBalance(connectionId: string, customerId: string, points: number, { store }: Context): void {
  if (!Number.isSafeInteger(points)) throw new TypeError('points must be an integer')
  store.loyaltyBalances.set(balanceKey(connectionId, customerId), points)
}
