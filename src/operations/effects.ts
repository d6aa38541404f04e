import type { AnyOperation } from '../core/contract/operation.js'
import * as contract from '../core/contract/payments.js'
import {
  byDate,
  hasFailed,
  isIneffective,
  refundTransactions,
  remainingCapturable,
  remainingRefundable,
} from '../core/helpers/payment-facts.js'
import { agree, sum } from '../core/internal/objects.js'
import { isBefore, maxClockDifferenceMs } from '../core/resources/reconcile.js'
import type { PaymentCore, PaymentSummary, Transaction } from '../core/schemas/payment.js'
import type { Effect, LookupResult } from './decide.js'
import {
  comparedOperations,
  type JournaledOperation,
  mayHaveEffect,
  type PaymentSnapshot,
  type StoredOperation,
} from './record.js'
import { storableText } from './rules.js'

// These functions search a payment's current state for an operation's effect.

/** The operations that a journal records, with their contracts. */
export const journaled: Readonly<Record<JournaledOperation, AnyOperation>> = {
  'payments.create': contract.create,
  'payments.authorize': contract.authorize,
  'payments.capture': contract.capture,
  'payments.cancel': contract.cancel,
  'payments.refund': contract.refund,
}

/**
 * Returns a snapshot of a payment. Returns undefined if the response omits the transactions. If response validation is
 * off, they may be null.
 */
export function snapshotOf(payment: PaymentCore): PaymentSnapshot | undefined {
  if (!payment.transactions) return undefined
  return {
    captured: payment.processor?.amountCaptured,
    capturable: remainingCapturable(payment),
    refundable: remainingRefundable(payment),
    refunds: refundTransactions(payment).flatMap((refund) => idOf(refund) ?? []),
    unidentified: refundTransactions(payment).flatMap((refund) => (idOf(refund) ? [] : (refund.amount ?? []))),
  }
}

/** Returns a transaction's ID as the journal stores it. */
export function idOf({ processorTransactionId: id }: Transaction): string | undefined {
  return id === undefined ? undefined : storableText(id)
}

/** Returns the requested amount. For a finished capture without one, returns the captured amount if it is known. */
function amountOf({ before, details }: StoredOperation): number | undefined {
  const { amount, capturedAfter } = details
  if (amount !== undefined || capturedAfter === undefined || before?.captured === undefined) return amount
  return capturedAfter - before.captured
}

/** Returns whether two operations may have the same amount. An omitted amount matches any amount. */
const mayBeEqual = (a: StoredOperation, b: StoredOperation) => agree(amountOf(a), amountOf(b))

/** Returns whether nothing was left to capture or refund before the first request. */
function isImpossible({ operation, before, details }: StoredOperation): boolean {
  const left = operation === 'payments.refund' ? before?.refundable : before?.capturable
  return comparedOperations.includes(operation) && left === 0 && details.amount === undefined
}

/**
 * Returns the effect that a 2xx response reports. If several refunds match, returns the newest. An older refund counts
 * only if no other refund matches, because the response is then a copy of an earlier response.
 */
export function effectOf(row: StoredOperation, payment: PaymentCore, related: readonly StoredOperation[]): Effect {
  if (row.operation === 'payments.refund') {
    const all = newRefunds({ ...row, before: nothing }, payment, related)
    const [earlier, ...others] = all.filter((refund) => !isIneffective(refund))
    const own = newRefunds(row, payment, related).at(-1)
    return refundEffect(payment, own ?? (others.length === 0 ? earlier : undefined))
  }
  const effect = paymentEffect(payment)
  const changesCaptured = row.operation === 'payments.capture' || row.operation === 'payments.cancel'
  return changesCaptured ? { ...effect, capturedAfter: payment.processor?.amountCaptured } : effect
}

const paymentEffect = ({ id, status, dateUpdated }: PaymentCore): Effect => ({ paymentId: id, status, dateUpdated })

const refundEffect = (payment: PaymentCore, refund: Transaction | undefined): Effect => ({
  ...paymentEffect(payment),
  transactionId: refund && idOf(refund),
  status: refund?.processorStatus,
})

/** Returns whether a 2xx response contains no new refund, and so must be a copy of an earlier response. */
export const isReplayed = (row: StoredOperation, payment: PaymentCore): boolean =>
  row.operation === 'payments.refund' && newRefunds(row, payment, []).length === 0

