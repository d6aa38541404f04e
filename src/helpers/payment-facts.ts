import type { PaymentCore, PaymentStatus, Transaction } from '../schemas/payment.js'
import { toDate } from './dates.js'

const finalStatuses: ReadonlySet<string> = new Set(['SETTLED', 'DECLINED', 'FAILED', 'CANCELLED'])
const ineffective: ReadonlySet<string | undefined> = new Set(['DECLINED', 'FAILED', 'CANCELLED'])

/** Whether a payment stays in this status. `false` for a status that this version does not know. */
export function isFinal(status: PaymentStatus): boolean {
  return finalStatuses.has(status)
}

/**
 * What can still be refunded, in minor units: captured, and neither refunded nor being refunded.
 *
 * `undefined` where the payment does not say what was captured and refunded, as in a row of a list.
 */
export function remainingRefundable(payment: PaymentCore): number | undefined {
  const captured = payment.processor?.amountCaptured
  const refunded = amountRefunded(payment)
  return captured === undefined || refunded === undefined ? undefined : Math.max(0, captured - refunded)
}

/** The processor's figure, or the refunds under way where those are more. */
function amountRefunded({ processor, transactions }: PaymentCore): number | undefined {
  const listed =
    transactions && sum(refunds(transactions).filter(({ processorStatus }) => !ineffective.has(processorStatus)))
  if (processor?.amountRefunded === undefined) return listed
  return Math.max(processor.amountRefunded, listed ?? 0)
}

function sum(transactions: Transaction[]): number | undefined {
  return transactions.reduce<number | undefined>(
    (total, { amount }) => (total === undefined || amount === undefined ? undefined : total + amount),
    0,
  )
}

/**
 * What can still be captured, in minor units, provided that no final capture was made: the payment does not tell.
 *
 * `undefined` where the payment does not say what was authorized and captured.
 */
export function remainingCapturable(payment: PaymentCore): number | undefined {
  const { status, amount, processor } = payment
  if (ineffective.has(status)) return 0
  const captured = processor?.amountCaptured ?? (status === 'AUTHORIZED' ? 0 : undefined)
  return amount === undefined || captured === undefined ? undefined : Math.max(0, amount - captured)
}

/**
 * The refund that decides: the most recent transaction of type `REFUND`. Its `processorStatus` is `SETTLED` when the
 * refund succeeded, `FAILED` when it did not. `undefined` if nothing was refunded. Specification: PAYMENT.REFUND.
 */
export function latestRefund(payment: PaymentCore): Transaction | undefined {
  return refunds(payment.transactions ?? []).reduce<Transaction | undefined>(
    (latest, transaction) => (latest !== undefined && timeOf(latest) > timeOf(transaction) ? latest : transaction),
    undefined,
  )
}

function refunds(transactions: readonly Transaction[]): Transaction[] {
  return transactions.filter(({ transactionType }) => transactionType === 'REFUND')
}

/** Without a date that can be read the order of the list decides, which is that of the service. */
function timeOf({ date }: Transaction): number {
  try {
    return toDate(date as string).getTime()
  } catch {
    return Number.NEGATIVE_INFINITY
  }
}
