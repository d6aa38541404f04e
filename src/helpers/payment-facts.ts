import type { PaymentCore, PaymentStatus, Transaction } from '../schemas/payment.js'
import { toDate } from './dates.js'

const failedStatuses: ReadonlySet<string | undefined> = new Set(['DECLINED', 'FAILED', 'CANCELLED'])

/**
 * Returns whether a payment stays in this status: SETTLED, DECLINED, FAILED or CANCELLED.
 *
 * @param status Returns `false` for a status that this version does not know.
 */
export function isFinal(status: PaymentStatus): boolean {
  return status === 'SETTLED' || failedStatuses.has(status)
}

/** Returns whether a payment is DECLINED, FAILED or CANCELLED. */
export function hasFailed({ status }: { readonly status?: PaymentStatus }): boolean {
  return failedStatuses.has(status)
}

/**
 * Returns the amount that can still be refunded, in minor units: captured, and neither refunded nor in a pending refund.
 * It is never more than the captured amount.
 *
 * @param payment Returns `undefined` if the payment lacks the data, as a row of a list does, or if the amount of a refund
 * is missing or negative.
 */
export function remainingRefundable(payment: PaymentCore): number | undefined {
  const captured = payment.processor?.amountCaptured
  const refunded = amountRefunded(payment)
  return captured === undefined || refunded === undefined ? undefined : Math.max(0, captured - refunded)
}

/** Returns the processor's amount, or the sum of the refunds if that is larger because one is pending. */
function amountRefunded({ processor, transactions }: PaymentCore): number | undefined {
  const refunds = transactions?.filter((transaction) => isRefund(transaction) && !isIneffective(transaction))
  const amounts = [processor?.amountRefunded ?? 0, ...(refunds ?? []).map(({ amount }) => amount)]
  if (processor?.amountRefunded === undefined && refunds === undefined) return undefined
  // An unvalidated response may contain null.
  if (!amounts.every((amount) => typeof amount === 'number' && amount >= 0)) return undefined
  const [reported, ...listed] = amounts as [number, ...number[]]
  return Math.max(
    reported,
    listed.reduce((sum, amount) => sum + amount, 0),
  )
}

/**
 * Returns the amount that can still be captured, in minor units, unless a final capture was made: the payment does not
 * show that. It is never more than the authorized amount.
 *
 * @param payment Returns `undefined` if the payment lacks the data.
 */
export function remainingCapturable(payment: PaymentCore): number | undefined {
  const { status, amount, processor } = payment
  if (hasFailed(payment)) return 0
  const captured = processor?.amountCaptured ?? (status === 'AUTHORIZED' ? 0 : undefined)
  return amount === undefined || captured === undefined ? undefined : Math.max(0, amount - Math.max(0, captured))
}

/**
 * Returns the most recent transaction of type `REFUND`, which decides. Its `processorStatus` is `SETTLED` if the refund
 * succeeded and `FAILED` if it failed. Specification: PAYMENT.REFUND.
 *
 * @param payment Returns `undefined` if it has no refund.
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

/** Transactions without a readable date come first, in the service's order. */
function timeOf({ date }: Transaction): number {
  try {
    return toDate(date as string).getTime()
  } catch {
    return Number.NEGATIVE_INFINITY
  }
}
