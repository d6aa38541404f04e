import { RequestValidationError } from '../errors.js'
import { isOnCalendar } from '../internal/calendar.js'

const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?\s*(Z|[+-]\d\d:?\d\d)?)?$/i

/**
 * Read a datetime of the service. Without a zone it is UTC (JavaScript alone would read it as local time).
 *
 * Takes a space for the `T`, any number of fraction digits (a `Date` keeps milliseconds), and a bare date.
 *
 * @throws {RequestValidationError} It is no datetime.
 */
export function toDate(datetime: string): Date {
  const [, day, time = '00:00:00', fraction = '', zone = 'Z'] = form.exec(String(datetime).trim()) ?? []
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const date = new Date(`${day}T${time.length === 5 ? `${time}:00` : time}.${milliseconds}${withColon(zone)}`)
  if (Number.isNaN(date.getTime()) || !isOnCalendar(day as string)) {
    throw new RequestValidationError([{ path: ['datetime'], message: 'must be an ISO 8601 datetime' }])
  }
  return date
}

/** `+0200` is common, but not what `Date` reads. */
function withColon(zone: string): string {
  return zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
}
