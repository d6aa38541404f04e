import type { Problem } from './options.js'
import { plainObjectProblem } from './plain-data.js'

/** Headers as an object, an array of pairs, or `Headers`. */
export type HeadersOption = Readonly<Record<string, string>> | readonly (readonly [string, string])[] | Headers

/** Headers that callers cannot set: the SDK sets them itself, or they affect the parsing of HTTP messages. */
const reserved = new Set(
  (
    'x-api-key x-api-version x-idempotency-key accept accept-encoding content-type content-length transfer-encoding ' +
    'connection keep-alive upgrade expect te trailer host user-agent'
  ).split(' '),
)

/** Returns the problem with a caller's headers, for example a header that the SDK sets itself. */
export function headersProblem(headers: unknown): Problem | undefined {
  const invalid = (message: string): Problem => ({ code: 'invalid_value', message })
  if (typeof headers !== 'object' || headers === null) {
    return {
      code: 'invalid_type',
      message: 'must be an object whose values are strings, an array of pairs, or Headers',
    }
  }
  // Rejects an iterator, because this check would consume it.
  const problem = isHeaders(headers) ? undefined : (plainObjectProblem(headers) as Problem | undefined)
  if (problem) return problem
  for (const pair of entriesOf(headers as HeadersOption)) {
    const [name, value]: readonly unknown[] = Array.isArray(pair) ? pair : []
    if (typeof name !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return invalid('has an invalid header name')
    if (reserved.has(name.toLowerCase())) {
      return { code: 'not_allowed', message: `must not set ${name.toLowerCase()}: the SDK sets it` }
    }
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      return invalid(`has an invalid value for ${name}`)
    }
  }
  return undefined
}

/** Converts checked headers to one object with lower-case names. Joins repeated headers as `Headers` does. */
export function toHeaders(headers: HeadersOption = {}): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of entriesOf(headers)) {
    const key = name.toLowerCase()
    joined[key] = Object.hasOwn(joined, key) ? `${joined[key]}, ${value}` : value
  }
  return joined
}

/** Recognizes `Headers` by its tag, because packages such as node-fetch have their own `Headers` class. */
function isHeaders(headers: object): boolean {
  return Object.prototype.toString.call(headers) === '[object Headers]'
}

function entriesOf(headers: HeadersOption): (readonly [string, string])[] {
  return Symbol.iterator in headers ? [...headers] : Object.entries(headers)
}
