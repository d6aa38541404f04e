import type { DecisionKind } from '../core/helpers/order-keys.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import { type OperationState, openStates } from '../operations/record.js'
import { isFailed, isOpenOrLost, microseconds, progressOf } from './facts.js'

/**
 * The state of an order:
 *
 * - `pending`: the result of a payment is not known yet.
 * - `action_required`: the customer must complete `payment.requiredAction`, for example 3-D Secure.
 * - `authorized`: the amount is reserved, and nothing is captured.
 * - `partially_paid`, `paid`: a part of the amount, or the whole amount, is captured.
 * - `partially_refunded`, `refunded`: a part, or everything that was captured, is refunded or being refunded.
 * - `failed`: no payment succeeded, and none is in progress.
 * - `cancelled`: the last payment was cancelled.
 */
export type OrderState =
  | 'pending'
  | 'action_required'
  | 'authorized'
  | 'partially_paid'
  | 'paid'
  | 'partially_refunded'
  | 'refunded'
  | 'failed'
  | 'cancelled'

/** An order as the tables of `payments-client/orders` contain it. */
export interface Order {
  /** Your ID of the order, without the key prefix. */
  id: string
  state: OrderState
  /** The amount of the latest attempt that `pay` started, else that of the payment. Minor units of `currencyCode`. */
  amount: number
  currencyCode: string
  /** Captured amount, in minor units. Includes captures that are still being settled. */
  captured: number
  /** Refunded amount, in minor units. Includes refunds that are in progress, but not failed refunds. */
  refunded: number
  /**
   * True only if the whole amount is captured, settled and not refunded, in the order's currency, nothing is unclear
   * and no dispute is open or lost.
   */
  mayShip: boolean
  /** Whether a person must look at the order: see `orders.review`. */
  needsReview: boolean
  /** Whether a dispute is open or lost. */
  disputed: boolean
  /** The payment that has not failed, else the last one. */
  payment?: {
    id: string
    status: string
    statusReason?: PaymentCore['statusReason']
    requiredAction?: PaymentCore['requiredAction']
    dateUpdated?: string
  }
  payments: OrderPayment[]
  refunds: OrderRefund[]
  disputes: OrderDispute[]
  decisions: Decision[]
}

/** A payment of an order. */
export interface OrderPayment {
  id: string
  status: string
  /** Minor units of `currencyCode`. */
  amount?: number
  currencyCode?: string
  /** Captured amount, in minor units. */
  captured: number
  dateUpdated?: string
}

/** A refund of a payment of the order. */
export interface OrderRefund {
  /** The `processorTransactionId`, if it is known. */
  transactionId?: string
  paymentId: string
  /** Minor units of the payment's currency. */
  amount?: number
  /** `SETTLED` if the customer has the money, and `FAILED` if the refund failed. */
  status?: string
}

/** A dispute about a payment of the order. */
export interface OrderDispute {
  /** The `processorDisputeId`. */
  id: string
  type: string
  status: string
  /** Disputed amount, in minor units. */
  amount?: number
  challengeRequiredBy?: string
  receivedAt?: string
}

/** A call of `pay`, `capture`, `refund` or `cancel`, and its result. */
export interface Decision {
  /** The idempotency key. */
  key: string
  kind: DecisionKind
  /** The ID that was passed to `capture` or `refund`. */
  id?: string
  /** Minor units. */
  amount?: number
  /** The state of the operation in the journal. */
  state: OperationState
  /** For a refund: its own status. */
  status?: string
  /** The service's identifier of the latest error. */
  errorId?: string
  /** The reason for the state `not_executed` or `needs_review`. */
  reason?: string
}

/** A payment with the facts that only the order's rules need. */
export interface KnownPayment extends OrderPayment {
  readonly statusReason?: PaymentCore['statusReason']
  readonly requiredAction?: PaymentCore['requiredAction']
  /** Whether the service reported the captured amount. */
  readonly isCapturedKnown: boolean
  /** Time of creation, or undefined. */
  readonly date?: string
}

