import { parseHttpDate } from '../internal/calendar.js'

/** The longest `Retry-After` that the client waits for, in milliseconds. */
export const maxRetryAfterMs = 60_000

/**
 * Parses a `Retry-After` header: seconds, rounded up, or an HTTP date. A date is compared with the response's `Date`
 * header, because the local clock may differ.
 *
 * @returns Milliseconds, or `undefined` if the header is absent or invalid.
 */
export function parseRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Math.ceil(Number(value)) * 1000, Number.MAX_SAFE_INTEGER)
  const until = parseHttpDate(value)
  return until === undefined ? undefined : Math.max(0, until - (serviceTime(headers) ?? Date.now()))
}

/** Returns the service's time when it responded, from the `Date` header, in milliseconds since 1970. */
export function serviceTime(headers: Headers): number | undefined {
  return parseHttpDate(String(headers.get('date')))
}
