import type { Fetch } from '../../options.js'
import { pause } from '../pause.js'
import type { Exchange, Reply, Service } from '../service/exchange.js'

/** Requests that are waited for. The signal of a request aborts only as long as something holds the request. */
const waiting = new Set<Request>()

/** The service as a `fetch`. It answers whatever the host, never follows a redirect, and fails as Node's own fetch does. */
export function createFetch(service: Service): Fetch {
  return async (input, init) => {
    // A copy of a request costs as much as the answer to it.
    const isComplete = input instanceof Request && Object.keys(init ?? {}).length === 0
    const request = isComplete ? input : new Request(input, init)
    waiting.add(request)
    try {
      request.signal.throwIfAborted()
      const reply = await service.handle(await exchangeOf(request))
      return await carry(reply, request)
    } finally {
      waiting.delete(request)
    }
  }
}

async function exchangeOf(request: Request): Promise<Exchange> {
  const { method, headers, signal } = request
  const { pathname, search } = new URL(request.url)
  return { method, path: pathname + search, headers, body: await request.text(), signal }
}

async function carry(reply: Reply, request: Request): Promise<Response> {
  if (reply.delayMs) await pause(reply.delayMs, request.signal)
  request.signal.throwIfAborted()
  if (reply.cutAt !== undefined) return cutAnswer(reply, reply.cutAt, request)
  if (reply.hang) return silence(request.signal)
  if (reply.reset) throw new TypeError('fetch failed', { cause: connectionReset() })
  const { status, headers, body } = reply
  return new Response(bodiless.has(status) ? null : body, { status, headers })
}

/** Statuses that never have a body. */
const bodiless = new Set([204, 205, 304])

function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

/** An answer that promises its whole length, of which only the first bytes come. */
function cutAnswer({ status, headers, body, hang, reset }: Reply, cutAt: number, request: Request): Response {
  const bytes = new TextEncoder().encode(body)
  const stop = () => waiting.delete(request)
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const onAbort = () => {
        stop()
        controller.error(request.signal.reason)
      }
      request.signal.addEventListener('abort', onAbort)
      if (cutAt > 0) controller.enqueue(bytes.slice(0, cutAt))
    },
    // Called once the first bytes were read: an error raised before that would discard them.
    pull(controller) {
      if (hang) waiting.add(request)
      else controller.error(new TypeError('terminated', { cause: reset ? connectionReset() : otherSideClosed() }))
    },
    cancel: () => void stop(),
  })
  return new Response(stream, { status, headers: { ...headers, 'content-length': String(bytes.length) } })
}

function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
}

function otherSideClosed(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
}
