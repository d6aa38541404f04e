import { ConfigurationError } from '../core/errors.js'
import { bytesOf, copyOf } from '../core/internal/bytes.js'
import { alreadyRead, type Body, type ChunkReader, type RawBody } from './body.js'
import type { WebhookHandler } from './handler.js'
import { type Incoming, receiverOf } from './receiver.js'

/** The fields of Node's readable streams that the listener uses. */
export interface NodeStream {
  /** Whether other code has read from the stream. */
  readonly readableDidRead: boolean
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<unknown>
  resume(): unknown
}

/** The fields of `IncomingMessage`, Express's `Request` and Fastify's `FastifyRequest` that the listener uses. */
export type NodeRequest = NodeRequestFields & (NodeStream | { readonly raw: NodeStream })

interface NodeRequestFields {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  /** The body as a body parser returned it. */
  readonly body?: unknown
  /** The raw bytes of the body, if a body parser kept them. */
  readonly rawBody?: unknown
}

/** The fields of `ServerResponse` and Express's `Response` that the listener uses. */
export interface NodeResponse {
  statusCode: number
  /** Whether other code, such as timeout middleware, has sent a response. */
  readonly headersSent?: boolean
  /** Whether `end` was called, which completes the response. */
  readonly writableEnded?: boolean
  on?(event: 'close', listener: () => void): unknown
  setHeader(name: string, value: string): unknown
  end(body: Uint8Array): unknown
}

/** The fields of Fastify's `FastifyReply` that the listener uses. */
export interface FastifyReply {
  /** Node's response object. */
  readonly raw: NodeResponse
  hijack(): unknown
}

/**
 * A listener for `node:http`, and a route handler for Express and Fastify. Rejects only if its arguments are not Node's
 * request and response.
 */
export type NodeListener = (request: NodeRequest, response: NodeResponse | FastifyReply) => Promise<void>

/**
 * Converts a handler for `http.createServer(listener)`, `app.post('/webhooks', listener)` in Express,
 * `fastify.post('/webhooks', listener)`, and NestJS: `listener(req, res)` in a method with `@Req()` and `@Res()`.
 *
 * The signature covers the raw bytes, so a body parser must not consume them:
 *
 * - Express: mount the listener before `express.json()`, or after `express.raw({ type: 'application/json' })`.
 * - Fastify: `addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body))`.
 * - NestJS: `NestFactory.create(AppModule, { rawBody: true })`.
 *
 * If a body parser consumed the raw bytes, the response is 400, and `onError` receives a `WebhookVerificationError`
 * with `reason: 'body-not-raw'`.
 *
 * @param handler The handler from `createHandler`.
 */
export function toNodeListener(handler: WebhookHandler): NodeListener {
  const receive = receiverOf(handler)
  return async (request, response) => {
    // Prevents Fastify from sending its own response.
    if ('hijack' in Object(response)) (response as FastifyReply).hijack()
    const outgoing = ('hijack' in Object(response) ? (response as FastifyReply).raw : response) as NodeResponse
    if (typeof Object(outgoing).setHeader !== 'function') throw notFromNode()
    const { status, headers, body } = await receive(incomingOf(request, outgoing))
    if (outgoing.headersSent) return
    outgoing.statusCode = status
    for (const [name, value] of headers) outgoing.setHeader(name, value)
    outgoing.end(copyOf(body))
  }
}

function incomingOf(request: NodeRequest, response: NodeResponse): Incoming {
  const controller = new AbortController()
  response.on?.('close', () => {
    if (!response.writableEnded) controller.abort()
  })
  const { method = 'POST', url: path, headers } = request
  return {
    method,
    path,
    headers,
    signal: controller.signal,
    body: () => bodyOf(request),
  }
}

function notFromNode(): ConfigurationError {
  return new ConfigurationError(
    'The listener needs the request and the response of Node: with Koa, pass context.req and context.res',
  )
}

/** Returns the bytes that a body parser kept, or a reader of the stream. */
function bodyOf(request: NodeRequest): Body {
  const kept = [request.rawBody, request.body].find((body) => typeof body === 'string' || bytesOf(body) !== undefined)
  if (kept !== undefined) return kept as RawBody
  const stream = 'raw' in request ? request.raw : request
  if (stream.readableDidRead) throw alreadyRead()
  if (typeof stream.iterator !== 'function') throw notFromNode()
  return readerOf(stream)
}

export function readerOf(stream: NodeStream): ChunkReader {
  const chunks = stream.iterator({ destroyOnReturn: false })
  return {
    read: () => chunks.next(),
    async cancel() {
      await chunks.return?.()
      // Reads the rest of the body, because some senders read the response only after sending the whole body.
      stream.resume()
    },
  }
}
