import { RequestValidationError } from '../errors.js'
import { isOnCalendar } from '../internal/calendar.js'

const format = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?\s*(Z|[+-]\d\d:?\d\d)?)?$/i

/**
 * Parses a datetime of the service. Without a zone it is read as UTC; `new Date` would read it as local time.
 *
 * Accepts a space instead of the `T`, any number of fraction digits (a `Date` keeps milliseconds), and a date without a time.
 *
 * @param datetime For example `2026-01-31T12:00:00.367687`.
 * @throws {RequestValidationError} The string is not a datetime.
 * @example
 * toDate('2026-01-31T12:00:00').toISOString() // '2026-01-31T12:00:00.000Z'
 */
export function toDate(datetime: string): Date {
  const [, day, time = '00:00:00', fraction = '', zone = 'Z'] = format.exec(String(datetime).trim()) ?? []
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const date = new Date(`${day}T${time.length === 5 ? `${time}:00` : time}.${milliseconds}${withColon(zone)}`)
  if (Number.isNaN(date.getTime()) || !isOnCalendar(day as string)) {
    throw new RequestValidationError([
      { path: ['datetime'], code: 'invalid_value', message: 'must be an ISO 8601 datetime' },
    ])
  }
  return date
}

/** `Date` does not read `+0200`. */
function withColon(zone: string): string {
  return zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
}
