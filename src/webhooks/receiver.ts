import { copyOf } from '../core/internal/bytes.js'
import { alreadyRead, type Body, type ChunkReader, isReader } from './body.js'

/** A request from any framework. */
export interface Incoming {
  readonly method: string
  readonly path?: string | undefined
  readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined }
  /**
   * Returns a signal that aborts when the client disconnects. This is a method, so that the signal is created only if
   * an event function needs it.
   */
  signal(): AbortSignal
  /** Returns the body. Throws if the body's raw bytes are unavailable. */
  body(): Body
}

/** A response for any framework. */
export interface Outgoing {
  readonly status: number
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly body: string | Uint8Array
}

/** Handles a request without Fetch objects, because creating them takes longer than verifying the webhook. */
export type Receiver = (incoming: Incoming) => Promise<Outgoing>

type FetchHandler = (request: Request) => Promise<Response>

const receivers = new WeakMap<FetchHandler, Receiver>()

/** Converts a receiver to a Fetch handler. */
export function toFetchHandler(receive: Receiver): FetchHandler {
  const handler = async (request: Request) => {
    const { status, headers, body } = await receive(new FetchIncoming(request))
    return new Response(body === '' ? null : (body as BodyInit), {
      status,
      headers: [...headers] as [string, string][],
    })
  }
  receivers.set(handler, receive)
  return handler
}

/**
 * Returns the receiver of a handler from `createHandler`, or converts any other Fetch handler. The receiver never
 * rejects: if the handler rejects, the response is 500.
 */
export function receiverOf(handler: FetchHandler): Receiver {
  const fetching: Receiver = async (incoming) => {
    const response = await handler(createRequest(incoming))
    return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) }
  }
  const receive = receivers.get(handler) ?? fetching
  return async (incoming) => {
    try {
      return await receive(incoming)
    } catch {
      return { status: 500, headers: [], body: '' }
    }
  }
}

/**
 * Converts a `Request`. Reads its properties only when they are needed, because a caller may pass another value by
 * mistake, such as Hono's context. The handler reports this mistake.
 */
class FetchIncoming implements Incoming {
  constructor(private readonly request: Request) {}

  get method(): string {
    return this.request.method
  }

  get headers(): Headers {
    return this.request.headers
  }

  signal(): AbortSignal {
    return this.request.signal
  }

  body(): Body {
    const { body, bodyUsed } = this.request
    if (bodyUsed || body?.locked) throw alreadyRead()
    return body?.getReader() ?? ''
  }
}

/** Creates a Fetch request. The host in its URL is a placeholder. */
function createRequest(incoming: Incoming): Request {
  const { method, path, headers } = incoming
  const fetchHeaders = new Headers()
  for (const [name, values] of Object.entries(headers)) {
    // Skips HTTP/2 pseudo-headers, such as `:method`, which `Headers` rejects.
    if (name.startsWith(':')) continue
    for (const value of [values].flat()) {
      // Replaces characters outside Latin-1, which `Headers` rejects.
      if (typeof value === 'string') fetchHeaders.append(name, value.replace(/[^\0-\xff]/g, '?'))
    }
  }
  // `Request` rejects these methods. The request is created as a GET, and gets its real method below.
  const isForbidden = ['CONNECT', 'TRACE', 'TRACK'].includes(method.toUpperCase())
  const hasBody = !isForbidden && method !== 'GET' && method !== 'HEAD'
  const request = new Request(`http://localhost${path?.startsWith('/') ? path : ''}`, {
    method: isForbidden ? 'GET' : method,
    headers: fetchHeaders,
    body: hasBody ? fetchBodyOf(incoming) : undefined,
    signal: incoming.signal(),
    duplex: 'half',
  } as RequestInit)
  return isForbidden ? Object.defineProperty(request, 'method', { value: method }) : request
}

/** Returns the body. If the raw bytes are unavailable, returns a stream that fails when it is read. */
function fetchBodyOf(incoming: Incoming): BodyInit {
  try {
    const body = incoming.body()
    return isReader(body) ? streamOf(body) : (body as BodyInit)
  } catch (error) {
    return new ReadableStream({ start: (controller) => controller.error(error) })
  }
}

function streamOf(reader: ChunkReader): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(copyOf(value as string | Uint8Array))
    },
    async cancel() {
      await reader.cancel()
    },
  })
}
