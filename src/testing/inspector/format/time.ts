import { parseDatetime } from '../../../core/internal/calendar.js'

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

/** Formats a datetime relative to the sandbox's time: `3 min. ago`. */
export function relative(datetime: string, now: number): string {
  const seconds = (parseDatetime(datetime) - now) / 1000
  if (Number.isNaN(seconds)) return ''
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? []
  return unit
    ? relativeFormat.format(Math.trunc(seconds / size), unit)
    : Math.abs(seconds) < 5
      ? 'now'
      : relativeFormat.format(Math.trunc(seconds), 'second')
}

/** Formats a datetime in UTC, without a fraction of seconds: `2026-11-22 09:20:50 UTC`. */
export function absolute(datetime: string | number): string {
  const time = typeof datetime === 'number' ? datetime : parseDatetime(datetime)
  return Number.isNaN(time) ? String(datetime) : `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export function duration(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1_000).toFixed(1)} s`
}
