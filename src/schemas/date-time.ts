import { isOnCalendar } from '../internal/calendar.js'

/** Accepts dates with or without a time and a zone, because the service uses all of these forms. */
export function isDateTime(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const [, day, time] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?$/.exec(value) ?? []
  return day !== undefined && isOnCalendar(day) && !Number.isNaN(Date.parse(`1970-01-01T${time ?? '00:00'}Z`))
}
