import type { AnyOperation } from '../contract/operation.js'
import * as contract from '../contract/payments.js'
import { hasFailed, remainingCapturable, remainingRefundable } from '../helpers/payment-facts.js'
import { isBefore, maxClockDifferenceMs } from '../resources/reconcile.js'
import type { PaymentCore, PaymentSummary, Transaction } from '../schemas/payment.js'
import type { Effect, Sighting } from './decide.js'
import { isOpenState, type JournaledOperation, type Knowledge, type StoredOperation } from './record.js'

// Finds the effect of an operation in the current state of its payment.

/** The operations that a journal records. */
export const journaled: Readonly<Record<JournaledOperation, AnyOperation>> = {
  'payments.create': contract.create,
  'payments.authorize': contract.authorize,
  'payments.capture': contract.capture,
  'payments.cancel': contract.cancel,
  'payments.refund': contract.refund,
}

/** Returns the facts about a payment that identify later effects, or undefined if it lacks its transactions. */
export function knowledgeOf(payment: PaymentCore): Knowledge | undefined {
  if (payment.transactions === undefined) return undefined
  return {
    captured: payment.processor?.amountCaptured,
    capturable: remainingCapturable(payment),
    refundable: remainingRefundable(payment),
    refunds: refundsIn(payment).flatMap(({ processorTransactionId: id }) => (id === undefined ? [] : [id])),
  }
}

/** Returns the amount that an operation requests. Without an amount in its body, it is the full rest of the payment. */
function amountOf({ operation, before, details }: StoredOperation): number | undefined {
  return details.amount ?? (operation === 'payments.refund' ? before?.refundable : before?.capturable)
}

/** Returns the effect that a 2xx response reports. If it shows several possible refunds, the newest is this one. */
export function effectOf(row: StoredOperation, payment: PaymentCore, related: readonly StoredOperation[]): Effect {
  if (row.operation === 'payments.refund') return refundEffect(payment, newRefunds(row, payment, related).at(-1))
  if (row.operation === 'payments.capture') return captureEffect(payment)
  return { paymentId: payment.id, status: payment.status }
}

const captureEffect = (payment: PaymentCore): Effect => ({
  paymentId: payment.id,
  status: payment.status,
  capturedAfter: payment.processor?.amountCaptured,
})

const refundEffect = (payment: PaymentCore, refund: Transaction | undefined): Effect => ({
  paymentId: payment.id,
  transactionId: refund?.processorTransactionId,
  status: refund?.processorStatus ?? payment.status,
})

/** Another record of the same payment or order. */
export interface Related extends StoredOperation {
  /** Whether it is open, but its own result will become certain, because it is running or will be resent. */
  readonly willBeCertain: boolean
}

/**
 * Looks for the effect of an operation in its payment.
 *
 * @param related The other records of the payment. Their effects are not this operation's.
 */
export function findEffect(row: StoredOperation, payment: PaymentCore, related: readonly Related[]): Sighting {
  const same = related.filter(({ operation }) => operation === row.operation)
  switch (row.operation) {
    case 'payments.refund':
      return findRefund(row, payment, same)
    case 'payments.capture':
      return findCapture(row, payment, same)
    default: {
      const body = row.body === undefined ? undefined : JSON.parse(row.body)
      const isVisible = journaled[row.operation].isConsistent?.(payment, body) === true
      if (!isVisible || same.some(({ state }) => state === 'succeeded')) return none
      const first = firstOf(row, rivalsIn(same))
      if (first !== undefined) return first
      return { kind: 'effect', effect: { paymentId: payment.id, status: payment.status } }
    }
  }
}

const none: Sighting = { kind: 'none' }

/** Returns the open records that may have taken effect. */
function rivalsIn(same: readonly Related[]): Related[] {
  return same.filter(({ state, firstSentAt }) => isOpenState(state) && firstSentAt !== undefined)
}

function isOlder(a: StoredOperation, b: StoredOperation): boolean {
  const difference = (a.firstSentAt ?? a.createdAt) - (b.firstSentAt ?? b.createdAt)
  return difference < 0 || (difference === 0 && a.key < b.key)
}

