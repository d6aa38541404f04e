import { bytesOf, copyOf } from '../internal/bytes.js'
import { alreadyRead } from './body.js'
import type { WebhookHandler } from './handler.js'

/** What is used of a stream of Node's. */
export interface NodeStream {
  /** Whether somebody has read from it. */
  readonly readableDidRead: boolean
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<unknown>
  resume(): unknown
}

/** What is used of `IncomingMessage`, and Express's `Request`; and of Fastify's `FastifyRequest`, which has it in `raw`. */
export type NodeRequest = NodeRequestFacts & (NodeStream | { readonly raw: NodeStream })

interface NodeRequestFacts {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  /** What a body parser left. */
  readonly body?: unknown
  /** The bytes that a body parser kept. */
  readonly rawBody?: unknown
}

/** What is used of `ServerResponse` and Express's `Response`. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: Uint8Array): unknown
}

/** What is used of Fastify's `FastifyReply`. */
export interface FastifyReply {
  /** Node's response beneath. */
  readonly raw: NodeResponse
  hijack(): unknown
}

/** A listener of `node:http`, and a route handler of Express and Fastify. Its promise never rejects. */
export type NodeListener = (request: NodeRequest, response: NodeResponse | FastifyReply) => Promise<void>

/**
 * Make a handler fit `http.createServer(listener)`, `app.post('/webhooks', listener)` of Express, and
 * `fastify.post('/webhooks', listener)`.
 *
 * The signature covers the raw bytes, so no body parser may have consumed them: mount it before `express.json()`, or
 * behind `express.raw({ type: 'application/json' })`, or let the parser keep the bytes in `rawBody`; with Fastify use
 * `addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body))`. Anything else
 * is answered 400, and `onError` hears that the body is not raw.
 */
export function toNodeListener(handler: WebhookHandler): NodeListener {
  return async (request, response) => {
    const outgoing = takeOver(response)
    const { status, headers, body } = await ask(handler, request)
    outgoing.statusCode = status
    for (const [name, value] of headers) outgoing.setHeader(name, value)
    outgoing.end(body)
  }
}

/** The response beneath, which Fastify must be told to leave to us. */
function takeOver(response: NodeResponse | FastifyReply): NodeResponse {
  if (!('hijack' in response)) return response
  response.hijack()
  return response.raw
}

async function ask(handler: WebhookHandler, request: NodeRequest) {
  try {
    const response = await handler(toFetchRequest(request))
    const body = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, body }
  } catch {
    return { status: 500, headers: [], body: new Uint8Array() }
  }
}

/** Its URL has the path that was asked for, but no host: a webhook handler has no use for one. */
function toFetchRequest(request: NodeRequest): Request {
  const { method = 'POST', url } = request
  const headers = new Headers()
  for (const [name, values] of Object.entries(request.headers)) {
    // HTTP/2 lists the method and the path among the headers, as `:method` and `:path`.
    if (name.startsWith(':')) continue
    for (const value of [values].flat()) if (value !== undefined) headers.append(name, value)
  }
  const body = method === 'GET' || method === 'HEAD' ? undefined : rawBodyOf(request)
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, duplex: 'half' }
  return new Request(`http://localhost${url?.startsWith('/') ? url : ''}`, init)
}

/** The bytes that a body parser kept, else the stream. Where neither is left, reading the body says so. */
function rawBodyOf(request: NodeRequest): BodyInit {
  const kept = [request.rawBody, request.body].find((body) => typeof body === 'string' || bytesOf(body) !== undefined)
  if (kept !== undefined) return kept as BodyInit
  const stream = 'raw' in request ? request.raw : request
  if (stream.readableDidRead) return new ReadableStream({ start: (controller) => controller.error(alreadyRead()) })
  return streamOf(stream)
}

function streamOf(stream: NodeStream): ReadableStream<Uint8Array> {
  const chunks = stream.iterator({ destroyOnReturn: false })
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(copyOf(value as string | Uint8Array))
    },
    async cancel() {
      await chunks.return?.()
      // Let the rest arrive and be dropped, so that the sender comes to read the answer.
      stream.resume()
    },
  })
}