/** Another journal record for the same payment or order. */
export interface Related extends StoredOperation {
  /** Whether the operation is open but will get a definite result, because it is running or will be retried. */
  readonly willBeCertain: boolean
}

/**
 * Searches a fetched payment for the effect of an operation.
 *
 * @param related The other journal records for this payment. Their effects are ignored.
 */
export function findEffect(row: StoredOperation, payment: PaymentCore, related: readonly Related[]): LookupResult {
  const result = search(row, payment, related)
  // A failed payment has no captured amount, so a capture had no effect, even if the result of the search is `unclear`.
  const isEmpty = result === none || row.operation === 'payments.capture'
  if (isEmpty && hasFailed(payment)) return { kind: 'failed' }
  // `before` may come from an earlier operation, and the processor may have captured the payment since then.
  return result === none && isImpossible(row) ? { kind: 'impossible' } : result
}

function search(row: StoredOperation, payment: PaymentCore, related: readonly Related[]): LookupResult {
  const same = related.filter(({ operation }) => operation === row.operation)
  if (isRefused(row) && same.some(mayHaveEffect)) return { kind: 'older-first' }
  switch (row.operation) {
    case 'payments.refund':
      return findRefund(row, payment, same)
    case 'payments.capture':
      return findCapture(row, payment, same)
    default: {
      const body = row.body === undefined ? undefined : JSON.parse(row.body)
      const isVisible = journaled[row.operation].isConsistent?.(payment, body) === true
      if (!isVisible || same.some(({ state }) => state === 'succeeded')) return none
      const first = firstOf(row, unsettledIn(same))
      if (first !== undefined) return first
      return { kind: 'effect', effect: effectOf(row, payment, related) }
    }
  }
}

const none: LookupResult = { kind: 'none' }

/**
 * Returns whether the service rejected every request of this operation, or none was sent. If so, a visible effect
 * belongs to another operation.
 */
const isRefused = (row: StoredOperation) => !mayHaveEffect({ ...row, inFlight: false })

/** Returns the unfinished operations that may have taken effect. */
function unsettledIn(same: readonly Related[]): Related[] {
  return same.filter(mayHaveEffect)
}

function isOlder(a: StoredOperation, b: StoredOperation): boolean {
  const difference = (a.firstSentAt ?? a.createdAt) - (b.firstSentAt ?? b.createdAt)
  return difference < 0 || (difference === 0 && a.key < b.key)
}

/**
 * Returns a lookup result if another open operation must be finished first, because the effect may belong to that
 * operation. Otherwise returns undefined.
 */
function firstOf(row: StoredOperation, unsettled: readonly Related[]): LookupResult | undefined {
  if (unsettled.some((other) => isOlder(other, row))) return { kind: 'older-first' }
  return unsettled.some(({ willBeCertain }) => willBeCertain) ? { kind: 'newer-first' } : undefined
}

/** A snapshot of a payment without captures or refunds. */
const nothing: PaymentSnapshot = { captured: 0, refunds: [] }

/**
 * Searches a payment for an effect that no record explains and that an earlier attempt of this operation may have had.
 * After a backup is restored, the records of such attempts are missing, and the service may have forgotten their keys.
 *
 * @param judged The latest attempt that a person resolved as `not_executed`. Effects that were known at the time of
 * that decision are ignored.
 */
export function findLostEffect(
  row: StoredOperation,
  payment: PaymentCore,
  related: readonly Related[],
  judged: StoredOperation | undefined,
): LookupResult {
  const { amount } = row.details
  const isRefund = row.operation === 'payments.refund'
  const left = isRefund ? remainingRefundable(payment) : remainingCapturable(payment)
  // Does not search if too little is left for the amount, because the service will reject the request.
  if (amount !== undefined && left !== undefined && left < amount) return none
  // An earlier attempt without an amount would have taken everything. Only a refund followed by a capture leaves more.
  if (amount === undefined && !(isRefund && mayFollow(related, payment, left))) return none
  const same = related.filter(({ operation }) => operation === row.operation)
  // The snapshot from the person's decision contains the effects of all earlier records.
  const isRecorded = ({ state, firstSentAt }: StoredOperation) =>
    state === 'succeeded' && (judged === undefined || Number(firstSentAt) > Number(judged.finishedAt))
  const recorded = same.filter(isRecorded)
  const since = { ...row, before: { ...nothing, ...judged?.before } }
  const lost = isRefund
    ? findLostRefund(since, amount, payment, recorded, same)
    : findLostCapture(since, Number(amount), payment, recorded)
  if (lost === none) return none
  // A refund of a different amount cannot have caused this effect.
  const others = isRefund ? same.filter((other) => mayBeEqual(other, row)) : same
  return others.some((other) => mayHaveEffect(other) || other.state === 'needs_review') ? { kind: 'older-first' } : lost
}

