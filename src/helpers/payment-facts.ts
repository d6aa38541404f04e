import type { PaymentCore, PaymentStatus, Transaction } from '../schemas/payment.js'
import { toDate } from './dates.js'

const failedStatuses: ReadonlySet<string | undefined> = new Set(['DECLINED', 'FAILED', 'CANCELLED'])

/**
 * Returns whether a status is final: SETTLED, DECLINED, FAILED or CANCELLED. A partly captured payment is also SETTLED,
 * although more can be captured: see `remainingCapturable`.
 *
 * @param status The status of a payment. The result is `false` for `undefined` and for a status that this version of
 * the SDK does not support.
 */
export function isFinal(status: PaymentStatus | undefined): boolean {
  return status === 'SETTLED' || failedStatuses.has(status)
}

export function hasFailed({ status }: { readonly status?: PaymentStatus }): boolean {
  return failedStatuses.has(status)
}

/**
 * Returns the amount that can still be refunded, in minor units: the captured amount minus completed and pending refunds.
 *
 * @param payment A complete payment. The result is `undefined` for a list summary, which lacks the amounts, or if a
 *   refund's amount is missing or negative.
 */
export function remainingRefundable(payment: PaymentCore): number | undefined {
  const captured = payment.processor?.amountCaptured
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
  // Without response validation, an amount may be null.
  if (!amounts.every((amount) => typeof amount === 'number' && amount >= 0)) return undefined
  const [reported, ...listed] = amounts as [number, ...number[]]
  return Math.max(
    reported,
    listed.reduce((sum, amount) => sum + amount, 0),
  )
}

/**
 * Returns the amount that can still be captured, in minor units. After a capture with `final: true` the result is too large,
 * because a payment does not show that a capture was final.
 *
 * @param payment A complete payment. The result is `undefined` if the amounts are missing.
 */
export function remainingCapturable(payment: PaymentCore): number | undefined {
  const { status, amount, processor } = payment
  if (hasFailed(payment)) return 0
  const captured = processor?.amountCaptured ?? (status === 'AUTHORIZED' ? 0 : undefined)
  return amount === undefined || captured === undefined ? undefined : Math.max(0, amount - Math.max(0, captured))
}

/**
 * Returns the most recent transaction of type `REFUND`. Its `processorStatus` is `SETTLED` if the refund succeeded and
 * `FAILED` if it failed. Specification: PAYMENT.REFUND.
 *
 * @param payment A payment. The result is `undefined` if it has no refund.
 */
export function latestRefund(payment: PaymentCore): Transaction | undefined {
  return payment.transactions
    ?.filter(isRefund)
    .reduce<Transaction | undefined>(
      (latest, refund) => (latest !== undefined && timeOf(latest) > timeOf(refund) ? latest : refund),
      undefined,
    )
}

const isRefund = ({ transactionType }: Transaction): boolean => transactionType === 'REFUND'

const isIneffective = ({ processorStatus }: Transaction): boolean => failedStatuses.has(processorStatus)

/** A transaction without a valid date counts as the oldest. */
function timeOf({ date }: Transaction): number {
  try {
    return toDate(date as string).getTime()
  } catch {
    return Number.NEGATIVE_INFINITY
  }
}
