import { bothShapes, type Operation } from '../contract/operation.js'
import { RequestValidationError } from '../errors.js'
import { checkOptions, oneOf, type Rule, rule } from '../internal/options.js'
import type { IdempotentRequestOptions } from '../options.js'
import { anything, jsonObject, queryValues } from '../schemas/json.js'
import type { Input } from '../transport/request.js'

/** A request to an endpoint that the SDK does not model. */
export interface RawRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with `/` and is relative to the base URL. Contains no query; reserved characters are percent-encoded. */
  path: string
  /** Names are sent unchanged. Arrays are joined with commas, and a `Date` is formatted as ISO 8601 in UTC. */
  query?: Record<string, string | number | boolean | Date | readonly (string | number)[] | undefined>
  /** Sent as JSON. */
  body?: Record<string, unknown>
}

/**
 * Returns an operation for one call, and its input.
 *
 * All path segments except the first become parameters, so that they are checked, encoded and kept out of messages.
 */
export function describeRaw(
  request: RawRequest,
  options?: IdempotentRequestOptions,
): { operation: Operation; input: Input } {
  const { method, path, query, body } = checkRequest(request)
  const [first, ...rest] = path.slice(1).split('/') as [string, ...string[]]
  const params = Object.fromEntries(rest.map((segment, index) => [`segment${index + 2}`, decode(segment)]))
  const operation: Operation = {
    name: 'request',
    summary: 'A request to an endpoint that the SDK does not model',
    method,
    path: `/${[first, ...Object.keys(params).map((name) => `:${name}`)].join('/')}`,
    ...(first === 'payments' ? { paymentParam: 'segment2' } : { lookup: 'read what it was to change' }),
    class: method === 'GET' ? 'safe' : options?.idempotencyKey === undefined ? 'once' : 'keyed',
    query: { schema: queryValues, names: Object.fromEntries(Object.keys(query ?? {}).map((name) => [name, name])) },
    body: bothShapes(jsonObject),
    bodyOptional: true,
    response: bothShapes(anything),
    responseOptional: true,
  }
  return { operation, input: { params, query, body } }
}

const call = { operation: 'request' }

const anyValue: Rule = () => undefined

const rules = {
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: rule(
    (value) => typeof value === 'string' && /^\/(?!\.{1,2}(\/|$))[\w.~-]+(\/[^/?#\\]+)*$/.test(value),
    'must start with / and have neither empty segments, dot segments nor a query',
    'invalid_value',
  ),
  query: anyValue,
  body: anyValue,
}

function checkRequest(request: RawRequest): RawRequest {
  const { values, issues } = checkOptions<RawRequest>(request, rules, { noun: 'field', required: ['method', 'path'] })
  if (values.method === 'GET' && values.body !== undefined) {
    issues.push({ path: ['body'], code: 'not_allowed', message: 'cannot be sent with GET' })
  }
  if (issues.length > 0) throw new RequestValidationError(issues, call)
  return values as RawRequest
}

/** Decodes a segment. Rejects an encoded dot segment (`..%2f`), because a proxy may decode it. */
function decode(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment)
    if (decoded.split(/[\\/]/).some((part) => part === '.' || part === '..')) throw new TypeError('dot segment')
    return decoded
  } catch {
    const message = 'must be percent-encoded properly, without dot segments'
    throw new RequestValidationError([{ path: ['path'], code: 'invalid_value', message }], call)
  }
}
