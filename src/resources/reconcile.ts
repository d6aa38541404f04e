import { RequestValidationError } from '../errors.js'
import { toDate } from '../helpers/dates.js'
import { hasFailed } from '../helpers/payment-facts.js'
import { checkOptions, date, nonEmptyString } from '../internal/options.js'
import type { PagedList } from '../pagination/paged-list.js'
import type { PaymentSummary } from '../schemas/payment.js'
import type { ListPaymentsParams } from '../schemas/payments-list.js'

/** How long a new payment may be missing from the list. Specification: Limits. */
const listDelayMs = 60_000

/** The largest accepted difference between the service's clock and ours. */
const maxClockDifferenceMs = 60_000

/** The largest difference that clocks usually have. */
const usualClockDifferenceMs = 1_000

/** The payment to look for. */
export interface ReconcileQuery {
  /** Your reference, as passed to `payments.create`. */
  orderId: string
  /** The time of the first attempt to create the payment, taken before that call. */
  since: Date
  /**
   * The time of the last attempt, taken after its error.
   * @default `since` plus the client's `totalTimeout`
   */
  until?: Date
}

/** The result of `payments.reconcile`. */
export type Reconciliation =
  | {
      readonly status: 'found'
      /**
       * The payments of this order since one minute before `since`. Check `status` and `date` of each: they may include
       * earlier attempts.
       */
      readonly payments: PaymentSummary[]
    }
  | {
      /** The payment may still appear. Do not create another one yet. */
      readonly status: 'not_found_yet'
      /** When to call `reconcile` again: from then on its result is final. */
      readonly retryAt: Date
      /** Earlier or failed payments of this order. */
      readonly payments: PaymentSummary[]
    }
  | {
      /** The payment was not created. */
      readonly status: 'not_found'
    }

/**
 * Looks for a payment in the list. It is reported missing only when the list must contain it.
 *
 * @param totalTimeout The client's limit for one call, in milliseconds.
 */
export async function reconcile(
  list: (params: ListPaymentsParams) => PagedList<PaymentSummary>,
  query: ReconcileQuery,
  totalTimeout: number,
): Promise<Reconciliation> {
  const { orderId, since, until = new Date(since.getTime() + totalTimeout) } = checkQuery(query)
  const retryAt = new Date(until.getTime() + listDelayMs)
  // Taken before the request, because only a search that starts after `retryAt` is final.
  const isFinal = Date.now() >= retryAt.getTime()
  const fromDate = new Date(since.getTime() - maxClockDifferenceMs)
  const payments = await list({ orderId, fromDate })
    .filter((payment) => payment.orderId === undefined || payment.orderId === orderId)
    .toArray({ limit: 100 })
  if (isFinal) return payments.length > 0 ? { status: 'found', payments } : { status: 'not_found' }
  const startOfAttempt = new Date(since.getTime() - usualClockDifferenceMs)
  const isEarlier = (payment: PaymentSummary) => isBetween(payment.date, fromDate, startOfAttempt)
  return payments.every((payment) => isEarlier(payment) || hasFailed(payment))
    ? { status: 'not_found_yet', retryAt, payments }
    : { status: 'found', payments }
}

/** Returns false for a datetime that is missing or unreadable. */
function isBetween(datetime: string | undefined, start: Date, end: Date): boolean {
  try {
    const time = toDate(datetime as string)
    return start <= time && time < end
  } catch {
    return false
  }
}

function checkQuery(query: ReconcileQuery): ReconcileQuery {
  const rules = { orderId: nonEmptyString, since: date, until: date }
  const { values, issues } = checkOptions<ReconcileQuery>(query, rules, {
    noun: 'parameter',
    required: ['orderId', 'since'],
  })
  if (values.since && values.until && values.until < values.since) {
    issues.push({ path: ['until'], code: 'out_of_range', message: 'must not be before since' })
  }
  if (issues.length > 0) throw new RequestValidationError(issues, { operation: 'payments.reconcile' })
  return values as ReconcileQuery
}
