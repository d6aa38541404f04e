import { parseDatetime } from '../../core/internal/calendar.js'

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

export const duration = (ms: number): string =>
  ms < 1_000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1_000).toFixed(1)} s`

/** Formats a recorded body: JSON with indentation, other text unchanged. */
export function pretty(body: unknown): string {
  if (body === undefined || body === '') return ''
  if (typeof body !== 'string') return JSON.stringify(body, undefined, 2)
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}

/** Formats a name for readers: `PARTIALLY_SETTLED` as `Partially settled`, `createApiKey` as `Create API key`. */
export function words(name: string): string {
  const separated = /[a-z]/.test(name) ? name.replace(/[A-Z]/g, ' $&') : name.replaceAll('_', ' ')
  const text = separated.toLowerCase().replace(/\b(api|id|url)\b/g, (acronym) => acronym.toUpperCase())
  return text.charAt(0).toUpperCase() + text.slice(1)
}