/** Everything that the tables contain about an order. */
export interface Known {
  readonly id: string
  /** Absent if `pay` never started an attempt. */
  readonly amount?: number | undefined
  readonly currencyCode?: string | undefined
  readonly payments: readonly KnownPayment[]
  readonly refunds: readonly (OrderRefund & { readonly isContradictory: boolean })[]
  readonly disputes: readonly OrderDispute[]
  readonly decisions: readonly Decision[]
}

/** Computes an order from everything that is known about it. */
export function toOrder(known: Known): Order {
  const { decisions } = known
  const refunds = known.refunds.map(({ isContradictory: _, ...refund }) => refund)
  const payments = known.payments.toSorted(byProgress)
  const live = payments.filter(({ status }) => !isFailed(status))
  const shown = live[0] ?? known.payments.toSorted(byTime).at(-1)
  const amount = known.amount ?? shown?.amount ?? 0
  const currencyCode = known.currencyCode ?? shown?.currencyCode ?? ''
  const captured = sum(live.map((payment) => payment.captured))
  const refunded = sum(refunds.map((refund) => (isFailed(refund.status) ? 0 : (refund.amount ?? 0))))
  const disputed = known.disputes.some(({ status }) => isOpenOrLost(status))
  const needsReview =
    live.length > 1 ||
    known.refunds.some(({ isContradictory }) => isContradictory) ||
    decisions.some(({ state }) => state === 'needs_review')
  const isClear = !needsReview && !decisions.some(({ state }) => isOpen(state))
  const isSettled = shown?.status === 'SETTLED' && shown.isCapturedKnown && shown.currencyCode === currencyCode
  const hasNoRefund = refunds.every(({ status }) => isFailed(status))
  return {
    id: known.id,
    state: live[0] ? liveState(live[0], amount, captured, refunded) : failedState(decisions, shown),
    amount,
    currencyCode,
    captured,
    refunded,
    mayShip: isSettled && captured >= amount && hasNoRefund && isClear && !disputed,
    needsReview,
    disputed,
    ...(shown && { payment: toShown(shown) }),
    payments: payments.map(
      ({ statusReason: _, requiredAction: __, isCapturedKnown: ___, date: ____, ...rest }) => rest,
    ),
    refunds,
    disputes: [...known.disputes],
    decisions: [...decisions],
  }
}

function liveState(payment: KnownPayment, amount: number, captured: number, refunded: number): OrderState {
  if (captured > 0 && refunded >= captured) return 'refunded'
  if (refunded > 0) return 'partially_refunded'
  if (captured >= amount && (captured > 0 || payment.status === 'SETTLED')) return 'paid'
  if (captured > 0) return 'partially_paid'
  if (payment.status === 'AUTHORIZED') return 'authorized'
  return payment.requiredAction ? 'action_required' : 'pending'
}

function failedState(decisions: readonly Decision[], last: KnownPayment | undefined): OrderState {
  if (decisions.some(({ kind, state }) => kind === 'pay' && (isOpen(state) || state === 'needs_review')))
    return 'pending'
  return last?.status === 'CANCELLED' ? 'cancelled' : 'failed'
}

function toShown({ id, status, statusReason, requiredAction, dateUpdated }: KnownPayment): Order['payment'] & object {
  return {
    id,
    status,
    ...(statusReason && { statusReason }),
    ...(requiredAction && { requiredAction }),
    ...(dateUpdated && { dateUpdated }),
  }
}

/** Returns whether the service may still carry out a decision. */
export function isOpen(state: OperationState): boolean {
  return (openStates as readonly OperationState[]).includes(state)
}

/** Sorts the payment with the most captured money, then the furthest status, first. */
function byProgress(a: KnownPayment, b: KnownPayment): number {
  return (
    Number(isFailed(a.status)) - Number(isFailed(b.status)) ||
    b.captured - a.captured ||
    progressOf(b.status) - progressOf(a.status) ||
    byTime(a, b)
  )
}

function byTime(a: KnownPayment, b: KnownPayment): number {
  return microseconds(a.date) - microseconds(b.date) || (a.id < b.id ? -1 : 1)
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
