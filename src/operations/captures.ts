import { remainingCapturable } from '../core/helpers/payment-facts.js'
import { sum } from '../core/internal/objects.js'
import { isBefore } from '../core/resources/reconcile.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import type { Effect, LookupResult } from './decide.js'
import type { StoredOperation } from './record.js'
import {
  ambiguousIn,
  amountOf,
  amountsOf,
  earliestEffectOf,
  isOlder,
  noEffect,
  paymentEffect,
  type Related,
  unclear,
  waitForOther,
  withoutRecord,
} from './related.js'

/** Returns the effect of a capture or cancellation, with the captured amount afterwards. */
export const capturedEffect = (payment: PaymentCore): Effect => ({
  ...paymentEffect(payment),
  capturedAfter: payment.processor?.amountCaptured,
})

/**
 * Infers from the captured amount whether a capture took effect, because the service reports no individual captures.
 *
 * Searches for captures in the journal whose amounts add up to the increase since `before`. If all such combinations
 * contain this capture, it took effect. If none does, it took no effect. If some do and all open captures have the same
 * amount, the oldest open capture took effect. In all other cases, the result is `unclear`.
 */
export function findCapture(row: StoredOperation, payment: PaymentCore, same: readonly Related[]): LookupResult {
  const { before } = row
  const captured = payment.processor?.amountCaptured
  if (before?.captured === undefined || captured === undefined) {
    return unclear('the captured amount before or after is unknown')
  }
  const { later, overlapping, ambiguous, equal, different } = otherCaptures(row, same)
  const added = captured - before.captured - sum(amountsOf(later).map((amount) => amount ?? 0))
  const others = amountsOf([...equal, ...different])
  const matchesWithout = isSumOf(added, others)
  const matchesWith = isSumOfWith(added, amountOf(row), others)

  const unmatched = unclear('the captured amount does not match the captures in the journal')
  const ambiguousSum = unclear('several combinations of captures in the journal match the captured amount')
  // `before` may come from an earlier operation and lack a capture that was made outside the journal since then.
  const isOld = isBefore(payment.dateUpdated, earliestEffectOf(row))
  const effect: LookupResult = isOld
    ? unclear('the payment was last updated before this capture was sent')
    : { kind: 'effect', effect: capturedEffect(payment) }
  if (!matchesWith) return matchesWithout ? noEffect : unmatched
  if (!matchesWithout) return effect
  if (overlapping.length > 0) return ambiguousSum
  return waitForOther(row, ambiguous) ?? (isSumOf(added, amountsOf(different)) ? ambiguousSum : effect)
}

/** Groups the payment's other captures by whether they contributed to the increase since `before`. */
function otherCaptures(row: StoredOperation, same: readonly Related[]) {
  const succeeded = same.filter(({ state }) => state === 'succeeded')
  const ambiguous = ambiguousIn(same)
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
    ambiguous,
    /** Open captures of the same amount. */
    equal: ambiguous.filter(isEqual),
    /** All other captures that may have contributed to the increase. */
    different: [...ambiguous.filter((other) => !isEqual(other)), ...overlapping, ...unresolved],
  }
}

/** Returns whether more was captured than the records explain. */
export function findLostCapture(
  { before }: StoredOperation,
  amount: number,
  payment: PaymentCore,
  recorded: readonly StoredOperation[],
): LookupResult {
  if (remainingCapturable(payment) === undefined) return unclear('the captured amount is unknown')
  const captured = payment.processor?.amountCaptured ?? 0
  const lost = captured - (before?.captured ?? 0) - sum(amountsOf(recorded).map((known) => known ?? captured))
  return lost > 0 && lost >= amount ? withoutRecord(`a capture of ${amount}`) : noEffect
}

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
