/** The longest wait that is accepted from the service, in milliseconds. */
export const longestRetryAfter = 60_000

/**
 * How long a `Retry-After` header asks to wait, in milliseconds; `undefined` where it cannot be read.
 *
 * Seconds, or one of the three HTTP date forms, which are measured against the answer's own `Date`.
 */
export function parseRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const until = parseHttpDate(text)
  const from = parseHttpDate(headers.get('date') ?? '') ?? Date.now()
  return until === undefined ? undefined : Math.max(0, until - from)
}

const httpDates = [
  /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/, // Sun, 06 Nov 1994 08:49:37 GMT
  /^\w{6,9}, \d\d-\w{3}-\d\d \d\d:\d\d:\d\d GMT$/, // Sunday, 06-Nov-94 08:49:37 GMT
  /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/, // Sun Nov  6 08:49:37 1994
]

function parseHttpDate(text: string): number | undefined {
  if (!httpDates.some((form) => form.test(text))) return undefined
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : time
}
