import type { OrderKey } from '../core/helpers/order-keys.js'
import { hasFailed, isFinal, type Refund, refundsOf } from '../core/helpers/payment-facts.js'
import { parsePrecisely } from '../core/internal/calendar.js'
import type { DisputeStatusEvent } from '../core/schemas/event.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import type { OperationRecord } from '../operations/record.js'

/**
 * One fact about a row. If two facts have the same name, the one with the greater `rank` wins. Facts can therefore
 * arrive in any order, and more than once, with the same result. The rank of a fact that never changes is empty.
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

const noFacts: Facts = {}

/** Adds observations to `known`. Returns the changed rows. A row that another row has replaced has no facts. */
export function learn(known: Known, observations: readonly Observation[], orderId: string | undefined): Observation[] {
  const before = structuredClone(known)
  for (const { table, id, facts } of observations) known[table].set(id, merge(known[table].get(id) ?? noFacts, facts))
  for (const [paymentId, facts] of known.payments) replaceUnidentified(known, paymentId, facts)
  // Adds the order ID to all rows, because an event about a dispute may lack it.
  for (const rows of Object.values(known))
    for (const [id, facts] of rows) rows.set(id, merge(facts, toFacts({ orderId })))
  return factTables.flatMap((table) =>
    [...new Set([...before[table].keys(), ...known[table].keys()])]
      .map((id) => ({ table, id, facts: known[table].get(id) ?? noFacts }))
      .filter(({ id, facts }) => JSON.stringify(facts) !== JSON.stringify(before[table].get(id) ?? noFacts)),
  )
}

/** Replaces the rows of a payment's refunds without a transaction ID. Their positions in the payment may have changed. */
function replaceUnidentified({ refunds }: Known, paymentId: string, facts: Facts): void {
  const { refundCount = 0, unidentified = [] }: Partial<RefundList> = Object(facts['refunds']?.value)
  const own = [...refunds].filter(([, refund]) => refund['paymentId']?.value === paymentId)
  const others = own.filter(([, refund]) => refund['transactionId'] === undefined)
  for (const [id] of others) refunds.delete(id)
  const count = Math.max(0, refundCount - (own.length - others.length))
  for (const [index, refund] of unidentified.slice(0, count).entries())
    refunds.set(`${paymentId} #${index}`, toFacts({ paymentId, ...refund }))
}

function merge(a: Facts, b: Facts): Facts {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
  return Object.fromEntries(names.map((name) => [name, greater(a[name], b[name]) as Fact]))
}

/** Returns the fact with the greater rank. Breaks ties by value, so the argument order does not matter. */
function greater(a: Fact | undefined, b: Fact | undefined): Fact | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const index = a.rank.findIndex((part, position) => part !== b.rank[position])
  if (index >= 0) return Number(a.rank[index]) > Number(b.rank[index]) ? a : b
  return JSON.stringify(a.value) > JSON.stringify(b.value) ? a : b
}

const ranked = (value: unknown, ...rank: number[]): Fact => ({ rank, value })

/** Combines constants and ranked facts. Omits undefined values. */
function toFacts(constants: object, rankedFacts: Facts = noFacts): Facts {
  const all = {
    ...Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, ranked(value)])),
    ...rankedFacts,
  }
  return Object.fromEntries(Object.entries(all).filter(([, { value }]) => value !== undefined))
}

/** A payment's statuses, in the order of its life cycle. A status without a time replaces only earlier statuses. */
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

/** Returns the position of a status in `statuses`, starting at 1, or 0 for an unknown status. */
export const progressOf = (status: string | undefined): number => statuses.indexOf(String(status)) + 1

/** The state of a payment at one point in time. */
interface PaymentState extends Pick<PaymentCore, 'status' | 'dateUpdated' | 'requiredAction' | 'statusReason'> {
  readonly captured?: number | undefined
}

/** The number of a payment's refunds, and those without a transaction ID: first those that have not failed. */
interface RefundList {
  readonly refundCount: number
  readonly unidentified: readonly Pick<Refund, 'amount' | 'status'>[]
}

