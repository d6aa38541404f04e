import { type DecisionKind, decisionKinds } from '../core/helpers/order-keys.js'
import { hasFailed } from '../core/helpers/payment-facts.js'
import { agree, sum } from '../core/internal/objects.js'
import { isOpenState, type OperationState } from '../operations/record.js'
import { OrderError, type OrderErrorReason } from './errors.js'
import { isOpenOrLost, type Known, microseconds, progressOf, valuesOf } from './facts.js'
import type { Decision, Order, OrderDispute, OrderPayment, OrderRefund, OrderState } from './types.js'

type KnownPayment = OrderPayment &
  Order['payment'] & { readonly isCapturedKnown: boolean; readonly refunded: number } & KnownTimes
type KnownTimes = { readonly date?: string; readonly plannedAt?: string }
type KnownDecision = Decision & { transactionId?: string; number: number; currencyCode?: string }

/** Computes an order from everything that is known about it. Returns undefined if there is no payment or decision. */
export function toOrder(id: string, known: Known): Order | undefined {
  const rows = <Row>(table: keyof Known) =>
    [...known[table]].map(([rowId, facts]) => valuesOf({ table, id: rowId, facts }) as Row & { id: string })
  const payments = rows<KnownPayment>('payments').sort(byTime)
  const refunds = rows<OrderRefund>('refunds').sort((a, b) => compare(a.id, b.id))
  const disputes = rows<OrderDispute & { disputeId?: string }>('disputes').sort((a, b) => compare(a.id, b.id))
  const decisions = rows<KnownDecision>('decisions').sort(byNumber)
  if (payments.length + decisions.length === 0) return undefined
  const unfailed = payments.filter((payment) => !hasFailed(payment)).sort(byProgress)
  const refundedOf = ({ id, refunded }: KnownPayment) =>
    amountRefunded(
      refunded,
      refunds.filter(({ paymentId }) => paymentId === id),
    )
  const isKept = (payment: KnownPayment) => payment.captured > refundedOf(payment)
  // A payment that was refunded in full does not count if the order has another payment.
  const replaced = unfailed.filter((payment) => payment.captured > 0 && !isKept(payment))
  if (replaced.length === unfailed.length) replaced.shift()
  const live = unfailed.filter((payment) => !replaced.includes(payment))
  const isCounted = (row: { paymentId?: string }) => !replaced.some((payment) => payment.id === row.paymentId)
  const shown = live[0] ?? payments.at(-1)
  const attempt = decisions.findLast(({ kind }) => kind === 'pay')
  const amount = attempt?.amount ?? shown?.amount ?? 0
  const currencyCode = attempt?.currencyCode ?? shown?.currencyCode ?? ''
  const captured = sum(live.map((payment) => payment.captured))
  const refunded = sum(live.map(refundedOf))
  const disputed = disputes.some(({ status }) => isOpenOrLost(status))
  const own = decisions.map((decision) => ({ ...decision, status: statusOf(decision, decisions, refunds) }))
  const needsReview =
    live.length > 1 ||
    payments.some((payment) => hasFailed(payment) && isKept(payment)) ||
    [...known.refunds.values()].some(isContradictory) ||
    own.some(({ state }) => state === 'needs_review')
  const isSettled = shown?.status === 'SETTLED' && shown.isCapturedKnown && shown.currencyCode === currencyCode
  const isUnrefunded =
    refunded === 0 &&
    refunds.filter(isCounted).every(hasFailed) &&
    own.filter(isCounted).every((decision) => decision.kind !== 'refund' || isWithoutEffect(decision))
  const isClear = !needsReview && !disputed && !own.some(({ state }) => isOpenState(state))
  const order: Order = {
    id,
    state: live[0] ? liveState(live[0], amount, captured, refunded) : failedState(own, payments),
    amount,
    currencyCode,
    captured,
    refunded,
    mayShip: isSettled && captured >= amount && isUnrefunded && isClear,
    needsReview,
    disputed,
    ...(shown && { payment: pick(shown, 'id', 'status', 'statusReason', 'requiredAction', 'dateUpdated') }),
    payments: payments.map((row) => pick(row, 'id', 'status', 'amount', 'currencyCode', 'captured', 'dateUpdated')),
    refunds: refunds.map((row) => pick(row, 'transactionId', 'paymentId', 'amount', 'status')),
    disputes: disputes.map(({ disputeId, id: rowId, ...row }) => ({
      id: disputeId ?? rowId,
      ...pick(row, 'type', 'status', 'amount', 'challengeRequiredBy', 'receivedAt'),
    })),
    decisions: own.map((row) => pick(row, ...decisionFields)),
  }
  // Omits the fields that are undefined.
  return JSON.parse(JSON.stringify(order))
}

