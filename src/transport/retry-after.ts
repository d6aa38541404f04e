/** The longest wait that is accepted from the service, in milliseconds. */
export const longestRetryAfter = 60_000

/**
 * How long a `Retry-After` header asks to wait, in milliseconds; `undefined` where it cannot be read.
 *
 * Seconds, or one of the three HTTP date forms, which are measured against the answer's own `Date`.
 */
export function parseRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (!text) return undefined
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const until = parseHttpDate(text)
  const from = parseHttpDate(headers.get('date') ?? '') ?? Date.now()
  return until === undefined ? undefined : Math.max(0, until - from)
}

const rfc850 = /^(\w{3})\w{3,6}, (\d\d)-(\w{3})-(\d\d) ([\d:]{8} GMT)$/ // Sunday, 06-Nov-94 08:49:37 GMT
const asctime = /^(\w{3}) (\w{3}) ([ \d]\d) ([\d:]{8}) (\d{4})$/ // Sun Nov  6 08:49:37 1994

const lengthOfDate = 'Sun, 06 Nov 1994 08:49:37 GMT'.length

/** A date in the form of today, or in one of the two older ones, which are brought into that form. */
function parseHttpDate(text: string): number | undefined {
  const date = text
    .replace(rfc850, (_, weekday, day, month, year, time) => `${weekday}, ${day} ${month} ${fullYear(year)} ${time}`)
    .replace(asctime, (_, weekday, month, day, time, year) => {
      return `${weekday}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`
    })
  const time = Date.parse(date)
  // `Date.parse` reads much else, and each runtime its own: the 31st of February as a day in March, the year 0094 as 1994.
  return date.length === lengthOfDate && new Date(time).toUTCString() === date ? time : undefined
}

/** Two digits mean the year that is at most 50 years ahead. */
function fullYear(digits: string): number {
  const year = 2000 + Number(digits)
  return year > new Date().getUTCFullYear() + 50 ? year - 100 : year
}