/** Returns whether a capture may have followed a refund of everything that was captured before. */
function mayFollow(related: readonly StoredOperation[], { processor }: PaymentCore, refundable = 0): boolean {
  const refunded = Number(processor?.amountCaptured ?? 0) - refundable
  return related.some(({ operation, state, before }) => {
    const { captured = 0 } = before ?? {}
    return operation === 'payments.capture' && state === 'succeeded' && captured > 0 && captured <= refunded
  })
}

function findLostRefund(
  row: StoredOperation,
  amount: number | undefined,
  payment: PaymentCore,
  recorded: readonly StoredOperation[],
  same: readonly StoredOperation[],
): LookupResult {
  if (!payment.transactions) return unclear('the payment has no transactions')
  const all = newRefunds({ ...row, details: {} }, payment, same)
  const found = all.filter((refund) => agree(refund.amount ?? undefined, amount))
  const unidentified = recorded.filter((other) => other.transactionId === undefined && mayBeEqual(other, row))
  const earlier = row.before?.unidentified?.filter((other) => agree(other, amount)) ?? []
  const lost = found.filter((refund) => !isIneffective(refund))
  if (lost.length === 0 || found.length <= unidentified.length + earlier.length) return none
  return withoutRecord(`the refund ${lost.map((refund) => idOf(refund) ?? `of ${refund.amount}`).join(' or ')}`)
}

function findLostCapture(
  { before }: StoredOperation,
  amount: number,
  payment: PaymentCore,
  recorded: readonly StoredOperation[],
): LookupResult {
  if (remainingCapturable(payment) === undefined) return unclear('the captured amount is unknown')
  const captured = payment.processor?.amountCaptured ?? 0
  const lost = captured - (before?.captured ?? 0) - sum(amountsOf(recorded).map((known) => known ?? captured))
  return lost > 0 && lost >= amount ? withoutRecord(`a capture of ${amount}`) : none
}

const withoutRecord = (effect: string): LookupResult =>
  unclear(
    `the payment has ${effect} without a record, which may be this operation: compare with the dashboard, then call resolve`,
  )

function findRefund(row: StoredOperation, payment: PaymentCore, same: readonly Related[]): LookupResult {
  if (!payment.transactions) return unclear('the payment has no transactions')
  const [oldest, ...others] = newRefunds(row, payment, same)
  if (oldest === undefined) return none
  if (isConfusable(row, same)) return unclear(withoutId)
  const unsettled = unsettledRefunds(row, same)
  if (others.length > unsettled.length) return unclear(severalRefunds)
  const first = firstOf(row, unsettled)
  if (first !== undefined) return first
  // `before` may come from an earlier operation and lack a refund that was made outside the journal since then.
  if (isBefore(oldest.date, earliestEffectOf(row))) return unclear('the refund with the requested amount is older')
  return { kind: 'effect', effect: refundEffect(payment, oldest) }
}

const severalRefunds = 'more than one new refund has the requested amount'
const withoutId = 'another refund of the requested amount had no transaction ID'

/** Returns whether a new refund may belong to another operation with the same amount, whose refund had no ID. */
function isConfusable(row: StoredOperation, same: readonly Related[]): boolean {
  const { unidentified } = row.before ?? {}
  const since = unidentified ? Number(row.firstSentAt) : 0
  const isLater = (other: Related) => other.state === 'succeeded' && Number(other.finishedAt) >= since
  const later = same.filter((other) => isLater(other) && other.transactionId === undefined).map(amountOf)
  return [...(unidentified ?? []), ...later].some((amount) => agree(amount, amountOf(row)))
}

const unsettledRefunds = (row: StoredOperation, same: readonly Related[]) =>
  unsettledIn(same).filter((other) => mayBeEqual(other, row))

