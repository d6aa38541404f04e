import type { SandboxFetch } from '../api.js'
import { pause } from '../internal/clock.js'
import {
  maxBodyBytes,
  type ResponseEnding,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from '../internal/exchange.js'
import { readText } from './body.js'

/**
 * Requests that hang until their signal aborts. Without this reference, a request could be garbage-collected before its
 * signal aborts.
 */
const pending = new Set<Request>()

/** Creates a fetch for the service. It accepts any host, never redirects, and throws the same errors as Node's. */
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
  const body = await readText(request.body?.getReader() ?? '', maxBodyBytes)
  return { method, path: pathname + search, headers, body, signal }
}

async function toResponse({ status, headers, body, delayMs, ending }: ServiceResponse, request: Request) {
  const { signal } = request
  if (delayMs) await pause(delayMs, signal)
  signal.throwIfAborted()
  if (ending.kind === 'complete')
    return new Response(statusesWithoutBody.has(status) ? null : body, { status, headers })
  if (ending.kind === 'cut') {
    const contentLength = { 'content-length': String(ending.length) }
    return new Response(cutBody(ending, request), { status, headers: { ...headers, ...contentLength } })
  }
  if (ending.then === 'reset') throw new TypeError('fetch failed', { cause: connectionReset() })
  return new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

const statusesWithoutBody = new Set([204, 205, 304])

/** Creates a body that breaks or stalls after its first part. */
function cutBody({ part, then }: ResponseEnding & { kind: 'cut' }, request: Request): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      request.signal.addEventListener('abort', () => {
        pending.delete(request)
        controller.error(request.signal.reason)
      })
      if (part.length > 0) controller.enqueue(part)
    },
    // The stream calls `pull` after the client has read the first bytes. An earlier error would discard these bytes.
    pull(controller) {
      if (then === 'hang') pending.add(request)
      else {
        const cause = then === 'reset' ? connectionReset() : otherSideClosed()
        controller.error(new TypeError('terminated', { cause }))
      }
    },
    cancel: () => void pending.delete(request),
  })
}

function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })
}

function otherSideClosed(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
}
