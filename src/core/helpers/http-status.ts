import { isPaymentsError } from '../errors.js'
import { subjectOf } from '../internal/outcome.js'

/**
 * Returns the HTTP status that a shop's server should send to the browser after a failed call.
 *
 * - 400: the service rejected the content of the request (`retry: 'new-key'`).
 * - 409: an earlier call with the same idempotency key took effect. Show the order's payment.
 * - 429, 503: retry later with the same key. {@link retryAfterOf} returns the delay that the service requested.
 * - 502: retry with the same key.
 * - 500: anything else, including errors that are not from this package.
 *
 * @example
 * response.status(httpStatusOf(error)).json({ retry: error.retry })
 */
export function httpStatusOf(error: unknown): 400 | 409 | 429 | 500 | 502 | 503 {
  if (!isPaymentsError(error)) return 500
  const { httpStatus, errorId, retryAfterMs } = error
  if (httpStatus !== undefined && subjectOf({ status: httpStatus, errorId }) === 'key') return 409
  if (error.retry === 'new-key') return 400
  if (error.retry !== 'same-key') return 500
  if (httpStatus === 429) return 429
  return httpStatus === 503 || retryAfterMs !== undefined ? 503 : 502
}

/**
 * Returns the value of the `Retry-After` header for the browser, in whole seconds. Returns `undefined` if the service
 * requested no delay.
 */
export function retryAfterOf(error: unknown): string | undefined {
  if (!isPaymentsError(error) || error.retryAfterMs === undefined) return undefined
  return String(Math.ceil(error.retryAfterMs / 1000))
}
