import { RequestValidationError } from '../errors.js'
import { hasFailed } from '../helpers/payment-facts.js'
import { parseDatetime } from '../internal/calendar.js'
import type { Issue } from '../internal/issues.js'
import { date, optionsOf, requireOptions, text } from '../internal/validation.js'
import type { Page } from '../pagination/page.js'
import type { PagedList } from '../pagination/paged-list.js'
import type { PaymentSummary } from '../schemas/payment.js'
import type { ListPaymentsParams } from '../schemas/payments-list.js'
import { serviceTime } from '../transport/retry-after.js'

/** Maximum delay before a new payment appears in the list. Specification: Limits. */
export const listDelayMs = 60_000

/**
 * Maximum accepted difference, in milliseconds, between the service's clock and the clock of this process or its
 * database.
 */
export const maxClockDifferenceMs = 60_000

/** Typical maximum difference between the clocks of two servers. */
const usualClockDifferenceMs = 1_000

/** The payment to search for. */
export interface ReconcileQuery {
  /** The `orderId` that you passed to `payments.create`. */
  orderId: string
  /** The time immediately before the first call to `payments.create`. */
  since: Date
  /**
   * The time 90 seconds after the last call ended, because a request may take effect that late.
   * @default `since` plus the client's `totalTimeout`. Payments that the service creates later are not covered.
   */
  until?: Date
}

/** The result of `payments.reconcile`. */
export type Reconciliation =
  | {
      readonly status: 'found'
      /**
       * The payments for this order, starting one minute before `since`. Check `status` and `date`, because some may
       * come from earlier attempts.
       */
      readonly payments: PaymentSummary[]
    }
  | {
      /** The payment may still appear in the list. Do not create another payment yet. */
      readonly status: 'not_found_yet'
      /** Call `reconcile` again when the service's clock shows this time. The result of that call is final. */
      readonly retryAt: Date
      /** Earlier or failed payments for this order. */
      readonly payments: PaymentSummary[]
    }
  | {
      /** The service created no payment before `until`. A request that takes effect later may still create one. */
      readonly status: 'not_found'
    }

/**
 * Returns `not_found` only if a new payment had enough time to appear in the list, according to the service's clock.
 *
 * @param totalTimeout The client's limit for one call, in milliseconds.
 */
export async function reconcile(
  list: (params: ListPaymentsParams) => PagedList<PaymentSummary>,
  query: ReconcileQuery,
  totalTimeout: number,
): Promise<Reconciliation> {
  const { orderId, since, until = new Date(since.getTime() + totalTimeout) } = checkQuery(query)
  // Rounded up, because the service reports its time in whole seconds.
  const retryAt = new Date(Math.ceil((until.getTime() + listDelayMs) / 1000) * 1000)
  const fromDate = new Date(since.getTime() - maxClockDifferenceMs)
  // Reads the clock before the request, because the result is final only if the search starts after `retryAt`.
  const localTime = Date.now()
  const first = await list({ orderId, fromDate }).withResponse()
  const isFinal = (serviceTime(first.response.headers) ?? localTime) >= retryAt.getTime()
  const payments: PaymentSummary[] = []
  for (let page: Page<PaymentSummary> | undefined = first.data; page !== undefined; page = await page.nextPage()) {
    for (const payment of page.data) {
      // Filters the payments again, in case the service ignored the filters.
      const isOther = payment.orderId !== undefined && payment.orderId !== orderId
      if (!isOther && !isBefore(payment.date, fromDate)) payments.push(payment)
    }
  }
  if (isFinal) return payments.length > 0 ? { status: 'found', payments } : { status: 'not_found' }
  const startOfAttempt = new Date(since.getTime() - usualClockDifferenceMs)
  return payments.every((payment) => isBefore(payment.date, startOfAttempt) || hasFailed(payment))
    ? { status: 'not_found_yet', retryAt, payments }
    : { status: 'found', payments }
}

/** Returns false if the datetime is missing or invalid. */
export function isBefore(datetime: string | undefined, time: Date | number): boolean {
  return parseDatetime(datetime) < Number(time)
}

const schema = optionsOf<ReconcileQuery>({ orderId: text, since: date, until: date }, ['orderId', 'since'])

function checkQuery(query: ReconcileQuery): ReconcileQuery {
  const fail = (issues: Issue[]) => new RequestValidationError(issues, { operation: 'payments.reconcile' })
  const values = requireOptions(query, schema, { fail, noun: 'parameter' }) as ReconcileQuery
  if (values.until && values.until < values.since) {
    throw fail([{ path: ['until'], code: 'out_of_range', message: 'must not be before since' }])
  }
  return values
}
