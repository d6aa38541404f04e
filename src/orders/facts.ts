import { refundsOf } from '../core/helpers/payment-facts.js'
import { parsePrecisely } from '../core/internal/calendar.js'
import type { DisputeStatusEvent } from '../core/schemas/event.js'
import type { PaymentCore } from '../core/schemas/payment.js'

/**
 * One fact about a payment, refund or dispute. Of two facts with the same name, the one whose `rank` is greater wins, so
 * facts can arrive in any order, and more than once, with the same result.
 */
export interface Fact {
  readonly rank: readonly (number | string)[]
  readonly value: unknown
}

/** Everything that is known about one payment, refund or dispute. */
export type Facts = Readonly<Record<string, Fact>>

/** Facts about one row of a table. */
export interface Observation {
  readonly table: 'payments' | 'refunds' | 'disputes'
  readonly id: string
  readonly facts: Facts
}

/** Returns the facts of both arguments. */
export function mergeFacts(a: Facts, b: Facts): Facts {
  const merged: Record<string, Fact> = { ...a }
  for (const [name, fact] of Object.entries(b)) {
    const known = merged[name]
    if (known === undefined || isGreater(fact, known)) merged[name] = fact
  }
  return merged
}

/** Returns whether `a` wins over `b`. Facts of equal rank are compared by their values, so that the order is total. */
function isGreater(a: Fact, b: Fact): boolean {
  for (const [index, part] of a.rank.entries()) {
    const other = b.rank[index] as number | string
    if (part !== other) return part > other
  }
  return JSON.stringify(a.value) > JSON.stringify(b.value)
}

/** The state machine: a state replaces only the states before it if the service omits the time. */
const statuses = [
  'PENDING',
  'AUTHORIZED',
  'SETTLING',
  'DECLINED',
  'FAILED',
  'CANCELLED',
  'PARTIALLY_SETTLED',
  'SETTLED',
] as const

/** Returns how far a status is in the state machine: 0 for an unknown status. */
export function progressOf(status: string | undefined): number {
  return statuses.indexOf(status as (typeof statuses)[number]) + 1
}

/** The state of a payment at one time. */
export interface PaymentState {
  readonly status?: string | undefined
  readonly captured?: number | undefined
  readonly dateUpdated?: string | undefined
  readonly requiredAction?: PaymentCore['requiredAction'] | undefined
  readonly statusReason?: PaymentCore['statusReason'] | undefined
}

/** Returns the facts that a payment contains about itself and its refunds. */
export function observePayment(payment: PaymentCore, orderId: string): Observation[] {
  const { id, status, amount, currencyCode, date, dateUpdated, processor, requiredAction, statusReason } = payment
  const at = microseconds(dateUpdated)
  const captured = processor?.amountCaptured
  const state: PaymentState = { status, captured, dateUpdated, requiredAction, statusReason }
  const facts: Record<string, Fact | undefined> = {
    [at === 0 ? 'untimedState' : 'timedState']: { rank: [at, progressOf(status), captured ?? -1], value: state },
    amount: amount === undefined ? undefined : { rank: [at], value: amount },
    currencyCode: constant(currencyCode),
    orderId: constant(orderId),
    date: constant(date),
  }
  const refunds = refundsOf(payment).map(({ transactionId, ...refund }, position) => {
    // A refund without a transaction ID is identified by its position, until a transaction ID is known for it.
    if (transactionId !== undefined) facts[`refund ${position}`] = constant(transactionId)
    return observeRefund({ ...refund, id: transactionId ?? `${id}#${position}`, transactionId, paymentId: id, at })
  })
  return [{ table: 'payments', id, facts: defined(facts) }, ...refunds]
}

interface ObservedRefund {
  readonly id: string
  readonly transactionId: string | undefined
  readonly paymentId: string
  readonly amount?: number | undefined
  readonly status?: string | undefined
  /** The time of the payment's state that contains the refund, in microseconds since 1970, or 0. */
  readonly at: number
}

