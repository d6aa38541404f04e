/** Returns whether a date exists in the calendar. `Date` would interpret `2026-02-30` as March 2. */
export function isOnCalendar(day: string): boolean {
  const date = new Date(day)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

const format = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * Converts a datetime from the service to milliseconds since 1970, with microseconds as a fraction. A datetime without
 * a zone is in UTC. Returns NaN for an invalid datetime.
 */
export function parsePrecisely(datetime: unknown): number {
  const [, day = '', time = '00:00:00', fraction = '', zone = 'Z'] = format.exec(String(datetime).trim()) ?? []
  const seconds = time.length === 5 ? ':00' : ''
  // Every month has at least 28 days, so `Date.parse` can misread only the days 29 to 31 as days of the next month.
  if (Number(day.slice(8)) > 28 && !isOnCalendar(day)) return Number.NaN
  // PostgreSQL formats a zone of whole hours as `+00`.
  const minutes = zone.length === 3 ? ':00' : ''
  return Date.parse(`${day}T${time}${seconds}${zone}${minutes}`) + Number(fraction.slice(0, 6).padEnd(6, '0')) / 1000
}

/** Works like `parsePrecisely`, but returns whole milliseconds. */
export function parseDatetime(datetime: unknown): number {
  return Math.floor(parsePrecisely(datetime))
}

/** Returns whether a value is a datetime in one of the service's formats: a date with or without a time and a zone. */
export function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && value === value.trim() && !Number.isNaN(parseDatetime(value))
}

const httpDateLength = 'Sun, 06 Nov 1994 08:49:37 GMT'.length

/**
 * Converts an HTTP date, such as `Sun, 06 Nov 1994 08:49:37 GMT`, to milliseconds since 1970. Returns undefined for any
 * other string, including HTTP's two obsolete date formats.
 */
export function parseHttpDate(value: string): number | undefined {
  const time = Date.parse(value)
  // Rejects other formats and invalid dates that `Date.parse` accepts, for example February 31, which it reads as March
  // 3.
  return value.length === httpDateLength && new Date(time).toUTCString() === value ? time : undefined
}
