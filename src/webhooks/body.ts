import { WebhookVerificationError } from '../errors.js'
import { bytesOf, readBytes } from '../internal/bytes.js'

/** A body exactly as it was received: a string, or its bytes in a `Buffer`, any other view or an `ArrayBuffer`. */
export type RawBody = string | ArrayBufferView | ArrayBuffer

export function readRawBody(rawBody: unknown, maxBytes = Number.POSITIVE_INFINITY): string | Uint8Array {
  const body = typeof rawBody === 'string' ? rawBody : bytesOf(rawBody)
  if (body === undefined) throw notRaw(rawBody)
  // Rejects unpaired surrogates. Decoded UTF-8 never contains them, and encoding would change them.
  if (typeof body === 'string' && !body.isWellFormed()) {
    throw new WebhookVerificationError('body-not-raw', 'The body contains unpaired surrogates: pass the raw bytes')
  }
  if (isLarger(body, maxBytes)) throw tooLarge(maxBytes)
  return body
}

export async function readRequestBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw alreadyRead()
  const bytes = await readBytes(request.body, maxBytes)
  if (bytes === undefined) throw tooLarge(maxBytes)
  return bytes
}

function isLarger(body: string | Uint8Array, maxBytes: number): boolean {
  if (typeof body !== 'string') return body.byteLength > maxBytes
  // Stryker disable next-line all: the comparison only makes short bodies faster.
  if (body.length * 3 <= maxBytes) return false
  // Stryker disable next-line ConditionalExpression: the comparison only makes long bodies faster.
  return body.length > maxBytes || new TextEncoder().encode(body).byteLength > maxBytes
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