/** Returns the facts that a payment contains about itself and its refunds. */
export function observePayment(payment: PaymentCore): Observation[] {
  const { id, status, amount, currencyCode, date, dateUpdated, processor, requiredAction, statusReason } = payment
  const at = microseconds(dateUpdated)
  const { amountCaptured: captured, amountRefunded: refunded } = processor ?? {}
  const state = { status, captured, dateUpdated, requiredAction, statusReason }
  const details = Object.values(state).filter((value) => value !== undefined).length
  const refunds = refundsOf(payment)
  const facts = toFacts(
    { currencyCode, date },
    {
      [at === 0 ? 'untimedState' : 'timedState']: ranked(state, at, progressOf(status), captured ?? -1, details),
      amount: ranked(amount, at, amount ?? 0),
      [at === 0 ? 'untimedRefunded' : 'timedRefunded']: ranked(refunded, at, refunded ?? 0),
      refunds: observeRefunds(refunds, at),
    },
  )
  const rows = refunds.flatMap(({ transactionId, ...refund }) =>
    transactionId === undefined ? [] : [observeRefund({ ...refund, transactionId, paymentId: id, at })],
  )
  return [{ table: 'payments', id, facts }, ...rows]
}

/** Prefers the list with more refunds, because a payment's refunds are never removed. An event may omit the amounts. */
function observeRefunds(refunds: readonly Refund[], at: number): Fact {
  const count = (isCounted: (refund: Refund) => boolean) => refunds.filter(isCounted).length
  const unidentified = refunds
    .filter(({ transactionId }) => transactionId === undefined)
    .map(({ amount, status }) => ({ amount, status }))
    .sort((a, b) => Number(hasFailed(a)) - Number(hasFailed(b)))
  const list: RefundList = { refundCount: refunds.length, unidentified }
  const [amounts, final] = [count(({ amount }) => amount !== undefined), count(({ status }) => isFinal(status))]
  return ranked(refunds.length > 0 ? list : undefined, refunds.length, amounts, final, at)
}

interface ObservedRefund {
  readonly transactionId: string
  readonly paymentId: string
  readonly amount?: number | undefined
  readonly status?: string | undefined
  /** The time of the payment state that contains the refund, in microseconds since 1970, or 0 if unknown. */
  readonly at: number
}

function observeRefund({ transactionId, paymentId, amount, status, at }: ObservedRefund): Observation {
  // Keeps both of two different final statuses, because they contradict each other and need a review.
  const constants = { transactionId, paymentId, [`final ${status}`]: isFinal(status) || undefined }
  const facts = toFacts(constants, {
    status: ranked(status, Number(isFinal(status)), at, progressOf(status)),
    amount: ranked(amount, at, amount ?? 0),
  })
  // Two processors may use the same ID.
  return { table: 'refunds', id: `${paymentId} ${transactionId}`, facts }
}

const closedDisputes: readonly unknown[] = ['WON', 'LOST', 'ACCEPTED', 'CANCELLED']

/** Returns whether a dispute with this status is open or lost. */
export function isOpenOrLost(status: string | undefined): boolean {
  return status !== 'WON' && status !== 'CANCELLED'
}

/** Returns a dispute's processor and ID. Two processors may use the same ID. */
export function disputeKeyOf({ processor = '', processorDisputeId: id }: DisputeStatusEvent): string | undefined {
  return id === undefined ? undefined : `${processor} ${id}`
}

/** Returns the facts of a DISPUTE.STATUS event. */
export function observeDispute(event: DisputeStatusEvent): Observation {
  const { processorDisputeId: disputeId, orderId, paymentId, type, status } = event
  const { amount, challengeRequiredBy, receivedAt } = event
  const disputeKey = disputeKeyOf(event)
  const rank = [microseconds(receivedAt), Number(closedDisputes.includes(status)), Number(isOpenOrLost(status))]
  const state = ranked({ status, amount, challengeRequiredBy, receivedAt }, ...rank)
  return {
    table: 'disputes',
    id: `${disputeKey ?? paymentId ?? orderId} ${type}`,
    facts: toFacts({ disputeKey, disputeId, type, paymentId }, { state }),
  }
}

