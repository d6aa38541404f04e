import type { AnyOperation } from '../core/contract/operation.js'
import * as contract from '../core/contract/payments.js'
import {
  byDate,
  hasFailed,
  refundTransactions,
  remainingCapturable,
  remainingRefundable,
} from '../core/helpers/payment-facts.js'
import { agree } from '../core/internal/objects.js'
import { isBefore } from '../core/resources/reconcile.js'
import type { PaymentCore, PaymentSummary } from '../core/schemas/payment.js'
import { capturedEffect, findCapture, findLostCapture } from './captures.js'
import type { Effect, LookupResult } from './decide.js'
import {
  comparedOperations,
  type JournaledOperation,
  mayHaveEffect,
  type PaymentSnapshot,
  type StoredOperation,
} from './record.js'
import { findLostRefund, findOwnRefund, findRefund, idOf, reportedRefund } from './refunds.js'
import {
  ambiguousIn,
  earliestEffectOf,
  emptySnapshot,
  isOlder,
  mayBeEqual,
  noEffect,
  paymentEffect,
  type Related,
  unclear,
  waitForOther,
} from './related.js'

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

/** Returns whether a capture or refund of the whole rest had nothing left to capture or refund. */
function isImpossible({ operation, before, details }: StoredOperation): boolean {
  const left = operation === 'payments.refund' ? before?.refundable : before?.capturable
  return comparedOperations.includes(operation) && left === 0 && details.amount === undefined
}

/** Returns the effect that a 2xx response reports. */
export function effectOf(row: StoredOperation, payment: PaymentCore, related: readonly StoredOperation[]): Effect {
  switch (row.operation) {
    case 'payments.refund':
      return reportedRefund(row, payment, related)
    case 'payments.capture':
    case 'payments.cancel':
      return capturedEffect(payment)
    default:
      return paymentEffect(payment)
  }
}

/**
 * Searches a fetched payment for the effect of an operation.
 *
 * @param related The other journal records for this payment. Their effects are ignored.
 */
export function findEffect(row: StoredOperation, payment: PaymentCore, related: readonly Related[]): LookupResult {
  const result = search(row, payment, related)
  // If a failed payment has no captured amount, a capture had no effect, even if the result of the search is `unclear`.
  const isUncaptured = row.operation === 'payments.capture' && !payment.processor?.amountCaptured
  if ((result === noEffect || isUncaptured) && hasFailed(payment)) return { kind: 'failed' }
  // `before` may come from an earlier operation, and the processor may have captured the payment since then.
  return result === noEffect && isImpossible(row) ? { kind: 'impossible' } : result
}

function search(row: StoredOperation, payment: PaymentCore, related: readonly Related[]): LookupResult {
  const same = related.filter(({ operation }) => operation === row.operation)
  if (cannotHaveEffect(row) && same.some(mayHaveEffect)) return { kind: 'other-first' }
  switch (row.operation) {
    case 'payments.refund':
      return findRefund(row, payment, same)
    case 'payments.capture':
      return findCapture(row, payment, same)
    default: {
      const body = row.body === undefined ? undefined : JSON.parse(row.body)
      const isVisible = journaled[row.operation].isConsistent?.(payment, body) === true
      if (!isVisible || same.some(({ state }) => state === 'succeeded')) return noEffect
      const first = waitForOther(row, ambiguousIn(same))
      if (first !== undefined) return first
      return { kind: 'effect', effect: effectOf(row, payment, related) }
    }
  }
}

/**
 * Returns whether the service rejected every request of this operation, or none was sent. If so, a visible effect
 * belongs to another operation.
 */
const cannotHaveEffect = (row: StoredOperation) => !mayHaveEffect({ ...row, inFlight: false })

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
  if (amount !== undefined && left !== undefined && left < amount) return noEffect
  // An earlier attempt without an amount would have taken everything. Only a refund followed by a capture leaves more.
  if (amount === undefined && !(isRefund && mayFollow(related, payment, left))) return noEffect
  const same = related.filter(({ operation }) => operation === row.operation)
  // The snapshot from the person's decision contains the effects of all earlier records.
  const isRecorded = ({ state, firstSentAt }: StoredOperation) =>
    state === 'succeeded' && (judged === undefined || Number(firstSentAt) > Number(judged.finishedAt))
  const recorded = same.filter(isRecorded)
  const since = { ...row, before: { ...emptySnapshot, ...judged?.before } }
  const lost = isRefund
    ? findLostRefund(since, amount, payment, recorded, same)
    : findLostCapture(since, Number(amount), payment, recorded)
  if (lost === noEffect) return noEffect
  // A refund of a different amount cannot have caused this effect.
  const others = isRefund ? same.filter((other) => mayBeEqual(other, row)) : same
  return others.some((other) => mayHaveEffect(other) || other.state === 'needs_review') ? { kind: 'other-first' } : lost
}

/** Returns whether a capture may have followed a refund of everything that was captured before. */
function mayFollow(related: readonly StoredOperation[], { processor }: PaymentCore, refundable = 0): boolean {
  const refunded = Number(processor?.amountCaptured ?? 0) - refundable
  return related.some(({ operation, state, before }) => {
    const { captured = 0 } = before ?? {}
    return operation === 'payments.capture' && state === 'succeeded' && captured > 0 && captured <= refunded
  })
}

/**
 * Identifies the effect of an operation whose key the service reports as used. Such a report normally proves the
 * effect, but the service may also send it while the first request is in progress. The result is therefore `none` if
 * the payment shows that the capture or refund did not happen.
 */
export function findOwnEffect(row: StoredOperation, payment: PaymentCore, related: readonly Related[]): LookupResult {
  const same = related.filter(({ operation }) => operation === row.operation)
  if (row.operation === 'payments.refund') return findOwnRefund(row, payment, same)
  const isMissing = row.operation === 'payments.capture' && findCapture(row, payment, same) === noEffect
  if (isMissing && !hasFailed(payment)) return noEffect
  return { kind: 'effect', effect: effectOf(row, payment, related) }
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
  if (oldest === undefined) return noEffect
  const equal = creates.filter(({ details }) => agree(details.amount, amount))
  if (cannotHaveEffect(row)) {
    const isEarlierPlan = (other: StoredOperation) => other.state === 'planned' && isOlder(other, row)
    if (equal.some((other) => mayHaveEffect(other) || isEarlierPlan(other))) return { kind: 'other-first' }
    if (equal.some(({ state }) => state === 'needs_review')) return noEffect
  }
  const ambiguous = ambiguousIn(equal)
  if (found.length > ambiguous.length + 1 && !haveFailed) return unclear('several payments of this order match')
  return waitForOther(row, ambiguous) ?? { kind: 'effect', effect: { paymentId: oldest.id, status: oldest.status } }
}
