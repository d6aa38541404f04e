import type * as operations from '../../../core/contract/index.js'
import type { AnyOperation } from '../../../core/contract/operation.js'
import { allOperations } from '../../../core/contract/operations.js'
import type { Cart } from '../../../core/contract/version.js'
import { type Issue, unknownKey } from '../../../core/internal/issues.js'
import { isKnownField, validate } from '../../../core/schemas/validate.js'
import type { Handler, Handlers } from '../domain/context.js'
import { clientSessions } from '../handlers/client-sessions.js'
import { loyalty } from '../handlers/loyalty.js'
import { observability } from '../handlers/observability.js'
import { paymentInstruments } from '../handlers/payment-instruments.js'
import { payments } from '../handlers/payments.js'
import { invalidRequest, ServiceError } from '../internal/exchange.js'

const handlers: Handlers<typeof operations> = { clientSessions, loyalty, observability, paymentInstruments, payments }

interface Route {
  readonly operation: AnyOperation
  readonly handler: Handler
  /** Matches the operation's paths. Each parameter is a named group. */
  readonly pattern: RegExp
}

export interface Match extends Route {
  readonly params: Record<string, string>
}

const routes = allOperations().map((operation): Route => {
  const handler = operation.name.split('.').reduce<unknown>((group, name) => Reflect.get(Object(group), name), handlers)
  const pattern = new RegExp(`^${operation.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
  return { operation, handler: handler as Handler, pattern }
})

export function findRoute(method: string, path: string): Match | undefined {
  const route = routes.find(({ operation, pattern }) => operation.method === method && pattern.test(path))
  if (!route) return undefined
  const segments = Object.entries(route.pattern.exec(path)?.groups ?? {})
  return { ...route, params: Object.fromEntries(segments.map(([name, segment]) => [name, decodeSegment(segment)])) }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new ServiceError(400, 'MalformedPath', 'The path is not properly encoded')
  }
}

/** Returns the query parameters under the contract's names, for example `fromDate` instead of `from_date`. */
export function readQuery({ query }: AnyOperation, parameters: URLSearchParams): unknown {
  if (!query) return undefined
  const wireNames: Record<string, string> = query.names
  const known = Object.values(wireNames)
  const unknown = [...parameters.keys()].filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw invalidRequest(
      'query',
      unknown.map((name) => unknownKey([name], known, 'parameter')),
    )
  }
  const given = Object.entries(wireNames).filter(([, wireName]) => parameters.has(wireName))
  const values: Record<string, unknown> = Object.fromEntries(
    given.map(([name, wireName]) => [name, parameters.getAll(wireName).join(',')]),
  )
  // Query values are strings. If the contract rejects a string of digits, converts it to a number.
  for (const { path } of validate(query.schema, values)) {
    const name = String(path[0])
    if (/^-?\d+$/.test(String(values[name]))) values[name] = Number(values[name])
  }
  return requireValid('query', values, validate(query.schema, values), wireNames)
}

/** Parses and checks a body. An empty body means `{}`. Drops unknown top-level fields, but rejects misspelled names. */
export function readBody({ body }: AnyOperation, cart: Cart, json: string): object {
  if (!body) return {}
  const value = json === '' ? {} : parseJson(json)
  const issues = validate(body[cart], value, { allowsUnknown: true })
  const fields = Object.entries(requireValid('body', value, issues) as object)
  return Object.fromEntries(fields.filter(([name]) => isKnownField(body[cart], name)))
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new ServiceError(400, 'MalformedRequest', 'The body of the request is not JSON')
  }
}

function requireValid(
  part: 'body' | 'query',
  value: unknown,
  issues: readonly Issue[],
  wireNames: Record<string, string> = {},
): unknown {
  if (issues.length === 0) return value
  const toWire = ({ path: [field, ...rest], ...issue }: Issue): Issue => ({
    ...issue,
    path: field === undefined ? [] : [wireNames[field] ?? field, ...rest],
  })
  throw invalidRequest(part, issues.map(toWire))
}
