import { RequestValidationError } from '../errors.js'
import { toDate } from '../helpers/dates.js'
import { unknownNames } from '../internal/issues.js'
import type { PagedList } from '../pagination/paged-list.js'
import type { PaymentSummary } from '../schemas/payment.js'
import type { ListPaymentsParams } from '../schemas/payments-list.js'

/** How long a new payment may be missing from the list. Specification: Limits. */
const listDelayMs = 60_000

/** How far the service's clock may be behind ours. */
const clockToleranceMs = 60_000

/** How far it usually is, at most. */
const usualDifferenceMs = 1_000

const call = { operation: 'payments.reconcile' }

/** Which payment to look for. */
export interface ReconcileQuery {
  /** Your reference, as given when the payment was created. */
  orderId: string
  /** When you first tried to create it: taken before that call. */
  since: Date
  /**
   * When you last tried, if that was later: taken after the error. A call may go on for two minutes, so without it
   * `not_found` may come too early.
   * @default since
   */
  until?: Date
}

/** What became of a payment whose outcome was unknown. */
export type Reconciliation =
  | {
      readonly status: 'found'
      /**
       * The payments of this order since then, and those of the minute before, which may be earlier tries: look at the status and
       * the date of each.
       */
      readonly payments: PaymentSummary[]
    }
  | {
      /** It is not listed, but may still appear. Do not pay again yet. */
      readonly status: 'not_found_yet'
      /** From when on the answer will be final. */
      readonly retryAt: Date
    }
  | {
      /** It was not made. */
      readonly status: 'not_found'
    }

/** Look for a payment in the list, and never call it missing before the list must have it. */
export async function reconcile(
  list: (params: ListPaymentsParams) => PagedList<PaymentSummary>,
  query: ReconcileQuery,
): Promise<Reconciliation> {
  const { orderId, since, until } = checked(query)
  const retryAt = new Date(until.getTime() + listDelayMs)
  // Asked before the search: an answer may take its time, and only a search after that instant is final.
  const final = Date.now() >= retryAt.getTime()
  const fromDate = new Date(since.getTime() - clockToleranceMs)
  const payments = await list({ orderId, fromDate }).toArray({ limit: 100 })
  // Those of the minute before may be an earlier try, listed while the one that is looked for is not.
  const earlier = new Date(since.getTime() - usualDifferenceMs)
  const mayBeEarlier = ({ date }: PaymentSummary) => isBetween(date, fromDate, earlier)
  if (final ? payments.length > 0 : !payments.every(mayBeEarlier)) return { status: 'found', payments }
  return final ? { status: 'not_found' } : { status: 'not_found_yet', retryAt }
}

/** Without a date that can be read, it is not known to be. */
function isBetween(date: string | undefined, from: Date, until: Date): boolean {
  try {
    const at = toDate(date as string)
    return from <= at && at < until
  } catch {
    return false
  }
}

function checked(query: ReconcileQuery): Required<ReconcileQuery> {
  const { orderId, since, until = since }: ReconcileQuery = Object(query)
  const issues = unknownNames(Object(query), ['orderId', 'since', 'until'])
  if (typeof orderId !== 'string' || orderId === '') {
    issues.push({ path: ['orderId'], message: 'must be a text that is not empty' })
  }
  if (!isValidDate(since)) issues.push({ path: ['since'], message: 'must be a valid Date' })
  else if (!isValidDate(until)) issues.push({ path: ['until'], message: 'must be a valid Date' })
  else if (until < since) issues.push({ path: ['until'], message: 'must not be before since' })
  if (issues.length > 0) throw new RequestValidationError(issues, call)
  return { orderId, since, until }
}

function isValidDate(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime())
}
