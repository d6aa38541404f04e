import { plainObjectProblem } from './plain-data.js'
import { invalidType, invalidValue, type Problem } from './validation.js'

/** Headers as an object, an array of pairs, or `Headers`. */
export type HeadersOption = { readonly [name: string]: string } | readonly (readonly [string, string])[] | Headers

/** Headers that the client sets itself, or that would change how HTTP messages are parsed. */
const reserved = new Set(
  (
    'x-api-key x-api-version x-idempotency-key accept accept-encoding content-type content-length transfer-encoding ' +
    'connection keep-alive upgrade expect te trailer host user-agent'
  ).split(' '),
)

export function headersProblem(headers: unknown): Problem | undefined {
  if (typeof headers !== 'object' || headers === null) {
    return invalidType('must be an object whose values are strings, an array of pairs, or Headers')
  }
  // Rejects iterators, because reading an iterator here would leave it empty for the later conversion.
  const problem = isHeaders(headers) ? undefined : plainObjectProblem(headers)
  if (problem) return problem
  for (const pair of entriesOf(headers as HeadersOption)) {
    const [name, value]: readonly unknown[] = Array.isArray(pair) ? pair : []
    if (typeof name !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      return invalidValue('has an invalid header name')
    if (reserved.has(name.toLowerCase())) {
      return { code: 'not_allowed', message: `must not set ${name.toLowerCase()}: the client sets it` }
    }
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      return invalidValue(`has an invalid value for ${name}`)
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

/**
 * Does not use `instanceof`, because it would load Node's `fetch` and reject the `Headers` class of packages such as
 * node-fetch.
 */
export function isHeaders(headers: object): headers is Headers {
  return Object.prototype.toString.call(headers) === '[object Headers]'
}

function entriesOf(headers: HeadersOption): (readonly [string, string])[] {
  return Symbol.iterator in headers ? [...headers] : Object.entries(headers)
}
