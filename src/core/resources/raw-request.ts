import * as z from 'zod'
import { bothCarts, type Operation } from '../contract/operation.js'
import { anyValue, checkOptions, matching, optionsOf } from '../internal/validation.js'
import type { IdempotentRequestOptions } from '../options.js'
import { anything, jsonObject, queryValues } from '../schemas/json.js'
import type { Input } from '../transport/request.js'

/** A request to an endpoint for which the client has no method. */
export interface RawRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path, relative to the base URL. It starts with `/` and has no query. Percent-encode reserved characters. */
  path: string
  /** Query parameters. Names are sent unchanged. Arrays are joined with commas. A `Date` is sent as ISO 8601 in UTC. */
  query?: { [name: string]: string | number | boolean | Date | readonly (string | number)[] | undefined }
  /** The body, sent as JSON. */
  body?: Record<string, unknown>
}

/**
 * Converts a raw request to an operation and its input.
 *
 * All path segments except the first become parameters. Parameters are checked and encoded, and do not appear in
 * messages.
 */
export function describeRaw(
  request: RawRequest,
  options?: IdempotentRequestOptions,
): { operation: Operation; input: Input } {
  const { values, issues } = checkRequest(request)
  const { method = 'GET', path = '', query, body } = values
  const [first, ...rest] = path.slice(1).split('/') as [string, ...string[]]
  const segments = rest.map((segment) => decode(segment) as string)
  const params = Object.fromEntries(segments.map((segment, index) => [`segment${index + 2}`, segment]))
  const operation: Operation = {
    name: 'request',
    summary: '',
    method,
    // Omits the path of a rejected request, because it may contain secrets.
    path: issues.length > 0 ? '' : `/${[first, ...Object.keys(params).map((name) => `:${name}`)].join('/')}`,
    ...(first !== 'payments' && { lookup: 'read the data that it was meant to change' }),
    class: method === 'GET' ? 'safe' : options?.idempotencyKey === undefined ? 'once' : 'keyed',
    query: { schema: queryValues, names: Object.fromEntries(Object.keys(query ?? {}).map((name) => [name, name])) },
    body: bothCarts(jsonObject),
    bodyOptional: true,
    response: bothCarts(anything),
    responseOptional: true,
  }
  return { operation, input: issues.length > 0 ? { checked: { issues } } : { params, query, body } }
}

const schema = optionsOf<RawRequest>(
  {
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: matching(
      /^\/(?!\.{1,2}(\/|$))[\w.~-]+(\/[^/?#\\]+)*$/,
      'must start with /, without empty segments, dot segments or a query',
    ).refine(
      (path) => path.split('/').every((segment) => decode(segment) !== undefined),
      'must have valid percent-encoding and no dot segments',
    ),
    query: anyValue,
    body: anyValue,
  },
  ['method', 'path'],
)

function checkRequest(request: RawRequest) {
  const checked = checkOptions(request, schema, { noun: 'field' })
  if (checked.values.method === 'GET' && checked.values.body !== undefined) {
    checked.issues.push({ path: ['body'], code: 'not_allowed', message: 'cannot be sent with GET' })
  }
  return checked
}

/**
 * Decodes a path segment. Returns undefined for malformed percent-encoding, and for an encoded dot segment (`..%2f`),
 * because a proxy may decode it and request another path.
 */
function decode(segment: string): string | undefined {
  try {
    const decoded = decodeURIComponent(segment)
    return decoded.split(/[\\/]/).some((part) => part === '.' || part === '..') ? undefined : decoded
  } catch {
    return undefined
  }
}