/** Returns a sighting if another open record has to be finished first, because the visible effect may be its own. */
function firstOf(row: StoredOperation, rivals: readonly Related[]): Sighting | undefined {
  if (rivals.some((rival) => isOlder(rival, row))) return { kind: 'older-first' }
  return rivals.some(({ willBeCertain }) => willBeCertain) ? { kind: 'newer-first' } : undefined
}

function findRefund(row: StoredOperation, payment: PaymentCore, same: readonly Related[]): Sighting {
  if (payment.transactions === undefined) return unclear('the payment has no transactions')
  const [oldest, ...others] = newRefunds(row, payment, same)
  if (oldest === undefined) return none
  const rivals = equalRefunds(row, same)
  if (others.length > rivals.length) return unclear(severalRefunds)
  return firstOf(row, rivals) ?? { kind: 'effect', effect: refundEffect(payment, oldest) }
}

const severalRefunds = 'more than one new refund has the requested amount'

const equalRefunds = (row: StoredOperation, same: readonly Related[]) =>
  rivalsIn(same).filter((rival) => amountOf(rival) === amountOf(row))

/** Finds the transaction of a refund that took effect for certain. Equal refunds get their transactions by age. */
export function findOwnRefund(row: StoredOperation, payment: PaymentCore, related: readonly Related[]): Sighting {
  const same = related.filter(({ operation }) => operation === row.operation)
  const refunds = newRefunds(row, payment, same)
  const rivals = equalRefunds(row, same)
  if (refunds.length === 0) return none
  if (refunds.length > rivals.length + 1) return unclear(severalRefunds)
  const older = rivals.filter((rival) => isOlder(rival, row)).sort((a, b) => (isOlder(a, b) ? -1 : 1))
  const taken = new Set<Transaction | undefined>()
  for (const rival of older) taken.add(newRefunds(rival, payment, same).find((refund) => !taken.has(refund)))
  const own = refunds.find((refund) => !taken.has(refund)) ?? refunds.at(-1)
  return { kind: 'effect', effect: refundEffect(payment, own) }
}

/** Returns the refunds of the requested amount that are new and belong to no other record, oldest first. */
function newRefunds(row: StoredOperation, payment: PaymentCore, related: readonly StoredOperation[]): Transaction[] {
  const { before } = row
  const amount = amountOf(row)
  const known = new Set([...(before?.refunds ?? []), ...related.map(({ transactionId }) => transactionId)])
  return refundsIn(payment)
    .filter(({ processorTransactionId: id }) => id === undefined || !known.has(id))
    .filter((refund) => amount === undefined || refund.amount === amount)
    .filter(({ date }) => before?.refunds !== undefined || !isBefore(date, startOf(row)))
    .sort((a, b) => String(a.date).localeCompare(String(b.date)))
}

const refundsIn = ({ transactions = [] }: PaymentCore): Transaction[] =>
  transactions.filter(({ transactionType }) => transactionType === 'REFUND')

/**
 * Finds the effect of a capture in the captured amount, because the service does not report single captures.
 *
 * The amount that was added since `before` must be the sum of captures in the journal. If only sums with this capture
 * match, it took effect. If only sums without it match, it did not. If both match, the oldest of equal captures gets the
 * effect, and any other ambiguity is unclear.
 */
function findCapture(row: StoredOperation, payment: PaymentCore, same: readonly Related[]): Sighting {
  const { before } = row
  const amount = amountOf(row)
  const captured = payment.processor?.amountCaptured
  if (amount === undefined || before?.captured === undefined || captured === undefined) {
    return unclear('the captured amount before or after is unknown')
  }
  const { later, overlapping, rivals, equal, different } = otherCaptures(row, same)
  const added = captured - before.captured - sum(amountsOf(later))
  const others = amountsOf([...equal, ...different])
  const matchesWithout = isSumOf(added, others)
  const matchesWith = isSumOf(added - amount, others)

  const unmatched = unclear('the captured amount does not match the captures in the journal')
  const effect: Sighting = { kind: 'effect', effect: captureEffect(payment) }
  if (!matchesWith) return matchesWithout ? none : unmatched
  if (!matchesWithout) return effect
  if (overlapping.length > 0) return unmatched
  return firstOf(row, rivals) ?? (isSumOf(added, amountsOf(different)) ? unmatched : effect)
}

