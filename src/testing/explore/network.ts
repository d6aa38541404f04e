import type { VirtualClock } from '../sandbox/internal/clock.js'
import type { ServiceResponse } from '../sandbox/internal/exchange.js'
import { applyFault, type Fault } from '../sandbox/service/faults.js'
import { findRoute } from '../sandbox/service/request.js'
import { keyConflict } from '../sandbox/service/service.js'
import type { CrashKind, FaultKind, Schedule } from './schedule.js'

/** A request from the shop, or a webhook from the service. */
export interface Point {
  /** The number of the request or webhook, starting at 1. Requests and webhooks are counted separately. */
  readonly number: number
  /** The name of the operation, for example `payments.capture`, or the type of the webhook. */
  readonly operation: string
  readonly isRead: boolean
  readonly key: string | undefined
}

export function describePoint({ operation, key }: Point): string {
  return key === undefined ? operation : `${operation} ${key}`
}

export function pointOf(number: number, request: Request): Point {
  const path = new URL(request.url).pathname
  return {
    number,
    operation: findRoute(request.method, path)?.operation.name ?? `${request.method} ${path}`,
    isRead: request.method === 'GET',
    key: request.headers.get('x-idempotency-key') ?? undefined,
  }
}

/** Returns whether to try a fault at a request. If two faults have the same effect, only one of them is tried. */
export function concerns(kind: FaultKind, { isRead, key }: Point): boolean {
  if (kind === 'key-conflict') return key !== undefined
  // A read changes nothing, so it does not matter whether a fault occurs before or after the service handles it.
  return !(isRead && ['reset-before', 'status-503-before', 'late-effect'].includes(kind))
}

const html = { 'content-type': 'text/html' }
const unauthorized = { error: { errorId: 'Unauthorized', description: 'The API key is not accepted' } }

/** The disturbances that a constant `Fault` cannot simulate. */
type OtherKind = 'refused' | 'cut-body' | 'key-conflict' | 'before' | 'after-response'

/** The `Fault` that simulates each of the remaining disturbances. A new kind without a fault is a compile error. */
const faults: Readonly<Record<Exclude<FaultKind | CrashKind, OtherKind>, Fault>> = {
  'reset-before': { reset: true },
  'reset-after': { at: 'after', reset: true },
  'status-408': { status: 408, body: '' },
  // 300 s is longer than the client's maximum wait, so the call fails immediately.
  'status-429': { status: 429, body: '', headers: { 'retry-after': '300' } },
  'status-503-before': { status: 503, body: '' },
  'status-503-after': { at: 'after', status: 503, body: '' },
  'status-401': { status: 401, body: unauthorized },
  'firewall-403': { status: 403, body: '<html>Forbidden</html>', headers: html },
  'html-body': { at: 'after', body: '<html>Bad gateway</html>', headers: html },
  slow: { at: 'after', hang: true },
  'late-effect': { effectDelay: '45s', reset: true },
  'after-effect': { at: 'after', reset: true },
}

/**
 * Performs a request with the given disturbance, which may prevent the request or change its response. Returns the
 * response.
 */
export async function disturb(
  kind: FaultKind | CrashKind | undefined,
  perform: () => Promise<ServiceResponse>,
  mode: Schedule['mode'],
  clock: VirtualClock,
): Promise<ServiceResponse> {
  if (kind === 'refused') {
    const cause = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })
    throw new TypeError('fetch failed', { cause })
  }
  const fault: Fault | undefined = kind && Reflect.get(faults, kind)
  if (fault) return applyFault(fault, perform, clock)
  const response = await perform()
  if (kind === 'cut-body')
    return applyFault({ at: Math.ceil(response.body.length / 2), reset: true }, () => response, clock)
  return kind === 'key-conflict' ? conflictAfter(response, mode) : response
}

/**
 * Simulates a service that loses its own response internally, retries the request, and then responds that the key was
 * already used.
 */
function conflictAfter(response: ServiceResponse, mode: Schedule['mode']): ServiceResponse {
  const { id } = JSON.parse(response.body) as { id?: string }
  return response.status >= 300 || id === undefined ? response : keyConflict(mode, id).toResponse('explore')
}