/**
 * Identifies the effect of an operation whose key the service reports as used. Such a report normally proves the
 * effect, but the service may also send it while the first request is in progress. The result is therefore `none` if
 * the payment shows that the capture or refund did not happen.
 */
export function findOwnEffect(row: StoredOperation, payment: PaymentCore, related: readonly Related[]): LookupResult {
  const same = related.filter(({ operation }) => operation === row.operation)
  if (row.operation === 'payments.refund') return findOwnRefund(row, payment, same)
  const isMissing = row.operation === 'payments.capture' && findCapture(row, payment, same) === none
  if (isMissing && !hasFailed(payment)) return none
  return { kind: 'effect', effect: effectOf(row, payment, related) }
}

/**
 * Matches transactions with refunds of the same amount by age. Returns the transaction of this refund. Ignores older
 * refunds that can no longer be retried, because they may have no transaction.
 */
function findOwnRefund(row: StoredOperation, payment: PaymentCore, same: readonly Related[]): LookupResult {
  const refunds = newRefunds(row, payment, same)
  const unsettled = unsettledRefunds(row, same)
  if (refunds.length === 0) return none
  if (isConfusable(row, same)) return unclear(withoutId)
  if (refunds.length > unsettled.length + 1) return unclear(severalRefunds)
  const isEarlier = (other: Related) => other.willBeCertain && isOlder(other, row)
  const older = unsettled.filter(isEarlier).sort((a, b) => (isOlder(a, b) ? -1 : 1))
  const taken = new Set<Transaction | undefined>()
  for (const other of older) taken.add(newRefunds(other, payment, same).find((refund) => !taken.has(refund)))
  const own = refunds.find((refund) => !taken.has(refund)) ?? refunds.at(-1)
  return { kind: 'effect', effect: refundEffect(payment, own) }
}

/** Returns the new refunds that have the requested amount and belong to no other journal record, oldest first. */
function newRefunds(row: StoredOperation, payment: PaymentCore, related: readonly StoredOperation[]): Transaction[] {
  const { before } = row
  const amount = amountOf(row)
  const known = new Set([...(before?.refunds ?? []), ...related.map(({ transactionId }) => transactionId)])
  return refundTransactions(payment)
    .filter((refund) => idOf(refund) === undefined || !known.has(idOf(refund)))
    .filter((refund) => amount === undefined || refund.amount === amount)
    .filter(({ date }) => before?.refunds !== undefined || !isBefore(date, earliestEffectOf(row)))
    .sort(byDate)
}

/**
 * Infers from the captured amount whether a capture took effect, because the service reports no individual captures.
 *
 * Searches for captures in the journal whose amounts add up to the increase since `before`. If all such combinations
 * contain this capture, it took effect. If none does, it took no effect. If some do and all open captures have the same
 * amount, the oldest open capture took effect. In all other cases, the result is `unclear`.
 */
function findCapture(row: StoredOperation, payment: PaymentCore, same: readonly Related[]): LookupResult {
  const { before } = row
  const captured = payment.processor?.amountCaptured
  if (before?.captured === undefined || captured === undefined) {
    return unclear('the captured amount before or after is unknown')
  }
  const { later, overlapping, unsettled, equal, different } = otherCaptures(row, same)
  const added = captured - before.captured - sum(amountsOf(later).map((amount) => amount ?? 0))
  const others = amountsOf([...equal, ...different])
  const matchesWithout = isSumOf(added, others)
  const matchesWith = isSumOfWith(added, amountOf(row), others)

  const unmatched = unclear('the captured amount does not match the captures in the journal')
  // `before` may come from an earlier operation and lack a capture that was made outside the journal since then.
  const isOld = isBefore(payment.dateUpdated, earliestEffectOf(row))
  const effect: LookupResult = isOld
    ? unclear('the captured amount is older')
    : { kind: 'effect', effect: effectOf(row, payment, same) }
  if (!matchesWith) return matchesWithout ? none : unmatched
  if (!matchesWithout) return effect
  if (overlapping.length > 0) return unmatched
  return firstOf(row, unsettled) ?? (isSumOf(added, amountsOf(different)) ? unmatched : effect)
}