const decisionFields = ['key', 'kind', 'id', 'amount', 'state', 'status', 'paymentId', 'errorId', 'reason'] as const

function pick<Row, Name extends keyof Row>(row: Row, ...names: Name[]): Pick<Row, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>
}

/** Returns the status of a decision's refund. Prefers the refund's own row, which is more recent than the decision. */
function statusOf(
  decision: KnownDecision,
  decisions: readonly KnownDecision[],
  refunds: readonly OrderRefund[],
): string | undefined {
  const { paymentId, transactionId, amount, status } = decision
  const rows = refunds.filter((row) => row.paymentId === paymentId)
  if (transactionId !== undefined) return rows.find((row) => row.transactionId === transactionId)?.status ?? status
  if (status === undefined) return undefined
  // The service reported this refund without an ID. Uses the rows that can belong to it if their status is the same, and
  // if other decisions cannot own all of them.
  const others = decisions.filter((other) => other.kind === 'refund' && other !== decision)
  const owned = others.map((other) => other.transactionId).filter((id) => id !== undefined)
  const free = rows.filter((row) => agree(row.amount, amount) && !owned.includes(String(row.transactionId)))
  const isUnidentified = (other: KnownDecision) =>
    other.transactionId === undefined && agree(other.amount, amount) && !isWithoutEffect(other)
  const [first, ...more] = free
  const isClear =
    more.every((row) => row.status === first?.status) && free.length > others.filter(isUnidentified).length
  return isClear ? (first?.status ?? status) : status
}

/**
 * Returns the refunded amount of a payment: its refunds that have not failed, and what the processor reports in
 * addition to all refunds, because the service may omit refunds or their amounts.
 */
function amountRefunded(reported: number, refunds: readonly OrderRefund[]): number {
  const amountsOf = (rows: readonly OrderRefund[]) => sum(rows.map(({ amount = 0 }) => amount))
  return amountsOf(refunds.filter((refund) => !hasFailed(refund))) + Math.max(0, reported - amountsOf(refunds))
}

/** Returns whether the service reported two contradictory final statuses for a refund. */
function isContradictory(facts: object): boolean {
  return Object.keys(facts).filter((name) => name.startsWith('final ')).length > 1
}

function liveState(payment: KnownPayment, amount: number, captured: number, refunded: number): OrderState {
  if (captured > 0 && refunded >= captured) return 'refunded'
  if (refunded > 0) return 'partially_refunded'
  if (captured >= amount && (captured > 0 || payment.status === 'SETTLED')) return 'paid'
  if (captured > 0 || payment.status === 'PARTIALLY_SETTLED') return 'partially_paid'
  if (payment.status === 'AUTHORIZED') return 'authorized'
  return payment.requiredAction ? 'action_required' : 'pending'
}

function failedState(decisions: readonly Decision[], payments: readonly OrderPayment[]): OrderState {
  if (isPaying(decisions, payments)) return 'pending'
  return payments.at(-1)?.status === 'CANCELLED' ? 'cancelled' : 'failed'
}

/** Returns whether an attempt may still create a payment, or has created one that is not known yet. */
function isPaying(decisions: readonly Decision[], payments: readonly OrderPayment[]): boolean {
  const attempts = decisions.filter(({ kind }) => kind === 'pay')
  // A person may resolve an attempt without its payment ID. A declined payment does not prove that there is no other.
  const withoutId = attempts.filter(({ state, paymentId }) => state === 'succeeded' && paymentId === undefined)
  const isOwned = (payment: OrderPayment) => attempts.some(({ paymentId }) => paymentId === payment.id)
  const unattributed = payments.filter((payment) => payment.status === 'CANCELLED' && !isOwned(payment))
  return attempts.some(({ state }) => isUnclear(state)) || withoutId.length > unattributed.length
}

const isUnclear = (state: OperationState): boolean => isOpenState(state) || state === 'needs_review'

/** Returns whether a decision has definitely had no effect. */
const isWithoutEffect = (decision: Decision): boolean =>
  decision.state === 'rejected' || decision.state === 'not_executed' || hasFailed(decision)

/** Sorts payments by captured amount and then by progress, highest first. */
function byProgress(a: KnownPayment, b: KnownPayment): number {
  return b.captured - a.captured || progressOf(b.status) - progressOf(a.status) || byTime(a, b)
}

