import { bothShapes, type Operation } from '../contract/operation.js'
import { RequestValidationError } from '../errors.js'
import { unknownNames } from '../internal/issues.js'
import { isObject } from '../internal/objects.js'
import type { IdempotentRequestOptions } from '../options.js'
import { anything, jsonObject, queryValues } from '../schemas/json.js'
import type { Input } from '../transport/request.js'

/** A request that this package does not model. */
export interface RawRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Starts with `/`, relative to the base URL. Without a query; percent-encode what needs it. */
  path: string
  /** Spelled as the service spells it. Lists are joined by commas, a `Date` becomes UTC ISO 8601. */
  query?: Record<string, string | number | boolean | Date | readonly (string | number)[] | undefined>
  /** Sent as JSON. */
  body?: Record<string, unknown>
}

/**
 * The operation that such a request amounts to, made up for one call, and its input.
 *
 * All segments of the path but the first become parameters: so they are checked and encoded like any other, and stay out
 * of messages.
 */
export function describeRaw(
  request: RawRequest,
  options?: IdempotentRequestOptions,
): { operation: Operation; input: Input } {
  const { method, path, query, body } = checked(request)
  const [first, ...rest] = path.slice(1).split('/') as [string, ...string[]]
  const params = Object.fromEntries(rest.map((segment, index) => [`segment${index + 2}`, decode(segment)]))
  const operation: Operation = {
    name: 'request',
    summary: 'A request that this package does not model',
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

const names: readonly string[] = ['method', 'path', 'query', 'body']

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function checked(request: RawRequest): RawRequest {
  if (!isObject(request)) {
    throw new RequestValidationError([{ path: ['request'], message: 'must be an object: { method, path, … }' }], call)
  }
  const { method, path, body } = request as Partial<RawRequest>
  const issues = unknownNames(request, names)
  if (!methods.includes(method as string))
    issues.push({ path: ['method'], message: `must be one of ${methods.join(', ')}` })
  if (typeof path !== 'string' || !/^\/(?!\.{1,2}(\/|$))[\w.~-]+(\/[^/?#\\]+)*$/.test(path)) {
    issues.push({ path: ['path'], message: 'must start with / and have clean segments, without a query' })
  }
  if (method === 'GET' && body !== undefined) issues.push({ path: ['body'], message: 'is not sent with GET' })
  if (issues.length > 0) throw new RequestValidationError(issues, call)
  return request
}

/** A segment as it was meant. One that hides a dot segment (`..%2f`) is refused: a proxy may decode it. */
function decode(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment)
    if (decoded.split(/[\\/]/).some((part) => part === '.' || part === '..')) throw new TypeError('dot segment')
    return decoded
  } catch {
    throw new RequestValidationError(
      [{ path: ['path'], message: 'must be percent-encoded properly, without dot segments' }],
      call,
    )
  }
}
