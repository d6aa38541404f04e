import { WebhookPayloadError } from '../errors.js'

const strictly = new TextDecoder('utf-8', { fatal: true })

/** The JSON in a body. A byte order mark is skipped. */
export function parsePayload(body: string | Uint8Array): unknown {
  const text = typeof body === 'string' ? withoutByteOrderMark(body) : decodeText(body)
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the body.
    throw new WebhookPayloadError('The body is properly signed, but is not JSON', text)
  }
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

function decodeText(bytes: Uint8Array): string {
  try {
    return strictly.decode(bytes)
  } catch {
    throw new WebhookPayloadError('The body is properly signed, but is not UTF-8', new TextDecoder().decode(bytes))
  }
}
