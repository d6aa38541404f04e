import { findRoute } from '../service/request.js'
import type { FaultKind } from './schedule.js'

/** A request that a shop's client sent. */
export interface Point {
  /** Starts at 1. */
  readonly number: number
  /** Name of the operation, for example `payments.capture`. */
  readonly operation: string
  readonly isRead: boolean
  readonly key: string | undefined
}

export function describePoint({ operation, key }: Pick<Point, 'operation' | 'key'>): string {
  return key === undefined ? operation : `${operation} ${key}`
}

export function pointOf(number: number, request: Request): Point {
  const path = new URL(request.url).pathname
  const operation = findRoute(request.method, path)?.operation
  return {
    number,
    operation: operation?.name ?? `${request.method} ${path}`,
    isRead: request.method === 'GET',
    key: request.headers.get('x-idempotency-key') ?? undefined,
  }
}

/** Returns whether a fault has an effect of its own on a request. */
export function concerns(kind: FaultKind, { isRead, key }: Point): boolean {
  if (kind === 'key-conflict') return key !== undefined
  // A read has no effect, so the moment does not matter.
  return !(isRead && (kind === 'reset-before' || kind === 'status-503-before'))
}

type Perform = (request: Request) => Promise<Response>

/** Responds to a request as a broken network or an overloaded service does. */
export async function disturb(kind: FaultKind, request: Request, perform: Perform): Promise<Response> {
  switch (kind) {
    case 'refused':
      throw networkError('ECONNREFUSED')
    case 'reset-before':
      throw networkError('ECONNRESET')
    case 'reset-after':
      await perform(request)
      throw networkError('ECONNRESET')
    case 'status-408':
      return new Response('', { status: 408 })
    case 'status-429':
      // Longer than the client waits, so the call fails.
      return new Response('', { status: 429, headers: { 'retry-after': '300' } })
    case 'status-503-before':
      return new Response('', { status: 503 })
    case 'status-503-after':
      await perform(request)
      return new Response('', { status: 503 })
    case 'status-401':
      return errorResponse(401, { errorId: 'Unauthorized', description: 'The API key is not accepted' })
    case 'firewall-403':
      return new Response('<html>Forbidden</html>', { status: 403, headers: { 'content-type': 'text/html' } })
    case 'cut-body':
      return cutInHalf(await perform(request))
    case 'html-body': {
      const { status } = await perform(request)
      return new Response('<html>Bad gateway</html>', { status, headers: { 'content-type': 'text/html' } })
    }
    case 'slow':
      await perform(request)
      return untilAborted(request.signal)
    case 'key-conflict':
      return conflictAfter(await perform(request))
  }
}

function networkError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}

function errorResponse(status: number, error: object): Response {
  return Response.json({ error }, { status })
}

async function cutInHalf(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const half = bytes.slice(0, Math.ceil(bytes.length / 2))
  let isSent = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isSent || half.length === 0) return controller.error(networkError('ECONNRESET'))
      controller.enqueue(half)
      isSent = true
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

/** Loses the response inside the service, whose own retry then finds the key used. */
async function conflictAfter(response: Response): Promise<Response> {
  const { id: paymentId } = (await response.clone().json()) as { id?: string }
  if (!response.ok || paymentId === undefined) return response
  const description = 'The idempotency key was used before'
  return errorResponse(409, { errorId: 'IdempotencyKeyAlreadyExists', description, paymentId })
}
