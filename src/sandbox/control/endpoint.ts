import { nearest } from '../../internal/issues.js'
import { actions } from './actions.js'
import { ControlError, invalidArguments, toActionError } from './error.js'
import { openApi } from './openapi.js'
import { type Parameters, requireValid } from './parameters.js'
import type { Parts } from './parts.js'
import { type Route, routes } from './routes.js'

export interface ControlRequest {
  readonly method: string
  /** Path relative to `/__sandbox/api/`. */
  readonly path: string
  readonly query: URLSearchParams
}

export type Endpoint =
  | { readonly kind: 'read'; readonly respond: () => object }
  | { readonly kind: 'stream' }
  | {
      readonly kind: 'action'
      readonly maxBytes: number
      readonly isMasked: boolean
      readonly run: (body: string) => Promise<object>
    }

export function findEndpoint({ method, path, query }: ControlRequest, parts: Parts): Endpoint {
  const [, actionName] = /^actions\/([^/]+)$/.exec(path) ?? []
  if (actionName !== undefined) return findAction(method, actionName, parts)
  if (path === 'openapi.json') {
    requireMethod('GET', method)
    return { kind: 'read', respond: openApi }
  }
  const { route, id } = findRoute(path)
  requireMethod('GET', method)
  const values = requireValid<object>(route.path, 'parameter', readQuery(query, route.query), route.query)
  const { respond } = route
  return respond ? { kind: 'read', respond: () => respond({ id, query: values }, parts) } : { kind: 'stream' }
}

function findAction(method: string, name: string, parts: Parts): Endpoint {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) {
    const suggestion = nearest(name, Object.keys(actions))
    const hint = suggestion === undefined ? '' : `: did you mean "${suggestion}"?`
    throw new ControlError(404, 'ActionNotFound', `There is no such action${hint}`)
  }
  requireMethod('POST', method)
  const run = async (body: string) => {
    const args = requireValid(name, 'argument', parseJson(body), action.arguments)
    try {
      return Object(await action.run(args, parts))
    } catch (error) {
      throw toActionError(error)
    }
  }
  return { kind: 'action', maxBytes: action.maxBytes, isMasked: !action.createsSecret, run }
}

function findRoute(path: string): { route: Route; id: string } {
  const exact = routes.find((route) => route.path === path)
  if (exact) return { route: exact, id: '' }
  const [, folder, encodedId] = /^([^/]+)\/([^/]+)$/.exec(path) ?? []
  const route = routes.find((route) => route.path === `${folder}/:id`)
  if (!route || encodedId === undefined) {
    throw new ControlError(404, 'RouteNotFound', 'The control API has no such endpoint: see GET openapi.json')
  }
  return { route, id: decode(encodedId) }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw invalidArguments('The path is not properly encoded')
  }
}

function requireMethod(allowed: string, method: string): void {
  if (method === allowed) return
  throw new ControlError(405, 'MethodNotAllowed', `This endpoint accepts only ${allowed} requests`, { allow: allowed })
}

function readQuery(query: URLSearchParams, parameters: Parameters): object {
  const entries = [...query].map(([name, value]) => {
    const isInteger = parameters[name]?.schema['type'] === 'integer' && /^-?\d+$/.test(value)
    return [name, isInteger ? Number(value) : value]
  })
  return Object.fromEntries(entries)
}

/** An empty body means no arguments. */
function parseJson(body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body)
  } catch {
    throw invalidArguments('The body is not JSON')
  }
}
