import { bytesOf, copyOf } from '../core/internal/bytes.js'
import { WebhookVerificationError } from './errors.js'

/** A body exactly as it was received: a string, or its bytes in a `Buffer`, any other view or an `ArrayBuffer`. */
export type RawBody = string | ArrayBufferView | ArrayBuffer

export function readRawBody(rawBody: unknown, maxBytes = Number.POSITIVE_INFINITY): string | Uint8Array {
  const body = typeof rawBody === 'string' ? rawBody : bytesOf(rawBody)
  if (body === undefined) throw notRaw(rawBody)
  // A string with unpaired surrogates cannot come from UTF-8, so encoding it would not return the signed bytes.
  if (typeof body === 'string' && !body.isWellFormed()) {
    throw new WebhookVerificationError('body-not-raw', 'The body contains unpaired surrogates: pass the raw bytes')
  }
  const { byteLength } = typeof body === 'string' ? copyOf(body) : body
  if (byteLength > maxBytes) throw tooLarge(maxBytes)
  return body
}

/** A reader that returns a body in chunks, for example a `ReadableStreamDefaultReader`. */
export interface ChunkReader {
  read(): Promise<{ done?: boolean | undefined; value?: unknown }>
  /** Discards the rest of the body. */
  cancel(): Promise<unknown>
}

/** A body that was already read, or the reader of its chunks. */
export type Body = RawBody | ChunkReader

export function isReader(body: Body): body is ChunkReader {
  return typeof body === 'object' && 'read' in body
}

/** Returns the raw bytes of a body. Stops reading as soon as the body exceeds `maxBytes`. */
export async function readBody(body: Body, maxBytes: number): Promise<string | Uint8Array> {
  if (!isReader(body)) return readRawBody(body, maxBytes)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (let part = await body.read(); !part.done; part = await body.read()) {
    const chunk = typeof part.value === 'string' ? copyOf(part.value) : (part.value as Uint8Array<ArrayBuffer>)
    size += chunk.byteLength
    if (size > maxBytes) {
      body.cancel().catch(() => {})
      throw tooLarge(maxBytes)
    }
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

function tooLarge(maxBytes: number): WebhookVerificationError {
  return new WebhookVerificationError('too-large', `The body has more than ${maxBytes} bytes (option maxBytes)`)
}

function notRaw(body: unknown): WebhookVerificationError {
  const problem =
    body === undefined || body === null ? 'There is no body' : 'The body was parsed, or its buffer was transferred'
  return new WebhookVerificationError(
    'body-not-raw',
    `${problem}. The signature covers the raw bytes: pass the body as received, before any JSON parser`,
  )
}

export function alreadyRead(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body-not-raw',
    'The body was read before the webhook handler was called. The signature covers the raw bytes: mount the handler ' +
      'before any body parser, or configure the parser to keep the bytes (a Buffer in rawBody or body)',
  )
}
