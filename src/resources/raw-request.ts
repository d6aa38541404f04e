import { bothShapes, type Operation } from '../contract/operation.js'
import { RequestValidationError } from '../errors.js'
import { checkOptions, oneOf, type Rule, rule } from '../internal/options.js'
import type { IdempotentRequestOptions } from '../options.js'
import { anything, jsonObject, queryValues } from '../schemas/json.js'
import type { Input } from '../transport/request.js'

/** A request to an endpoint for which the SDK has no method. */
export interface RawRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below the base URL. It starts with `/` and has no query. Percent-encode reserved characters. */
  path: string
  /**
   * Query parameters. Names are sent unchanged. Arrays are joined with commas, and a `Date` is formatted as ISO 8601 in UTC.
   */
  query?: Record<string, string | number | boolean | Date | readonly (string | number)[] | undefined>
  /** The body, sent as JSON. */
  body?: Record<string, unknown>
}

/**
 * Converts a request to an operation of the contract and its input.
 *
 * All path segments except the first become parameters, so that they are checked, encoded, and do not appear in messages.
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
    summary: 'A request to an endpoint for which the SDK has no method',
    method,
    path: `/${[first, ...Object.keys(params).map((name) => `:${name}`)].join('/')}`,
    ...(first === 'payments' ? { paymentParam: 'segment2' } : { lookup: 'read the data that it was meant to change' }),
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
    'must start with /, without empty segments, dot segments or a query',
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

/** Decodes a path segment. Rejects an encoded dot segment (`..%2f`): a proxy may decode it and reach another path. */
function decode(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment)
    if (decoded.split(/[\\/]/).some((part) => part === '.' || part === '..')) throw new TypeError('dot segment')
    return decoded
  } catch {
    const message = 'must have valid percent-encoding and no dot segments'
    throw new RequestValidationError([{ path: ['path'], code: 'invalid_value', message }], call)
  }
}
