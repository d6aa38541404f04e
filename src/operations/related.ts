import { agree } from '../core/internal/objects.js'
import { maxClockDifferenceMs } from '../core/resources/reconcile.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import type { Effect, LookupResult } from './decide.js'
import { mayHaveEffect, type PaymentSnapshot, type StoredOperation } from './record.js'

/** Another journal record for the same payment or order. */
export interface Related extends StoredOperation {
  /** Whether the operation is open but will probably get a definite result, because it is running or may be retried. */
  readonly willBeCertain: boolean
}

/** A snapshot of a payment without captures or refunds. */
export const emptySnapshot: PaymentSnapshot = { captured: 0, refunds: [] }

/** The payment shows no effect of the operation. */
export const noEffect: LookupResult = { kind: 'none' }

export function unclear(reason: string): LookupResult {
  return { kind: 'unclear', reason }
}

export const withoutRecord = (effect: string): LookupResult =>
  unclear(
    `the payment has ${effect} without a record, which may be this operation: compare with the dashboard, then call resolve`,
  )

/** Returns the requested amount. For a finished capture without one, returns the captured amount if it is known. */
export function amountOf({ before, details }: StoredOperation): number | undefined {
  const { amount, capturedAfter } = details
  if (amount !== undefined || capturedAfter === undefined || before?.captured === undefined) return amount
  return capturedAfter - before.captured
}

/** Returns whether two operations may have the same amount. An omitted amount matches any amount. */
export const mayBeEqual = (a: StoredOperation, b: StoredOperation) => agree(amountOf(a), amountOf(b))

export const amountsOf = (rows: readonly StoredOperation[]) => rows.map(amountOf)

/** Returns the unfinished operations that may have taken effect. */
export function ambiguousIn(same: readonly Related[]): Related[] {
  return same.filter(mayHaveEffect)
}

export function isOlder(a: StoredOperation, b: StoredOperation): boolean {
  const difference = (a.firstSentAt ?? a.createdAt) - (b.firstSentAt ?? b.createdAt)
  return difference < 0 || (difference === 0 && a.key < b.key)
}

/**
 * Returns a lookup result if another open operation must be finished first, because the effect may belong to that
 * operation. Otherwise returns undefined.
 */
export function waitForOther(row: StoredOperation, ambiguous: readonly Related[]): LookupResult | undefined {
  if (ambiguous.some((other) => isOlder(other, row))) return { kind: 'other-first' }
  return ambiguous.some(({ willBeCertain }) => willBeCertain) ? { kind: 'newer-first' } : undefined
}

/** Returns the earliest time, on the service's clock, at which an operation can have taken effect. */
export function earliestEffectOf(row: StoredOperation, clockOffset = row.details.clockOffset ?? 0): number {
  return (row.firstSentAt ?? row.createdAt) + clockOffset - maxClockDifferenceMs
}

export const paymentEffect = ({ id, status, dateUpdated }: PaymentCore): Effect => ({
  paymentId: id,
  status,
  dateUpdated,
})