/** Groups the payment's other captures by whether they contributed to the increase since `before`. */
function otherCaptures(row: StoredOperation, same: readonly Related[]) {
  const succeeded = same.filter(({ state }) => state === 'succeeded')
  const unsettled = unsettledIn(same)
  const isEqual = (other: StoredOperation) => amountOf(other) === amountOf(row)
  // Captures that ran at the same time as this capture, so `before` may or may not include their amounts.
  const overlapping = succeeded.filter(
    (other) => isOlder(other, row) && Number(other.finishedAt) >= Number(row.firstSentAt),
  )
  const unresolved = same.filter(({ state }) => state === 'needs_review')
  return {
    /** Captures that certainly contributed to the increase. */
    later: succeeded.filter((other) => isOlder(row, other)),
    overlapping,
    unsettled,
    /** Open captures of the same amount. */
    equal: unsettled.filter(isEqual),
    /** All other captures that may have contributed to the increase. */
    different: [...unsettled.filter((other) => !isEqual(other)), ...overlapping, ...unresolved],
  }
}

const amountsOf = (rows: readonly StoredOperation[]) => rows.map(amountOf)

/** Returns whether some of the amounts add up to `total`. An unknown amount matches any positive amount. */
function isSumOf(total: number, amounts: readonly (number | undefined)[]): boolean {
  // Computes each sum only once, because 40 amounts have a trillion combinations.
  const sums = new Set([0])
  for (const amount of amounts) {
    if (amount === undefined) continue
    for (const sum of [...sums]) if (sum + amount <= total) sums.add(sum + amount)
  }
  return sums.has(total) || (amounts.includes(undefined) && total > 0)
}

/** Returns whether `amount` and some of the other amounts add up to `total`. */
function isSumOfWith(total: number, amount: number | undefined, others: readonly (number | undefined)[]): boolean {
  return amount === undefined ? total > 0 : isSumOf(total - amount, others)
}

/** An order's payments from the payment list, and the data needed to identify one of them. */
export interface Listing {
  readonly payments: readonly PaymentSummary[]
  /** Whether enough time has passed that the list must contain the operation's payment, if it exists. */
  readonly isFinal: boolean
  /** Milliseconds by which the service's clock is ahead of the database's clock. */
  readonly clockOffset: number
}

/** Searches the payments of an order for the payment that an operation created. */
export function findPayment(
  row: StoredOperation,
  { payments, isFinal, clockOffset }: Listing,
  related: readonly Related[],
): LookupResult {
  const { amount, currency } = row.details
  // Ignores the records of captures and refunds: they also contain a payment ID, and would hide a payment whose
  // creation is not yet recorded.
  const creates = related.filter(({ operation }) => operation === 'payments.create')
  const owned = new Set(creates.map(({ paymentId }) => paymentId))
  const found = payments
    .filter(
      (payment) =>
        !owned.has(payment.id) &&
        agree(payment.orderId, row.orderId) &&
        agree(payment.amount, amount) &&
        agree(payment.currencyCode, currency) &&
        !isBefore(payment.date, earliestEffectOf(row, clockOffset)),
    )
    .sort(byDate)
  const haveFailed = found.every(hasFailed)
  // A failed payment may come from another attempt to pay this order, and this operation's payment may appear in the
  // list later.
  if (!isFinal && haveFailed) return { kind: 'not-yet' }
  const [oldest] = found
  if (oldest === undefined) return none
  const equal = creates.filter(({ details }) => agree(details.amount, amount))
  if (isRefused(row)) {
    const isEarlierPlan = (other: StoredOperation) => other.state === 'planned' && isOlder(other, row)
    if (equal.some((other) => mayHaveEffect(other) || isEarlierPlan(other))) return { kind: 'older-first' }
    if (equal.some(({ state }) => state === 'needs_review')) return none
  }
  const unsettled = unsettledIn(equal)
  if (found.length > unsettled.length + 1 && !haveFailed) return unclear('several payments of this order match')
  return firstOf(row, unsettled) ?? { kind: 'effect', effect: { paymentId: oldest.id, status: oldest.status } }
}

/** Returns the earliest time, on the service's clock, at which an operation can have taken effect. */
function earliestEffectOf(row: StoredOperation, clockOffset = row.details.clockOffset ?? 0): number {
  return (row.firstSentAt ?? row.createdAt) + clockOffset - maxClockDifferenceMs
}

function unclear(reason: string): LookupResult {
  return { kind: 'unclear', reason }
}
