import { findRoute } from '../service/request.js'
import type { CrashKind, FaultKind, Schedule } from './schedule.js'

/** A request of the shop, or a webhook of the service. */
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

/** Returns whether a fault can have a different effect on a request than the other faults. */
export function concerns(kind: FaultKind, { isRead, key }: Point): boolean {
  if (kind === 'key-conflict') return key !== undefined
  // A read changes nothing, so a fault before the service handles it has the same effect as a fault after that.
  return !(isRead && (kind === 'reset-before' || kind === 'status-503-before'))
}

const html = { 'content-type': 'text/html' }
const unauthorized = { error: { errorId: 'Unauthorized', description: 'The API key is not accepted' } }

/** Disturbances of a request that does not reach the service. */
const early = {
  refused: fails('ECONNREFUSED'),
  'reset-before': fails('ECONNRESET'),
  'status-408': responds(408),
  // The client does not wait that long, so the call fails.
  'status-429': responds(429, '', { 'retry-after': '300' }),
  'status-503-before': responds(503),
  'status-401': responds(401, JSON.stringify(unauthorized), { 'content-type': 'application/json' }),
  'firewall-403': responds(403, '<html>Forbidden</html>', html),
}

type Change = (response: Response, request: Request, mode: Schedule['mode']) => Response | Promise<Response>

/** Disturbances that change or lose the response of the service. */
const late: Record<Exclude<FaultKind | CrashKind, keyof typeof early | 'before'>, Change> = {
  'reset-after': fails('ECONNRESET'),
  'status-503-after': responds(503),
  'cut-body': cutInHalf,
  'html-body': ({ status }) => new Response('<html>Bad gateway</html>', { status, headers: html }),
  slow: (_, { signal }) => untilAborted(signal),
  'key-conflict': conflictAfter,
  'after-effect': fails('ECONNRESET'),
  'after-response': (response) => response,
}

/**
 * Sends a request to the sandbox, unless its disturbance prevents that. Then applies the disturbance to the response.
 */
export async function disturb(
  kind: FaultKind | CrashKind | undefined,
  request: Request,
  perform: () => Promise<Response>,
  mode: Schedule['mode'],
): Promise<Response> {
  if (kind === undefined) return perform()
  if (kind in early) return early[kind as keyof typeof early]()
  return late[kind as keyof typeof late](await perform(), request, mode)
}

function responds(status: number, body = '', headers: Record<string, string> = {}) {
  return () => new Response(body, { status, headers })
}

function fails(code: string) {
  return (): never => {
    throw networkError(code)
  }
}

function networkError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}

async function cutInHalf(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const chunks = [bytes.slice(0, Math.ceil(bytes.length / 2))]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.pop()
      if (chunk?.length) controller.enqueue(chunk)
      else controller.error(networkError('ECONNRESET'))
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

/**
 * Simulates a service that loses its response internally and retries the request, so it reports the key as already
 * used.
 */
async function conflictAfter(response: Response, _: Request, mode: Schedule['mode']): Promise<Response> {
  const { id: paymentId } = (await response.clone().json()) as { id?: string }
  if (!response.ok || paymentId === undefined) return response
  const description = 'The idempotency key was used before'
  const [status, prefix] = mode === 'conflict-400' ? [400, 'TransactionRequest'] : [409, '']
  const error = { errorId: `${prefix}IdempotencyKeyAlreadyExists`, description, paymentId }
  return Response.json({ error }, { status })
}
