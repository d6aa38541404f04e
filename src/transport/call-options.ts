import type { AnyOperation } from '../contract/operation.js'
import type { Issue } from '../internal/issues.js'
import { unknownName } from '../internal/suggestions.js'
import type { IdempotentRequestOptions, ResendableRequestOptions } from '../options.js'
import { milliseconds, retries } from '../settings.js'

/** Every option that a call may have. */
export type CallOptions = IdempotentRequestOptions & ResendableRequestOptions

/** The headers that this package sets itself, and those that would change how a message is read. */
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

const rules: Record<keyof CallOptions, (value: unknown) => string | undefined> = {
  signal: (value) => (value instanceof AbortSignal ? undefined : 'must be an AbortSignal'),
  timeout: milliseconds,
  totalTimeout: milliseconds,
  maxRetries: retries,
  headers: headersProblem,
  idempotencyKey: idempotencyKeyProblem,
  resend: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
}

/** Check the options of one call, and copy them: they inherit nothing, and do not change. What is wrong becomes an issue. */
export function checkCallOptions(operation: AnyOperation, options: object | undefined, issues: Issue[]): CallOptions {
  const checked = Object.create(null) as Record<string, unknown>
  if (options === undefined) return checked
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    issues.push({ path: ['options'], message: 'must be an object' })
    return checked
  }
  for (const [name, value] of Object.entries(options)) {
    // A key that was meant but is missing would become a new one, under which everything may happen again.
    const leftOut = value === undefined && name !== 'idempotencyKey'
    const problem = leftOut ? nameProblem(name) : optionProblem(operation, name, value)
    if (problem) issues.push({ path: ['options', name], message: problem })
    checked[name] = name === 'headers' ? { ...(value as object) } : value
  }
  return checked
}

function optionProblem(operation: AnyOperation, name: string, value: unknown): string | undefined {
  const unknown = nameProblem(name)
  if (unknown) return unknown
  if (name === 'idempotencyKey' && operation.class !== 'keyed') return `is not taken by ${operation.name}`
  if (name === 'resend' && !operation.resendable) return `is not taken by ${operation.name}`
  return rules[name as keyof CallOptions](value)
}

function nameProblem(name: string): string | undefined {
  return Object.hasOwn(rules, name) ? undefined : unknownName(name, Object.keys(rules))
}

/** Whether a name is one of a call's options, given in the wrong place perhaps. */
export function isCallOption(name: unknown): boolean {
  return typeof name === 'string' && Object.hasOwn(rules, name)
}

/** What is wrong with an idempotency key, without repeating it. */
export function idempotencyKeyProblem(value: unknown): string | undefined {
  return typeof value === 'string' && /^[!-~]{1,255}$/.test(value)
    ? undefined
    : 'must be 1 to 255 visible ASCII characters'
}

function headersProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'must be an object of texts'
  for (const [name, text] of Object.entries(value)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'has a name that is no header name'
    if (ownHeaders.has(name.toLowerCase())) return `must not set ${name.toLowerCase()}: this package sets it`
    if (typeof text !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
      return `has a value of ${name} that no header can have`
  }
  return undefined
}
