/** The longest `Retry-After` that the SDK waits for, in milliseconds. */
export const maxRetryAfterMs = 60_000

/**
 * Parses a `Retry-After` header: a number of seconds, or an HTTP date in any of its three formats. A date is compared
 * with the response's `Date` header.
 *
 * @returns Milliseconds, or `undefined` if the header is absent or invalid.
 */
export function parseRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER)
  const until = parseHttpDate(value)
  const from = parseHttpDate(String(headers.get('date'))) ?? Date.now()
  return until === undefined ? undefined : Math.max(0, until - from)
}

const rfc850 = /^(\w{3})\w{3,6}, (\d\d)-(\w{3})-(\d\d) ([\d:]{8} GMT)$/ // Sunday, 06-Nov-94 08:49:37 GMT
const asctime = /^(\w{3}) (\w{3}) ([ \d]\d) ([\d:]{8}) (\d{4})$/ // Sun Nov  6 08:49:37 1994

const dateLength = 'Sun, 06 Nov 1994 08:49:37 GMT'.length

/** Parses an HTTP date. Converts the two obsolete formats first. */
function parseHttpDate(value: string): number | undefined {
  const date = value
    .replace(rfc850, (_, weekday, day, month, year, time) => `${weekday}, ${day} ${month} ${fullYear(year)} ${time}`)
    .replace(asctime, (_, weekday, month, day, time, year) => {
      return `${weekday}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`
    })
  const time = Date.parse(date)
  // Rejects invalid dates that `Date.parse` accepts. For example, it may read February 31 as a day in March.
  return date.length === dateLength && new Date(time).toUTCString() === date ? time : undefined
}

/** Converts a two-digit year to a four-digit year, which is at most 50 years in the future (RFC 9110). */
function fullYear(digits: string): number {
  const year = 2000 + Number(digits)
  return year > new Date().getUTCFullYear() + 50 ? year - 100 : year
}
