import { WebhookVerificationError } from '../errors.js'
import { bytesOf } from '../internal/bytes.js'

/** A body exactly as it was received: text, or its bytes in a `Buffer`, any other view or an `ArrayBuffer`. */
export type RawBody = string | ArrayBufferView | ArrayBuffer

/** The body, known to be raw and not too large. Text stays text: it is hashed and parsed as it is. */
export function readRawBody(rawBody: unknown, maxBytes = Number.POSITIVE_INFINITY): string | Uint8Array {
  const body = typeof rawBody === 'string' ? rawBody : bytesOf(rawBody)
  if (body === undefined) throw notRaw(rawBody)
  // Text decoded from UTF-8 is well formed; any other would be hashed with its lone surrogates replaced.
  if (typeof body === 'string' && !body.isWellFormed()) {
    throw new WebhookVerificationError('body-not-raw', 'The body is text that was never UTF-8: pass its bytes')
  }
  if (isLarger(body, maxBytes)) throw tooLarge(maxBytes)
  return body
}

function isLarger(body: string | Uint8Array, maxBytes: number): boolean {
  if (typeof body !== 'string') return body.byteLength > maxBytes
  if (body.length * 3 <= maxBytes) return false
  return body.length > maxBytes || new TextEncoder().encode(body).byteLength > maxBytes
}

export function tooLarge(maxBytes: number): WebhookVerificationError {
  return new WebhookVerificationError('too-large', `The body has more than ${maxBytes} bytes (option maxBytes)`)
}

/** For a body that was parsed, or is not there. */
function notRaw(body: unknown): WebhookVerificationError {
  const what = body === undefined || body === null ? 'There is no body' : 'The body is not raw: it was parsed'
  return new WebhookVerificationError(
    'body-not-raw',
    `${what}. The signature covers the raw bytes: pass the body as it was received, before any JSON parser`,
  )
}

/** For a request whose body somebody else has read. */
export function alreadyRead(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body-not-raw',
    'The body was read before the webhook handler came to it. The signature covers the raw bytes: ' +
      'mount the handler before any body parser, or have the parser keep them (a Buffer in rawBody or body)',
  )
}