/** Returns the facts of a new decision. */
export function observeDecision(
  key: string,
  { kind, id, number }: OrderKey,
  { amount, currencyCode }: { readonly amount?: number | undefined; readonly currencyCode?: string | undefined },
): Observation {
  const outcome = outcomeOf({ state: 'planned' })
  return { table: 'decisions', id: key, facts: toFacts({ kind, id, number, amount, currencyCode }, { outcome }) }
}

/** The states of a decision. If two reports contradict each other, the later state in this list applies. */
const states = ['planned', 'sent', 'unknown', 'needs_review', 'rejected', 'not_executed', 'succeeded']

type Outcome = Pick<OperationRecord, 'state'> &
  Partial<Pick<OperationRecord, 'status' | 'paymentId' | 'transactionId' | 'errorId' | 'reason'>>

/** Prefers an outcome with more IDs, because a person may add an ID to a decision later. */
function outcomeOf(outcome: Outcome, attempts = 0): Fact {
  const { state, paymentId, transactionId, errorId } = outcome
  const ids = [paymentId, transactionId].filter((id) => id !== undefined).length
  return ranked(outcome, states.indexOf(state), attempts, Number(errorId !== undefined), ids)
}

/**
 * Returns the facts that an operation's record contains about its decision, and about the payment or refund.
 *
 * @param errorId The service's identifier of the error with which an open operation failed.
 */
export function observeRecord(record: OperationRecord, errorId = record.errorId): Observation[] {
  const { key, operation, state, transactionId, reason, attempts, body, dateUpdated } = record
  const paymentId = record.paymentId ?? record.id
  const isRefund = operation === 'payments.refund'
  const status = isRefund ? record.status : undefined
  const outcome = outcomeOf({ state, status, paymentId, transactionId, errorId, reason }, attempts)
  const decision: Observation = { table: 'decisions', id: key, facts: { outcome } }
  const { amount, currencyCode } = Object(body) as PaymentCore
  if (state !== 'succeeded' || paymentId === undefined) return [decision]
  if (isRefund) {
    if (transactionId === undefined) return [decision]
    return [decision, observeRefund({ transactionId, paymentId, amount, status, at: microseconds(dateUpdated) })]
  }
  const created = operation === 'payments.create' && { amount, currencyCode }
  const processor = { amountCaptured: record.amountCapturedAfter }
  const payment = { ...created, id: paymentId, status: record.status, dateUpdated, processor }
  const plannedAt = created ? record.createdAt?.toISOString() : undefined
  const attempt: Observation = { table: 'payments', id: paymentId, facts: toFacts({ plannedAt }) }
  return [decision, ...observePayment(payment as PaymentCore), attempt]
}

/** Converts the service's datetime to microseconds since 1970. Returns 0 if it is missing or invalid. */
export function microseconds(datetime: string | undefined): number {
  const time = parsePrecisely(datetime)
  return Number.isNaN(time) ? 0 : Math.round(time * 1000)
}

/** Computes the values of a row from its facts. */
export function valuesOf({ table, id, facts }: Observation): Record<string, unknown> {
  const values: Record<string, unknown> = { [table === 'decisions' ? 'key' : 'id']: id }
  for (const [name, { value }] of Object.entries(facts)) {
    Object.assign(values, typeof value === 'object' ? value : { [name]: value })
  }
  if (table !== 'payments') return values
  const timed: PaymentState = Object(facts['timedState']?.value)
  const untimed: PaymentState = Object(facts['untimedState']?.value)
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
    refunded: Math.max(0, ...['timedRefunded', 'untimedRefunded'].map((name) => Number(values[name] ?? 0))),
    createdAt: Math.floor(created / 1000),
    updatedAt: Math.floor(Math.max(microseconds(dateUpdated), created) / 1000),
  }
}

function isFurther(a: PaymentState, b: PaymentState): boolean {
  const difference = progressOf(a.status) - progressOf(b.status)
  return difference > 0 || (difference === 0 && (a.captured ?? -1) > (b.captured ?? -1))
}
