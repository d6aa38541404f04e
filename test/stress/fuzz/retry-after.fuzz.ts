import { parseRetryAfter } from '../../../src/transport/retry-after.js'
import { Decisions, seed } from './decisions.js'

/**
 * Checks that the client parses any `Retry-After` and `Date` headers as RFC 9110 defines.
 *
 * The result must be undefined or a finite, non-negative number of milliseconds.
 */
export function fuzz(input: Uint8Array): void {
  const decisions = new Decisions(input)
  const headers = new Headers()
  const date = headerText(decisions.bytes())
  if (date !== '') headers.set('date', date)
  headers.set('retry-after', headerText(decisions.rest()))

  const earliest = Date.now()
  const wait = parseRetryAfter(headers)
  const latest = Date.now()

  const text = JSON.stringify([...headers])
  if (wait !== undefined && !(Number.isFinite(wait) && wait >= 0)) throw new Error(`${text} is read as ${wait}`)
  // Without a `Date` header, the delay depends on the clock, which keeps running during the call.
  const meant = [meaning(headers, earliest), meaning(headers, latest)]
  const agrees =
    wait === undefined ? meant[0] === undefined : wait <= (meant[0] ?? -1) && wait >= (meant[1] ?? Infinity)
  if (!agrees) throw new Error(`${text} is read as ${wait} instead of ${meant[0]}`)
}

/** Converts bytes to a valid header value. */
function headerText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.map((byte) => (byte === 0x09 || (byte >= 0x20 && byte !== 0x7f) ? byte : 0x20)))
}

/** Reference implementation: returns the delay in milliseconds. */
function meaning(headers: Headers, now: number): number | undefined {
  const text = headers.get('retry-after') ?? ''
  if (text !== '' && [...text].every((letter) => '0123456789'.includes(letter))) {
    return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  }
  const until = instant(text)
  return until === undefined ? undefined : Math.max(0, until - (instant(headers.get('date') ?? '') ?? now))
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Parses an HTTP date. */
function instant(text: string): number | undefined {
  const parts = text.split(' ')
  if (parts.length !== 6 || parts[5] !== 'GMT' || !/^\w{3},$/.test(parts[0] ?? '')) return undefined
  return instantOf(parts[0], parts[1], parts[2], parts[3], parts[4])
}

function instantOf(weekday = '', day = '', month = '', year = '', time = ''): number | undefined {
  const [hour = '', minute = '', second = '', more] = time.split(':')
  const twoDigits = [day, hour, minute, second].every((number) => isNumber(number, 2))
  if (more !== undefined || !twoDigits || !isNumber(year, 4) || !months.includes(month)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  // `Date.parse` reads such years as 19xx or 20xx. Real responses do not contain them.
  if (Number(year) < 100) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), months.indexOf(month), Number(day))
  // `Date` would move a day that does not exist, such as 31 November, to the next month.
  if (date.getUTCDate() !== Number(day)) return undefined
  if (`${days[date.getUTCDay()]},` !== weekday) return undefined
  return date.setUTCHours(Number(hour), Number(minute), Number(second))
}

function isNumber(text: string, length: number): boolean {
  return text.length === length && [...text].every((letter) => '0123456789'.includes(letter))
}

const now = 'Sun, 06 Nov 1994 08:49:37 GMT'

export const seeds = [
  seed([''], '120'),
  seed([''], '0'),
  seed([''], '9'.repeat(310)),
  seed([now], 'Sun, 06 Nov 1994 08:50:07 GMT'),
  seed(['Wed, 16 Nov 1994 08:50:07 GMT'], 'Wed, 30 Nov 1994 08:49:07 GMT'),
  seed([''], 'Fri, 31 Dec 2077 23:59:59 GMT'),
]

export const words = [...days, ...months, ' GMT', ', ', '23:59:59', '1994', '31 Feb']
