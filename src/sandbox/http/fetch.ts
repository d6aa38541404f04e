import { pause } from '../internal/clock.js'
import { maxBodyBytes, type Service, type ServiceRequest, type ServiceResponse } from '../internal/exchange.js'
import { LimitedText } from './body.js'

/** A function with the signature of the global `fetch`. */
export type SandboxFetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>

/**
 * Requests that hang until their signal aborts. Without a reference, a request could be garbage-collected, and its
 * signal would never abort.
 */
const pending = new Set<Request>()

/** Creates a fetch for the service. It accepts any host, never redirects, and throws the same errors as Node's fetch. */
export function createFetch(service: Service): SandboxFetch {
  return async (input, init) => {
    // Uses the given request itself if possible, because copying it takes as long as handling it.
    const isComplete = input instanceof Request && Object.keys(init ?? {}).length === 0
    const request = isComplete ? input : new Request(input, init)
    pending.add(request)
    try {
      request.signal.throwIfAborted()
      const response = await service(await toServiceRequest(request))
      return await toResponse(response, request)
    } finally {
      pending.delete(request)
    }
  }
}

async function toServiceRequest(request: Request): Promise<ServiceRequest> {
  const { method, headers, signal } = request
  const { pathname, search } = new URL(request.url)
  return { method, path: pathname + search, headers, body: await readBody(request.body), signal }
}

/** Returns undefined, without reading the rest, if the body is too large. */
async function readBody(body: ReadableStream<Uint8Array> | null): Promise<string | undefined> {
  if (!body) return ''
  const text = new LimitedText(maxBodyBytes)
  const reader = body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (text.add(part.value)) continue
    reader.cancel().catch(() => {})
    return undefined
  }
  return text.end()
}

async function toResponse(response: ServiceResponse, request: Request): Promise<Response> {
  const { signal } = request
  if (response.delayMs) await pause(response.delayMs, signal)
  signal.throwIfAborted()
  if (response.cutAt !== undefined) return cutResponse(response, response.cutAt, request)
  if (response.hang) {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  if (response.reset) throw new TypeError('fetch failed', { cause: connectionReset() })
  const { status, headers, body } = response
  return new Response(statusesWithoutBody.has(status) ? null : body, { status, headers })
}

const statusesWithoutBody = new Set([204, 205, 304])

/** Creates a response with the full `Content-Length` and a body that breaks or stalls at byte `cutAt`. */
function cutResponse(
  { status, headers, body, hang, reset }: ServiceResponse,
  cutAt: number,
  request: Request,
): Response {
  const bytes = new TextEncoder().encode(body)
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      request.signal.addEventListener('abort', () => {
        pending.delete(request)
        controller.error(request.signal.reason)
      })
      if (cutAt > 0) controller.enqueue(bytes.slice(0, cutAt))
    },
    // The stream calls `pull` after the client has read the first bytes. An earlier error would discard them.
    pull(controller) {
      if (hang) pending.add(request)
      else controller.error(new TypeError('terminated', { cause: reset ? connectionReset() : otherSideClosed() }))
    },
    cancel: () => void pending.delete(request),
  })
  return new Response(stream, { status, headers: { ...headers, 'content-length': String(bytes.length) } })
}

function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
}

function otherSideClosed(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
}
