import { nearest } from '../../internal/issues.js'
import { requireFields } from '../internal/schema.js'
import { type Action, actions } from './actions.js'
import { ControlError, invalidArguments, toActionError } from './error.js'
import { openApi } from './openapi.js'
import { type Source, type View, views } from './views.js'

export interface ControlRequest {
  readonly method: string
  /** Path relative to `/__sandbox/api/`. */
  readonly path: string
  readonly query: URLSearchParams
}

export type Endpoint =
  | { readonly kind: 'read'; readonly respond: () => unknown }
  | { readonly kind: 'stream' }
  | {
      readonly kind: 'action'
      readonly maxBytes: number
      readonly isMasked: boolean
      readonly run: (body: string) => Promise<object>
    }

export function findEndpoint({ method, path, query }: ControlRequest, source: Source): Endpoint {
  const [, actionName] = /^actions\/([^/]+)$/.exec(path) ?? []
  if (actionName !== undefined) return findAction(method, actionName, source)
  if (path === 'openapi.json') {
    requireMethod('GET', method)
    return { kind: 'read', respond: openApi }
  }
  const { view, template, id } = findView(path)
  requireMethod('GET', method)
  const fail = (problems: string) => invalidArguments(`Invalid parameters for ${template}: ${problems}`)
  const values = requireFields(view.query, readQuery(query), fail, 'parameter')
  return view.respond ? { kind: 'read', respond: () => view.respond?.(source, values, id) } : { kind: 'stream' }
}

function findAction(method: string, name: string, source: Source): Endpoint {
  if (!Object.hasOwn(actions, name)) {
    const suggestion = nearest(name, Object.keys(actions))
    const hint = suggestion === undefined ? '' : `: did you mean "${suggestion}"?`
    throw new ControlError(404, 'ActionNotFound', `There is no such action${hint}`)
  }
  requireMethod('POST', method)
  const {
    run,
    maxBytes,
    createsSecret,
    arguments: shape,
  } = (actions as unknown as Record<string, Action>)[name] as Action
  const fail = (problems: string) => invalidArguments(`Invalid arguments for ${name}: ${problems}`)
  return {
    kind: 'action',
    maxBytes,
    isMasked: !createsSecret,
    async run(body) {
      const args = requireFields(shape, parseJson(body), fail, 'argument')
      try {
        return Object(await run(source, args))
      } catch (error) {
        throw toActionError(error)
      }
    },
  }
}

function findView(path: string): { view: View; template: string; id: string } {
  const all = views as unknown as Record<string, View>
  if (Object.hasOwn(all, path) && !path.includes(':')) return { view: all[path] as View, template: path, id: '' }
  const [, folder, encodedId] = /^([^/]+)\/([^/]+)$/.exec(path) ?? []
  const template = `${folder}/:id`
  if (encodedId === undefined || !Object.hasOwn(all, template)) {
    throw new ControlError(404, 'RouteNotFound', 'The control API has no such endpoint: see GET openapi.json')
  }
  return { view: all[template] as View, template, id: decode(encodedId) }
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

/** Reads `limit`, the only parameter that is not a string, as a number. */
function readQuery(query: URLSearchParams): object {
  const entries = [...query].map(([name, value]) => [
    name,
    name === 'limit' && /^-?\d+$/.test(value) ? Number(value) : value,
  ])
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