/** Returns the facts about one refund. */
export function observeRefund({ id, transactionId, paymentId, amount, status, at }: ObservedRefund): Observation {
  const isFinal = isFinalRefund(status)
  const facts: Record<string, Fact | undefined> = {
    status: { rank: [Number(isFinal), at, progressOf(status)], value: status },
    amount: amount === undefined ? undefined : { rank: [at], value: amount },
    transactionId: constant(transactionId),
    paymentId: constant(paymentId),
    // Two different final statuses contradict each other, so both are kept.
    [`final ${status}`]: isFinal ? constant(true) : undefined,
  }
  return { table: 'refunds', id, facts: defined(facts) }
}

const failedStatuses: readonly unknown[] = ['DECLINED', 'FAILED', 'CANCELLED']

/** Returns whether a refund or payment with this status moved no money, and never will. */
export function isFailed(status: unknown): boolean {
  return failedStatuses.includes(status)
}

function isFinalRefund(status: string | undefined): boolean {
  return status === 'SETTLED' || isFailed(status)
}

/** The state of a dispute at one time. */
export interface DisputeState {
  readonly status?: string | undefined
  readonly amount?: number | undefined
  readonly challengeRequiredBy?: string | undefined
  readonly receivedAt?: string | undefined
}

const closedDisputes: readonly unknown[] = ['WON', 'LOST', 'ACCEPTED', 'CANCELLED']

/** Returns whether a dispute with this status is open, or has cost the shop the money. */
export function isOpenOrLost(status: unknown): boolean {
  return status !== 'WON' && status !== 'CANCELLED'
}

/** Returns the facts of a DISPUTE.STATUS event. */
export function observeDispute(event: DisputeStatusEvent, orderId: string | undefined): Observation {
  const { processorDisputeId, paymentId, type, status, amount, challengeRequiredBy, receivedAt } = event
  const state: DisputeState = { status, amount, challengeRequiredBy, receivedAt }
  const facts = {
    state: { rank: [microseconds(receivedAt), Number(closedDisputes.includes(status))], value: state },
    disputeId: constant(processorDisputeId),
    type: constant(type),
    paymentId: constant(paymentId),
    orderId: constant(orderId),
  }
  return { table: 'disputes', id: `${processorDisputeId ?? paymentId} ${type}`, facts: defined(facts) }
}

/** A fact that does not change. */
function constant(value: unknown): Fact | undefined {
  return value === undefined ? undefined : { rank: [], value }
}

function defined(facts: Readonly<Record<string, Fact | undefined>>): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) as Facts
}

/** Returns a time of the service in microseconds since 1970, or 0 if it is missing or invalid. */
export function microseconds(datetime: string | undefined): number {
  const time = parsePrecisely(datetime)
  return Number.isNaN(time) ? 0 : Math.round(time * 1000)
}

/** Returns the state of a payment that is shown: of the latest timed state and the furthest other state, the further. */
export function stateOf({ timedState, untimedState }: Facts): PaymentState {
  const timed = (timedState?.value ?? {}) as PaymentState
  const untimed = (untimedState?.value ?? {}) as PaymentState
  const [shown, other] = isFurther(untimed, timed) ? [untimed, timed] : [timed, untimed]
  return { ...shown, captured: shown.captured ?? other.captured, dateUpdated: timed.dateUpdated }
}

function isFurther(a: PaymentState, b: PaymentState): boolean {
  const difference = progressOf(a.status) - progressOf(b.status)
  return difference > 0 || (difference === 0 && (a.captured ?? -1) > (b.captured ?? -1))
}

/** Returns the values of the columns that other programs may read, which are computed from the facts. */
export function plainValues(table: Observation['table'], facts: Facts): Record<string, unknown> {
  const values = Object.fromEntries(Object.entries(facts).map(([name, { value }]) => [name, value]))
  const { amount, currencyCode, orderId, paymentId, transactionId, disputeId, type } = values
  if (table === 'refunds') return { paymentId, transactionId, amount, status: values['status'] }
  if (table === 'disputes') return { orderId, paymentId, disputeId, type, ...(values['state'] as DisputeState) }
  const { status = '', captured, dateUpdated } = stateOf(facts)
  const isCaptured = status === 'SETTLING' || status === 'SETTLED'
  return { orderId, status, amount, currencyCode, captured: captured ?? (isCaptured ? (amount ?? 0) : 0), dateUpdated }
}

/** Returns whether the service reported that a refund succeeded, and also that it failed. */
export function isContradictory(facts: Facts): boolean {
  return Object.keys(facts).filter((name) => name.startsWith('final ')).length > 1
}
