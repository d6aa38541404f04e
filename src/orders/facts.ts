import type { OrderKey } from '../core/helpers/order-keys.js'
import { refundsOf } from '../core/helpers/payment-facts.js'
import { parsePrecisely } from '../core/internal/calendar.js'
import type { DisputeStatusEvent } from '../core/schemas/event.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import { finalStates, type OperationRecord, openStates } from '../operations/record.js'

/**
 * One fact about a row. Of two facts with the same name, the one whose `rank` is greater wins. So facts can arrive in any
 * order, and more than once, with the same result.
 */
export interface Fact {
  readonly rank: readonly number[]
  readonly value: unknown
}

/** Everything that is known about one payment, refund, dispute or decision. */
export type Facts = Readonly<Record<string, Fact>>

export const factTables = ['payments', 'refunds', 'disputes', 'decisions'] as const

/** Facts about one row of a table. */
export interface Observation {
  readonly table: (typeof factTables)[number]
  readonly id: string
  readonly facts: Facts
}

/** The facts about all rows of an order, by ID. */
export type Known = Readonly<Record<Observation['table'], Map<string, Facts>>>

/** Adds observations about an order. Returns the rows that changed. A row without facts was replaced. */
export function learn(known: Known, observations: readonly Observation[], orderId: string | undefined): Observation[] {
  const before = new Map(factTables.map((table) => [table, new Map(known[table])]))
  for (const { table, id, facts } of observations) known[table].set(id, merge(known[table].get(id) ?? {}, facts))
  // An event about a dispute may have no order ID.
  for (const [id, facts] of known.disputes) known.disputes.set(id, merge(constants({ orderId }), facts))
  // A refund that was stored by its position is replaced when its transaction ID is known.
  for (const [id, facts] of known.payments) {
    for (const name of Object.keys(facts)) {
      if (name.startsWith('refund ')) known.refunds.delete(name.replace('refund ', `${id}#`))
    }
  }
  return factTables.flatMap((table) => {
    const ids = new Set([...(before.get(table)?.keys() ?? []), ...known[table].keys()])
    return [...ids]
      .map((id) => ({ table, id, facts: known[table].get(id) ?? {} }))
      .filter(({ id, facts }) => JSON.stringify(facts) !== JSON.stringify(before.get(table)?.get(id) ?? {}))
  })
}

function merge(a: Facts, b: Facts): Facts {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
  return Object.fromEntries(names.map((name) => [name, greater(a[name], b[name]) as Fact]))
}

/** Facts of equal rank are compared by their values, so that the order is total. */
function greater(a: Fact | undefined, b: Fact | undefined): Fact | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const index = a.rank.findIndex((part, position) => part !== b.rank[position])
  if (index >= 0) return Number(a.rank[index]) > Number(b.rank[index]) ? a : b
  return JSON.stringify(a.value) > JSON.stringify(b.value) ? a : b
}

/** The state machine: a state without a time replaces only the states before it. */
const statuses = [
  'PENDING',
  'AUTHORIZED',
  'SETTLING',
  'DECLINED',
  'FAILED',
  'CANCELLED',
  'PARTIALLY_SETTLED',
  'SETTLED',
]

/** Returns how far a status is in the state machine: 0 for an unknown status. */
export const progressOf = (status: string | undefined): number => statuses.indexOf(String(status)) + 1

/** The state of a payment at one time. */
interface PaymentState {
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
  const details = Object.values(state).filter((value) => value !== undefined).length
  const refunds = refundsOf(payment).map(({ transactionId, ...refund }, position) => ({
    // A refund without a transaction ID is identified by its position.
    ...observeRefund({
      ...refund,
      id: transactionId ?? `${id}#${position}`,
      transactionId,
      paymentId: id,
      orderId,
      at,
    }),
    known: transactionId === undefined ? {} : { [`refund ${position}`]: transactionId },
  }))
  const facts = defined({
    [at === 0 ? 'untimedState' : 'timedState']: {
      rank: [at, progressOf(status), captured ?? -1, details],
      value: state,
    },
    amount: { rank: [at, amount ?? 0], value: amount },
    ...constants({ currencyCode, orderId, date, ...Object.assign({}, ...refunds.map(({ known }) => known)) }),
  })
  return [{ table: 'payments', id, facts }, ...refunds.map(({ known: _, ...observation }) => observation)]
}

interface ObservedRefund {
  readonly id: string
  readonly transactionId: string | undefined
  readonly paymentId: string
  readonly orderId: string
  readonly amount?: number | undefined
  readonly status?: string | undefined
  /** The time of the payment's state that contains the refund, in microseconds since 1970, or 0. */
  readonly at: number
}

function observeRefund({ id, amount, status, at, ...constant }: ObservedRefund): Observation {
  const isFinal = status === 'SETTLED' || hasFailed(status)
  const facts = defined({
    status: { rank: [Number(isFinal), at, progressOf(status)], value: status },
    amount: { rank: [at, amount ?? 0], value: amount },
    // Two different final statuses contradict each other, so both are kept.
    ...constants({ ...constant, [`final ${status}`]: isFinal || undefined }),
  })
  return { table: 'refunds', id, facts }
}

