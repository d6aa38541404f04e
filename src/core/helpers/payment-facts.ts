import { RequestValidationError } from '../errors.js'
import { parsePrecisely } from '../internal/calendar.js'
import { sum } from '../internal/objects.js'
import type { KnownPaymentStatus, PaymentCore, PaymentStatus, Transaction } from '../schemas/payment.js'
import type { DateTime } from '../schemas/schema.js'

/** The meaning of each status. A payment with an unknown status is open, because it may still be paid. */
const meanings = {
  PENDING: 'open',
  AUTHORIZED: 'open',
  SETTLING: 'paid',
  PARTIALLY_SETTLED: 'paid',
  SETTLED: 'paid',
  DECLINED: 'failed',
  FAILED: 'failed',
  CANCELLED: 'failed',
} as const satisfies Record<KnownPaymentStatus, string>

export const paymentStatuses = /* @__PURE__ */ Object.keys(meanings) as KnownPaymentStatus[]

function meaningOf(status: PaymentStatus | undefined): 'open' | 'paid' | 'failed' {
  return Object.hasOwn(meanings, status ?? '') ? meanings[status as KnownPaymentStatus] : 'open'
}

/** The fields of a payment that show its state. */
interface PaymentState {
  readonly id: string
  readonly status?: PaymentStatus | undefined
}

/**
 * Returns a payment unchanged. Rejects other objects, because their missing status would count as open.
 *
 * @throws {RequestValidationError} The object has no `id`.
 */
function checked<T extends { readonly id: string }>(payment: T): T {
  const { id, payment: nested } = Object(payment) as { id?: unknown; payment?: unknown }
  if (id !== undefined && id !== null) return payment
  const message = `must have an id: pass ${nested === undefined ? 'a payment of the client' : 'the field payment of this object'}`
  throw new RequestValidationError([{ path: ['payment'], code: 'missing', message }])
}

/**
 * Returns whether a status is final: SETTLED, DECLINED, FAILED or CANCELLED. A partly captured payment is also SETTLED,
 * although more can be captured: see `remainingCapturable`.
 *
 * @param status The status of a payment. The result is `false` for `undefined` and for a status that this version of
 * the client does not support.
 */
export function isFinal(status: PaymentStatus | undefined): boolean {
  return status === 'SETTLED' || meaningOf(status) === 'failed'
}

/**
 * Returns whether the customer's money was captured, or is being captured: SETTLING, PARTIALLY_SETTLED or SETTLED. The
 * captured amount may be less than the full amount: see `remainingCapturable`.
 *
 * @param payment A payment, or its summary in a list.
 * @throws {RequestValidationError} The object has no `id`, for example the result of `operations.run`.
 */
export function isPaid(payment: PaymentState): boolean {
  return meaningOf(checked(payment).status) === 'paid'
}

/**
 * Returns whether a payment may still be paid, and no amount was captured yet: PENDING, AUTHORIZED, or a status that
 * this version of the package does not support. Do not ask for another payment, because the customer could pay twice.
 *
 * @param payment A payment, or its summary in a list.
 * @throws {RequestValidationError} The object has no `id`, for example the result of `operations.run`.
 */
export function isOpen(payment: PaymentState): boolean {
  return meaningOf(checked(payment).status) === 'open'
}

/** Returns whether a payment or refund has failed, so no money moves. */
export function hasFailed({ status }: { readonly status?: PaymentStatus | undefined }): boolean {
  return meaningOf(status) === 'failed'
}

/**
 * Returns the amount that can still be refunded, in minor units: captured minus completed and pending refunds.
 *
 * @param payment A complete payment. The result is `undefined` for a list summary, which lacks the amounts, or if a
 *   refund's amount is missing or negative.
 */
export function remainingRefundable(payment: PaymentCore): number | undefined {
  const captured = checked(payment).processor?.amountCaptured
  const refunded = amountRefunded(payment)
  return captured === undefined || refunded === undefined ? undefined : Math.max(0, captured - refunded)
}

/**
 * Returns the larger of two amounts: the refunds that the processor reports, and the sum of the refund transactions.
 * Only the transactions include pending refunds.
 */
function amountRefunded({ processor, transactions }: PaymentCore): number | undefined {
  const refunds = transactions?.filter((transaction) => isRefund(transaction) && !isIneffective(transaction))
  const amounts = [processor?.amountRefunded ?? 0, ...(refunds ?? []).map(({ amount }) => amount)]
  if (processor?.amountRefunded === undefined && refunds === undefined) return undefined
  // If response validation is off, an amount may be null, so every amount is checked.
  if (!amounts.every((amount) => typeof amount === 'number' && amount >= 0)) return undefined
  const [reported, ...listed] = amounts as [number, ...number[]]
  return Math.max(reported, sum(listed))
}

/**
 * Returns the amount that can still be captured, in minor units. After a capture with `final: true` the result is too
 * large, because a payment does not show that a capture was final.
 *
 * @param payment A complete payment. The result is `undefined` if the amounts are missing.
 */
