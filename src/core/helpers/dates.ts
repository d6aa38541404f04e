import { RequestValidationError } from '../errors.js'
import { parseDatetime } from '../internal/calendar.js'

/**
 * Parses a datetime from the service. Unlike `new Date`, reads a datetime without a zone as UTC.
 *
 * Also accepts a space instead of the `T`, a date without a time, and any number of fraction digits. The returned
 * `Date` has millisecond precision.
 *
 * @param datetime For example `2026-01-31T12:00:00.367687`.
 * @throws {RequestValidationError} The string is not a datetime.
 * @example
 * toDate('2026-01-31T12:00:00').toISOString() // '2026-01-31T12:00:00.000Z'
 */
export function toDate(datetime: string): Date {
  const time = parseDatetime(datetime)
  if (Number.isNaN(time)) {
    throw new RequestValidationError([
      { path: ['datetime'], code: 'invalid_value', message: 'must be an ISO 8601 datetime' },
    ])
  }
  return new Date(time)
}