/** Returns whether a refund or payment with this status moved no money, and never will. */
export function hasFailed(status: string | undefined): boolean {
  return status === 'DECLINED' || status === 'FAILED' || status === 'CANCELLED'
}

const closedDisputes: readonly unknown[] = ['WON', 'LOST', 'ACCEPTED', 'CANCELLED']

/** Returns whether a dispute with this status is open, or has cost the shop the money. */
export function isOpenOrLost(status: string | undefined): boolean {
  return status !== 'WON' && status !== 'CANCELLED'
}

/** Returns the facts of a DISPUTE.STATUS event. */
export function observeDispute(event: DisputeStatusEvent, orderId: string | undefined): Observation {
  const { processorDisputeId: disputeId, paymentId, type, status, amount, challengeRequiredBy, receivedAt } = event
  const rank = [microseconds(receivedAt), Number(closedDisputes.includes(status)), Number(isOpenOrLost(status))]
  const facts = defined({
    state: { rank, value: { status, amount, challengeRequiredBy, receivedAt } },
    ...constants({ disputeId, type, paymentId, orderId }),
  })
  return { table: 'disputes', id: `${disputeId ?? paymentId} ${type}`, facts }
}

/** Returns the facts of a new decision. */
export function observeDecision(
  key: string,
  { kind, orderId, id, number }: OrderKey,
  { amount, currencyCode }: { readonly amount?: number | undefined; readonly currencyCode?: string | undefined },
): Observation {
  const outcome = { rank: [0, 0, 0], value: { state: 'planned' } }
  const facts = { ...constants({ orderId, kind, id, number, amount, currencyCode }), outcome }
  return { table: 'decisions', id: key, facts }
}

const states: readonly string[] = [...openStates, 'needs_review', ...finalStates]
const progressOfState = (state: string) => (state === 'succeeded' ? states.length : states.indexOf(state))

/**
 * Returns the facts of an operation's record about its decision, and about the payment or refund.
 *
 * @param errorId The service's identifier of the error with which an open operation failed.
 */
export function observeRecord(record: OperationRecord, orderId: string, errorId = record.errorId): Observation[] {
  const { key, operation, state, status, transactionId, reason, attempts, body, dateUpdated } = record
  const paymentId = record.paymentId ?? record.id
  const isRefund = operation === 'payments.refund'
  const value = { state, status: isRefund ? status : undefined, paymentId, transactionId, errorId, reason }
  const rank = [progressOfState(state), attempts, Number(errorId !== undefined)]
  const decision: Observation = { table: 'decisions', id: key, facts: { outcome: { rank, value } } }
  if (state !== 'succeeded' || paymentId === undefined) return [decision]
  const { amount, currencyCode } = Object(body) as PaymentCore
  if (isRefund) {
    const refund = { id: String(transactionId), transactionId, paymentId, orderId, amount, status }
    return transactionId === undefined
      ? [decision]
      : [decision, observeRefund({ ...refund, at: microseconds(dateUpdated) })]
  }
  const created = operation === 'payments.create' && { amount, currencyCode }
  const processor = { amountCaptured: record.amountCapturedAfter }
  const payment = { ...created, id: paymentId, status, dateUpdated, processor }
  return [decision, ...observePayment(payment as PaymentCore, orderId)]
}

/** Facts that do not change. */
function constants(values: object): Facts {
  return defined(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { rank: [], value }])))
}

function defined(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, { value }]) => value !== undefined))
}

/** Returns a time of the service in microseconds since 1970, or 0 if it is missing or invalid. */
export function microseconds(datetime: string | undefined): number {
  const time = parsePrecisely(datetime)
  return Number.isNaN(time) ? 0 : Math.round(time * 1000)
}

/** Returns the values of a row, which are computed from its facts. */
export function valuesOf({ table, id, facts }: Observation): Record<string, unknown> {
  const values: Record<string, unknown> = { [table === 'decisions' ? 'key' : 'id']: id }
  for (const [name, { value }] of Object.entries(facts)) {
    Object.assign(values, typeof value === 'object' ? value : { [name]: value })
  }
  if (table !== 'payments') return values
  const timed = (facts['timedState']?.value ?? {}) as PaymentState
  const untimed = (facts['untimedState']?.value ?? {}) as PaymentState
  const [shown, other] = isFurther(untimed, timed) ? [untimed, timed] : [timed, untimed]
  const { status = '', captured = other.captured, requiredAction, statusReason } = shown
  const { dateUpdated } = timed
  const isCaptured = status === 'SETTLING' || status === 'SETTLED'
  const created = microseconds(values['date'] as string)
  return {
    ...values,
    ...{ status, requiredAction, statusReason, dateUpdated },
    captured: captured ?? (isCaptured ? (values['amount'] ?? 0) : 0),
    isCapturedKnown: captured !== undefined,
    createdAt: Math.floor(created / 1000),
    updatedAt: Math.floor(Math.max(microseconds(dateUpdated), created) / 1000),
  }
}

function isFurther(a: PaymentState, b: PaymentState): boolean {
  const difference = progressOf(a.status) - progressOf(b.status)
  return difference > 0 || (difference === 0 && (a.captured ?? -1) > (b.captured ?? -1))
}
