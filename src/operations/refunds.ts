import { isIneffective, refundTransactions } from '../core/helpers/payment-facts.js'
import { agree } from '../core/internal/objects.js'
import { isBefore } from '../core/resources/reconcile.js'
import type { PaymentCore, Transaction } from '../core/schemas/payment.js'
import type { Effect, LookupResult } from './decide.js'
import type { StoredOperation } from './record.js'
import {
  ambiguousIn,
  amountOf,
  earliestEffectOf,
  emptySnapshot,
  isOlder,
  mayBeEqual,
  noEffect,
  paymentEffect,
  type Related,
  unclear,
  waitForOther,
  withoutRecord,
} from './related.js'
import { storableText } from './rules.js'

/** Returns a transaction's ID as the journal stores it. */
export function idOf({ processorTransactionId: id }: Transaction): string | undefined {
  return id === undefined ? undefined : storableText(id)
}

/**
 * Returns the effect of a refund that a 2xx response reports. If several refunds match, returns the newest. An older
 * refund counts only if no other refund matches, because the response is then a copy of an earlier response.
 */
export function reportedRefund(
  row: StoredOperation,
  payment: PaymentCore,
  related: readonly StoredOperation[],
): Effect {
  const all = newRefunds({ ...row, before: emptySnapshot }, payment, related)
  const [earlier, ...others] = all.filter((refund) => !isIneffective(refund))
  const own = newRefunds(row, payment, related).at(-1)
  return refundEffect(payment, own ?? (others.length === 0 ? earlier : undefined))
}

const refundEffect = (payment: PaymentCore, refund: Transaction | undefined): Effect => ({
  ...paymentEffect(payment),
  transactionId: refund && idOf(refund),
  status: refund?.processorStatus,
})

/** Returns whether a 2xx response contains no new refund, and so must be a copy of an earlier response. */
export const isReplayed = (row: StoredOperation, payment: PaymentCore): boolean =>
  row.operation === 'payments.refund' && newRefunds(row, payment, []).length === 0

/** Searches a payment for the transaction of a refund whose response is unknown. */
export function findRefund(row: StoredOperation, payment: PaymentCore, same: readonly Related[]): LookupResult {
  if (!payment.transactions) return unclear('the payment has no transactions')
  const [oldest, ...others] = newRefunds(row, payment, same)
  if (oldest === undefined) return noEffect
  if (isConfusable(row, same)) return unclear(withoutId)
  const ambiguous = ambiguousRefunds(row, same)
  if (others.length > ambiguous.length) return unclear(severalRefunds)
  const first = waitForOther(row, ambiguous)
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

const ambiguousRefunds = (row: StoredOperation, same: readonly Related[]) =>
  ambiguousIn(same).filter((other) => mayBeEqual(other, row))

/**
 * Matches transactions with refunds of the same amount by age. Returns the transaction of this refund. Ignores older
 * refunds that can no longer be retried, because they may have no transaction.
 */
export function findOwnRefund(row: StoredOperation, payment: PaymentCore, same: readonly Related[]): LookupResult {
  const refunds = newRefunds(row, payment, same)
  const ambiguous = ambiguousRefunds(row, same)
  if (refunds.length === 0) return noEffect
  if (isConfusable(row, same)) return unclear(withoutId)
  if (refunds.length > ambiguous.length + 1) return unclear(severalRefunds)
  const isEarlier = (other: Related) => other.willBeCertain && isOlder(other, row)
  const older = ambiguous.filter(isEarlier).sort((a, b) => (isOlder(a, b) ? -1 : 1))
  const taken = new Set<Transaction | undefined>()
  for (const other of older) taken.add(newRefunds(other, payment, same).find((refund) => !taken.has(refund)))
  const own = refunds.find((refund) => !taken.has(refund)) ?? refunds.at(-1)
  return { kind: 'effect', effect: refundEffect(payment, own) }
}

/** Searches a payment for a refund of the same amount that has no record. */
export function findLostRefund(
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
  if (lost.length === 0 || found.length <= unidentified.length + earlier.length) return noEffect
  return withoutRecord(`the refund ${lost.map((refund) => idOf(refund) ?? `of ${refund.amount}`).join(' or ')}`)
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
}
