import type { AnyOperation } from '../contract/operation.js'
import type { Issue } from '../internal/issues.js'
import {
  boolean,
  checkOptions,
  integer,
  milliseconds,
  type Problem,
  type Rules,
  rule,
  signal,
} from '../internal/options.js'
import type { IdempotentRequestOptions, ResendableRequestOptions } from '../options.js'

/** The headers that the SDK sets itself, and those that change how a message is read. */
const ownHeaders = new Set([
  'x-api-key',
  'x-api-version',
  'x-idempotency-key',
  'accept',
  'accept-encoding',
  'content-type',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'host',
  'user-agent',
])

type GivenOptions = IdempotentRequestOptions & ResendableRequestOptions

/** The checked options of one call. */
export type CallOptions = Omit<GivenOptions, 'headers'> & { headers?: Readonly<Record<string, string>> }

/** Accepts 1 to 255 visible ASCII characters. */
export const idempotencyKey = rule(
  (value) => typeof value === 'string' && /^[!-~]{1,255}$/.test(value),
  'must be 1 to 255 visible ASCII characters',
  'invalid_value',
)

/** Accepts 0 to 100 retries. */
export const retries = integer(0, 100)

const rules: Rules<GivenOptions> = {
  signal,
  timeout: milliseconds,
  totalTimeout: milliseconds,
  maxRetries: retries,
  headers: headersProblem,
  idempotencyKey,
  resend: boolean,
}

/** Checks and copies the options of one call. */
export function checkCallOptions(operation: AnyOperation, given: unknown, issues: Issue[]): CallOptions {
  if (given === undefined) return {}
  const { values, issues: found } = checkOptions<GivenOptions>(given, rules, { path: ['options'] })
  issues.push(...found)
  const reject = (name: keyof GivenOptions, problem: Problem) => issues.push({ ...problem, path: ['options', name] })
  const notTaken: Problem = { code: 'not_allowed', message: `is not taken by ${operation.name}` }
  if (Object.hasOwn(Object(given), 'idempotencyKey')) {
    if (operation.class !== 'keyed') reject('idempotencyKey', notTaken)
    // The SDK would replace a missing key by a new one, under which the operation may take effect twice.
    else if (Object(given).idempotencyKey === undefined) {
      reject('idempotencyKey', { code: 'missing', message: 'must not be undefined' })
    }
  }
  if (values.resend !== undefined && !operation.resendable) reject('resend', notTaken)
  return values.headers === undefined ? (values as CallOptions) : { ...values, headers: toHeaders(values.headers) }
}

/** Whether a name is an option of a call, perhaps passed in the wrong argument. */
export function isCallOption(name: unknown): boolean {
  return typeof name === 'string' && Object.hasOwn(rules, name)
}

type HeadersOption = NonNullable<GivenOptions['headers']>

function entriesOf(headers: HeadersOption): [string, string][] {
  const isIterable = typeof (headers as Iterable<[string, string]>)[Symbol.iterator] === 'function'
  return isIterable ? [...(headers as Iterable<[string, string]>)] : Object.entries(headers)
}

/** Converts checked headers to one object with lower-case names. Joins repeated headers as `Headers` does. */
export function toHeaders(headers: HeadersOption): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of entriesOf(headers)) {
    const key = name.toLowerCase()
    joined[key] = joined[key] === undefined ? value : `${joined[key]}, ${value}`
  }
  return joined
}

/** Accepts an object of strings, an array of pairs, or `Headers`, without the headers that the SDK sets. */
export function headersProblem(headers: unknown): Problem | undefined {
  const invalid = (message: string): Problem => ({ code: 'invalid_value', message })
  if (typeof headers !== 'object' || headers === null) {
    return { code: 'invalid_type', message: 'must be an object of strings, an array of pairs, or Headers' }
  }
  for (const pair of entriesOf(headers as HeadersOption)) {
    const [name, value] = Array.isArray(pair) ? (pair as unknown[]) : []
    if (typeof name !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return invalid('has an invalid header name')
    if (ownHeaders.has(name.toLowerCase())) {
      return { code: 'not_allowed', message: `must not set ${name.toLowerCase()}: the SDK sets it` }
    }
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      return invalid(`has an invalid value of ${name}`)
    }
  }
  return undefined
}
