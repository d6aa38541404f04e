import { findRoute } from '../service/request.js'
import type { FaultKind, Schedule } from './schedule.js'

/** A request that a shop's client sent. */
export interface Point {
  /** Starts at 1. */
  readonly number: number
  /** Name of the operation, for example `payments.capture`. */
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

/** Returns whether a fault has an effect of its own on a request. */
export function concerns(kind: FaultKind, { isRead, key }: Point): boolean {
  if (kind === 'key-conflict') return key !== undefined
  // A read has no effect, so the moment does not matter.
  return !(isRead && (kind === 'reset-before' || kind === 'status-503-before'))
}

const responds =
  (status: number, body = '', headers: Record<string, string> = {}) =>
  () =>
    new Response(body, { status, headers })

const fails = (code: string) => (): never => {
  throw networkError(code)
}

const html = { 'content-type': 'text/html' }
const unauthorized = { error: { errorId: 'Unauthorized', description: 'The API key is not accepted' } }

/** Faults that prevent the request from reaching the service. */
const early: Partial<Record<FaultKind, () => Response>> = {
  refused: fails('ECONNREFUSED'),
  'reset-before': fails('ECONNRESET'),
  'status-408': responds(408),
  // Longer than the client waits, so the call fails.
  'status-429': responds(429, '', { 'retry-after': '300' }),
  'status-503-before': responds(503),
  'status-401': responds(401, JSON.stringify(unauthorized), { 'content-type': 'application/json' }),
  'firewall-403': responds(403, '<html>Forbidden</html>', html),
}

type Late = (response: Response, request: Request, mode: Schedule['mode']) => Response | Promise<Response>

/** Faults that change or lose the response of the service. */
const late: Partial<Record<FaultKind, Late>> = {
  'reset-after': fails('ECONNRESET'),
  'status-503-after': responds(503),
  'cut-body': cutInHalf,
  'html-body': ({ status }) => new Response('<html>Bad gateway</html>', { status, headers: html }),
  slow: (_, { signal }) => untilAborted(signal),
  'key-conflict': conflictAfter,
}

/** Responds to a request as a broken network or an overloaded service does. */
export async function disturb(
  kind: FaultKind,
  request: Request,
  perform: () => Promise<Response>,
  mode: Schedule['mode'],
): Promise<Response> {
  return early[kind]?.() ?? (late[kind] as Late)(await perform(), request, mode)
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

/** Loses the response inside the service. The service's own retry then finds the key used. */
async function conflictAfter(response: Response, _: Request, mode: Schedule['mode']): Promise<Response> {
  const { id: paymentId } = (await response.clone().json()) as { id?: string }
  if (!response.ok || paymentId === undefined) return response
  const description = 'The idempotency key was used before'
  const [status, prefix] = mode === 'conflict-400' ? [400, 'TransactionRequest'] : [409, '']
  return Response.json(
    { error: { errorId: `${prefix}IdempotencyKeyAlreadyExists`, description, paymentId } },
    { status },
  )
}
