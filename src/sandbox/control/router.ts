import { suggest } from '../../internal/issues.js'
import { requireFields } from '../internal/schema.js'
import { type Action, actions } from './actions.js'
import { ControlError, invalidArguments, toActionError } from './error.js'
import { openApi } from './openapi.js'
import { type Source, type View, views } from './views.js'

/**
 * Returns the response of `GET <path>`. Returns undefined for `events`, which the server streams.
 *
 * @param path Path relative to `/__sandbox/api/`.
 */
export function read(method: string, path: string, query: URLSearchParams, source: Source): unknown {
  if (path === 'openapi.json') {
    requireMethod('GET', method)
    return openApi()
  }
  const { view, template, id } = findView(path)
  requireMethod('GET', method)
  const fail = (problems: string) => invalidArguments(`Invalid parameters for ${template}: ${problems}`)
  return view.respond?.(source, requireFields(view.query, readQuery(query), fail, 'parameter'), id)
}

/** Returns the action of `POST actions/:name`, or undefined for other paths. */
export function findAction(method: string, path: string): (Action & { readonly name: string }) | undefined {
  const [, name] = /^actions\/([^/]+)$/.exec(path) ?? []
  if (name === undefined) return undefined
  if (!Object.hasOwn(actions, name)) {
    const { hint } = suggest(name, Object.keys(actions))
    throw new ControlError(404, 'ActionNotFound', `There is no such action${hint}`)
  }
  requireMethod('POST', method)
  return { ...Reflect.get(actions, name), name }
}

/** @param body The arguments as JSON. An empty body means no arguments. */
export async function runAction(action: ReturnType<typeof findAction> & {}, body: string, source: Source) {
  const fail = (problems: string) => invalidArguments(`Invalid arguments for ${action.name}: ${problems}`)
  const args = requireFields(action.arguments, parseJson(body), fail, 'argument')
  try {
    return await action.run(source, args)
  } catch (error) {
    throw toActionError(error)
  }
}

function findView(path: string): { view: View; template: string; id: string } {
  const [, folder, encodedId = ''] = /^([^/]+)\/([^/]+)$/.exec(path) ?? []
  const isTemplate = path.includes(':') || !Object.hasOwn(views, path)
  const template = isTemplate ? `${folder}/:id` : path
  if (!Object.hasOwn(views, template)) {
    throw new ControlError(404, 'RouteNotFound', 'The control API has no such endpoint: see GET openapi.json')
  }
  return { view: Reflect.get(views, template), template, id: isTemplate ? decode(encodedId) : '' }
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
  const isNumber = ([name, value]: [string, string]) => name === 'limit' && /^-?\d+$/.test(value)
  return Object.fromEntries([...query].map((entry) => (isNumber(entry) ? [entry[0], Number(entry[1])] : entry)))
}

function parseJson(body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body)
  } catch {
    throw invalidArguments('The body is not JSON')
  }
}