export function remainingCapturable(payment: PaymentCore): number | undefined {
  const { status, amount, processor } = checked(payment)
  if (hasFailed(payment)) return 0
  const captured = processor?.amountCaptured ?? (status === 'AUTHORIZED' ? 0 : undefined)
  return amount === undefined || captured === undefined ? undefined : Math.max(0, amount - Math.max(0, captured))
}

/**
 * Returns whether `a` is a newer state of a payment than `b`. Compares `dateUpdated`, or `date` if it is missing,
 * including microseconds. `date` is the time of creation, so it does not show which state is newer. Therefore, also
 * call `isFinal`, as in the example.
 *
 * @param a A payment, for example from an event. The result is `false` if it has no valid time.
 * @param b Another state of the same payment, for example from your database. A state without a valid time is older.
 * @example
 * const isOutdated = isFinal(stored.status) || isNewer(stored, event.payment)
 * if (isFinal(event.payment.status) || !isOutdated) await save(event.payment)
 */
export function isNewer(a: Dated, b: Dated): boolean {
  return timeOf(a) > timeOf(b)
}

interface Dated {
  readonly dateUpdated?: DateTime | undefined
  readonly date?: DateTime | undefined
}

/** A refund of a payment. The service may omit any field. */
export interface Refund {
  /** The `processorTransactionId` of the refund's transaction. */
  readonly transactionId?: string
  /** Minor units of the payment's currency. */
  readonly amount?: number
  /** `SETTLED` if the refund succeeded, and `FAILED` if it failed. */
  readonly status?: Transaction['processorStatus']
  /** Time of the transaction, in UTC. The service may update it when the refund ends. */
  readonly date?: DateTime
}

/**
 * Returns all refunds of a payment, oldest first.
 *
 * @param payment A complete payment. The result is empty if it has no `transactions`.
 * @example
 * for (const { transactionId, amount, status } of refundsOf(event.payment)) await saveRefund(transactionId, amount, status)
 */
export function refundsOf(payment: PaymentCore): Refund[] {
  return refundTransactions(checked(payment)).map(({ processorTransactionId, amount, processorStatus, date }) => ({
    ...(processorTransactionId !== undefined && { transactionId: processorTransactionId }),
    ...(amount !== undefined && { amount }),
    ...(processorStatus !== undefined && { status: processorStatus }),
    ...(date !== undefined && { date }),
  }))
}

/**
 * Returns the refund that a call added to a payment: the refund that is in `after`, but not in `before`. Returns the
 * oldest if there are several, and undefined if there is none.
 *
 * @param before The payment before the refund.
 * @param after The payment after the refund.
 * @param amount The requested amount, in minor units. Refunds of other amounts are ignored. @default any amount
 * @example
 * const before = await client.payments.get(id)
 * const refund = findNewRefund(before, await client.payments.refund(id, { amount: 500 }), 500)
 */
export function findNewRefund(before: PaymentCore, after: PaymentCore, amount?: number): Refund | undefined {
  const unmatched = refundsOf(before)
  const added = refundsOf(after).filter((refund) => {
    const index = unmatched.findIndex((known) => isSame(known, refund))
    if (index >= 0) unmatched.splice(index, 1)
    return index < 0
  })
  return added.find((refund) => amount === undefined || refund.amount === amount)
}

/**
 * Returns whether two refunds are the same. Compares their transaction IDs, or their amounts and dates if there are no
 * IDs.
 */
function isSame(a: Refund, b: Refund): boolean {
  if (a.transactionId !== undefined || b.transactionId !== undefined) return a.transactionId === b.transactionId
  return a.amount === b.amount && a.date === b.date
}

/**
 * Returns the most recent transaction of type `REFUND`. Its `processorStatus` is `SETTLED` if the refund succeeded and
 * `FAILED` if it failed. If a payment can have several refunds, use `refundsOf` or `findNewRefund` instead.
 * Specification: PAYMENT.REFUND.
 *
 * @param payment A payment. The result is `undefined` if it has no refund.
 */
export function latestRefund(payment: PaymentCore): Transaction | undefined {
  return refundTransactions(checked(payment)).at(-1)
}

/** Returns the transactions of type `REFUND`, oldest first. */
export function refundTransactions({ transactions }: PaymentCore): Transaction[] {
  // If response validation is off, `transactions` may be null.
  return (transactions ?? []).filter(isRefund).sort(byDate)
}

const isRefund = ({ transactionType }: Transaction): boolean => transactionType === 'REFUND'

/** Compares two values by `date` for `sort`: oldest first, values without a valid date before all others. */
export function byDate({ date: a }: Dated, { date: b }: Dated): number {
  return Number(isNewer({ date: a }, { date: b })) - Number(isNewer({ date: b }, { date: a }))
}

/** Returns whether a refund failed, so it does not reduce the refundable amount. */
export function isIneffective({ processorStatus }: Transaction): boolean {
  return meaningOf(processorStatus) === 'failed'
}

/** Returns the time of a payment state in milliseconds since 1970. A state without a valid time is the oldest. */
function timeOf({ dateUpdated, date }: Dated): number {
  const time = parsePrecisely(dateUpdated ?? date)
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time
}
