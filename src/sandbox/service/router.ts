import * as operations from '../../contract/index.js'
import type { AnyOperation } from '../../contract/operation.js'
import type { AnyHandler } from '../handlers/handler.js'
import { handlers } from '../handlers/index.js'
import { Refusal } from '../refusal.js'

/** An operation, and who performs it. */
interface Route {
  readonly operation: AnyOperation
  readonly handler: AnyHandler
  readonly segments: readonly string[]
}

/** The operation that a request is for, and the parameters in its path. */
export interface Match extends Route {
  readonly params: Record<string, string>
}

const routes = routesOf(operations, handlers)

function routesOf(contract: object, performers: object): Route[] {
  return Object.entries(contract).flatMap(([name, entry]: [string, object]) => {
    const performer = (performers as Record<string, object>)[name] as object
    if (!isOperation(entry)) return routesOf(entry, performer)
    return { operation: entry, handler: performer as AnyHandler, segments: entry.path.split('/') }
  })
}

function isOperation(entry: object): entry is AnyOperation {
  return 'method' in entry
}

/** Find the operation for a method and a path without query. */
export function findRoute(method: string, path: string): Match | undefined {
  const segments = path.split('/')
  for (const route of routes) {
    if (route.operation.method !== method || route.segments.length !== segments.length) continue
    const params = matchSegments(route.segments, segments)
    if (params) return { ...route, params }
  }
  return undefined
}

function matchSegments(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {}
  for (const [index, part] of template.entries()) {
    const segment = segments[index] as string
    if (!part.startsWith(':')) {
      if (part !== segment) return undefined
    } else {
      if (segment === '') return undefined
      params[part.slice(1)] = decoded(segment)
    }
  }
  return params
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new Refusal(400, 'MalformedPath', 'The path is not properly encoded')
  }
}