/** Sorts by date, or by `plannedAt` if the payment was found in a list after its response was lost. */
function byTime(a: KnownPayment, b: KnownPayment): number {
  const timeOf = ({ plannedAt, date = plannedAt }: KnownPayment) => microseconds(date)
  return timeOf(a) - timeOf(b) || compare(a.id, b.id)
}

function byNumber(a: KnownDecision, b: KnownDecision): number {
  return decisionKinds.indexOf(a.kind) - decisionKinds.indexOf(b.kind) || a.number - b.number || compare(a.key, b.key)
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** The caller's request: to pay for an order, or to capture, refund or cancel its payment. */
export interface Intent {
  readonly kind: DecisionKind
  readonly id?: string | undefined
  readonly amount?: number | undefined
  readonly currencyCode?: string | undefined
  readonly final?: boolean | undefined
}

/** What to do next: continue the decision that has this key, start a new attempt with this number, or do nothing. */
export type Plan = { readonly key: string } | { readonly number: number } | undefined

/**
 * Decides whether an intent is new. The same intent never takes effect twice: a new attempt starts only after all
 * others have definitely failed.
 *
 * @throws {OrderError} The intent contradicts the order or an earlier intent.
 */
export function plan(intent: Intent, order: Order | undefined, reopen = false): Plan {
  const fail = (reason: OrderErrorReason, retry?: 'same-key') => {
    throw new OrderError(reason, `orders.${kind}`, retry)
  }
  const { kind, id, amount } = intent
  const { payments = [], decisions = [] } = order ?? {}
  const attempts = decisions.filter((decision) => decision.kind === kind && decision.id === id)
  const latest = attempts.at(-1)
  const next = { number: attempts.length + 1 }
  const live = payments.find((payment) => payment.id === order?.payment?.id && !hasFailed(payment))
  const toContinue = latest && isOpenState(latest.state) ? { key: latest.key } : undefined

  if (kind === 'pay') {
    if (live === undefined && !isPaying(decisions, payments)) {
      if (order?.state === 'cancelled' && !reopen) fail('cancelled')
      return next
    }
    if (order?.amount !== amount || order?.currencyCode !== intent.currencyCode) fail('changed')
    // Continues only an attempt without a payment. A known payment is re-fetched instead.
    return live === undefined ? toContinue : undefined
  }

  if (order === undefined) return fail('unknown_order')
  if (latest !== undefined && !isWithoutEffect(latest) && !isReplaced(latest, live, payments)) {
    if (latest.amount !== amount) fail('changed')
    return toContinue
  }
  if (kind === 'cancel' && order.state === 'cancelled') return undefined
  const moved = kind === 'refund' ? order.refunded : order.captured
  const total = kind === 'refund' ? order.captured : (live?.amount ?? Number.POSITIVE_INFINITY)
  const same = decisions.filter((decision) => decision.kind === kind)
  const sumOf = (counted: readonly Decision[], all: number) => sum(counted.map((decision) => decision.amount ?? all))
  const succeeded = same.filter((decision) => decision.state === 'succeeded' && !isWithoutEffect(decision))
  const accounted = Math.min(moved, sumOf(succeeded, moved))
  // A payment of 0 can be captured and cancelled, although nothing is left.
  const isUsedUp = total <= moved && (total > 0 || kind === 'refund')
  if (live === undefined || isUsedUp) {
    if (live && kind !== 'cancel' && total > 0) {
      if (amount !== undefined) fail('exceeds')
      // Does nothing if everything was captured or refunded elsewhere, or by a decision that a restored backup lacks.
      if (moved > accounted) return undefined
    }
    fail('no_payment', live === undefined && isPaying(decisions, payments) ? 'same-key' : undefined)
  }
  // Counts unfinished decisions, which may have captured or refunded the amounts that no other decision explains.
  const unfinished = same.filter(({ state }) => isUnclear(state))
  if (intent.final && unfinished.length > 0) fail('capture_open', 'same-key')
  const used = Math.max(moved, accounted + sumOf(unfinished, total))
  if (amount !== undefined && amount > total - used) fail('exceeds')
  return next
}

/**
 * Returns whether a decision belongs to a payment that has failed, and that another payment has replaced. A cancellation
 * with an ID is never replaced, because its payment always fails.
 */
function isReplaced(
  { kind, id, state, paymentId }: Decision,
  live: OrderPayment | undefined,
  payments: readonly OrderPayment[],
): boolean {
  const payment = payments.find((row) => row.id === paymentId)
  if (kind === 'cancel' && id !== undefined) return false
  return live !== undefined && !isUnclear(state) && payment !== undefined && hasFailed(payment)
}