/** Returns the other captures of a payment, by their possible share in the amount that was added since `before`. */
function otherCaptures(row: StoredOperation, same: readonly Related[]) {
  const succeeded = same.filter(({ state }) => state === 'succeeded')
  const rivals = rivalsIn(same)
  const isEqual = (other: StoredOperation) => amountOf(other) === amountOf(row)
  // These started before this operation and were finished after it, so `before` may or may not include them.
  const overlapping = succeeded.filter(
    (other) => isOlder(other, row) && Number(other.finishedAt) >= Number(row.firstSentAt),
  )
  const unresolved = same.filter(({ state }) => state === 'needs_review')
  return {
    /** Captures that added their amount for certain. */
    later: succeeded.filter((other) => isOlder(row, other)),
    overlapping,
    rivals,
    /** Open captures of the same amount. */
    equal: rivals.filter(isEqual),
    /** Captures that may have added their amount, except `equal`. */
    different: [...rivals.filter((rival) => !isEqual(rival)), ...overlapping, ...unresolved],
  }
}

const amountsOf = (rows: readonly StoredOperation[]): number[] => rows.map((row) => amountOf(row) ?? 0)

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)

/** Returns whether some of the amounts add up to `total`. */
function isSumOf(total: number, [first, ...others]: readonly number[]): boolean {
  if (total === 0) return true
  return first !== undefined && total > 0 && (isSumOf(total - first, others) || isSumOf(total, others))
}

/** The payments that a list returned for an order, and the facts that give them a meaning. */
export interface Listing {
  readonly payments: readonly PaymentSummary[]
  /** Whether a payment of this operation would be in the list by now. */
  readonly isFinal: boolean
  /** Milliseconds from the database's clock to the service's clock. */
  readonly clockOffset: number
}

/** Looks for the payment that an operation created in the list of its order. */
export function findPayment(
  row: StoredOperation,
  { payments, isFinal, clockOffset }: Listing,
  related: readonly Related[],
): Sighting {
  const { amount, currency } = row.details
  // Captures and refunds of a payment do not own it: they may be made before the result of its creation is known.
  const creates = related.filter(({ operation }) => operation === 'payments.create')
  const owned = new Set(creates.map(({ paymentId }) => paymentId))
  const agree = (a: unknown, b: unknown) => a === undefined || b === undefined || a === b
  const [found, ...others] = payments.filter(
    (payment) =>
      !owned.has(payment.id) &&
      agree(payment.orderId, row.orderId) &&
      agree(payment.amount, amount) &&
      agree(payment.currencyCode, currency) &&
      !isBefore(payment.date, startOf(row, clockOffset)),
  )
  if (found === undefined) return isFinal ? none : { kind: 'not-yet' }
  // A failed payment may be another attempt, made elsewhere, whose successful payment is not yet in the list.
  if (!isFinal && [found, ...others].every(hasFailed)) return { kind: 'not-yet' }
  if (others.length > 0) return unclear('several payments of this order match')
  const rivals = rivalsIn(creates).filter(({ details }) => agree(details.amount, amount))
  return firstOf(row, rivals) ?? { kind: 'effect', effect: { paymentId: found.id, status: found.status } }
}

/** Returns the earliest time, on the service's clock, at which an effect of this operation can have its date. */
function startOf({ firstSentAt, createdAt, details }: StoredOperation, clockOffset = 0): number {
  return (firstSentAt ?? createdAt) + (details.clockOffset ?? clockOffset) - maxClockDifferenceMs
}

function unclear(reason: string): Sighting {
  return { kind: 'unclear', reason }
}
