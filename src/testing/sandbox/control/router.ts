import { describeIssues, suggest } from '../../../core/internal/issues.js'
import { checkOptions } from '../../../core/internal/validation.js'
import { ServiceError } from '../internal/exchange.js'
import { actions } from './actions.js'
import type { Endpoint, Source } from './endpoint.js'
import { invalidArguments, methodNotAllowed } from './error.js'
import { views } from './views.js'

/** The endpoint that matches a request, with the parts of the request's path. */
export interface Match {
  readonly isAction: boolean
  /** The path of a read, such as `payments/:id`, or the name of an action. */
  readonly name: string
  readonly endpoint: Endpoint
  readonly id: string
}

/** @param path Path relative to `/__sandbox/api/`. */
export function findEndpoint(method: string, path: string): Match {
  const [, folder, last = ''] = /^([^/]+)\/([^/]+)$/.exec(path) ?? []
  if (folder === 'actions') {
    if (!Object.hasOwn(actions, last)) {
      const { hint } = suggest(last, Object.keys(actions))
      throw new ServiceError(404, 'ActionNotFound', `There is no such action${hint}`)
    }
    requireMethod('POST', method)
    return { isAction: true, name: last, endpoint: Reflect.get(actions, last), id: '' }
  }
  const isTemplate = path.includes(':') || !Object.hasOwn(views, path)
  const name = isTemplate ? `${folder}/:id` : path
  if (!Object.hasOwn(views, name)) {
    throw new ServiceError(404, 'RouteNotFound', 'The control API has no such endpoint')
  }
  requireMethod('GET', method)
  return { isAction: false, name, endpoint: Reflect.get(views, name), id: isTemplate ? decode(last) : '' }
}

/** @param given The query string of a read, or the body of an action. An empty body means no arguments. */
export async function run({ isAction, name, endpoint, id }: Match, given: string, source: Source): Promise<unknown> {
  const noun = isAction ? 'argument' : 'parameter'
  const { values, issues } = checkOptions(isAction ? parseJson(given) : readQuery(given), endpoint.input, { noun })
  if (issues.length > 0) throw invalidArguments(`Invalid ${noun}s for ${name}: ${describeIssues(issues)}`)
  return endpoint.run(source, values, id)
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
  throw methodNotAllowed(`This endpoint accepts only ${allowed} requests`, allowed)
}

/** Reads `limit`, the only parameter that is not a string, as a number. */
function readQuery(query: string): object {
  const isNumber = ([name, value]: [string, string]) => name === 'limit' && /^-?\d+$/.test(value)
  const entries = [...new URLSearchParams(query)]
  return Object.fromEntries(entries.map((entry) => (isNumber(entry) ? [entry[0], Number(entry[1])] : entry)))
}

function parseJson(body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body)
  } catch {
    throw invalidArguments('The body is not JSON')
  }
}
