import { copyOf, fromLatin1, toHex } from '../core/internal/bytes.js'
import { unicodeEscape } from '../core/internal/escape.js'

export type BodyChange = 'body-bom' | 'body-newline' | 'body-base64' | 'body-charset' | 'body-restringified'

export type SecretChange = 'secret-padded' | 'secret-encoded'

/** A change that may explain a wrong signature, and the original body or secret before this change. */
type Candidate<Change> = readonly [change: Change, original: string | Uint8Array]

const byteOrderMark = '\uFEFF'

/** Generates the bodies that the service may have signed, if the received body was changed in transit. */
export function* possibleBodies(body: string | Uint8Array): Iterable<Candidate<BodyChange>> {
  const text = decodeUtf8(body)
  yield ['body-bom', text.startsWith(byteOrderMark) ? text.slice(1) : byteOrderMark + text]
  for (const original of [`${text}\n`, `${text}\r\n`, text.trimEnd(), text.trim()]) yield ['body-newline', original]
  for (const original of fromBase64(text)) yield ['body-base64', original]
  yield ['body-charset', fromLatin1(text)]
  for (const original of jsonFormats(text)) yield ['body-restringified', original]
}

/** Generates the secrets that may be correct, if the given secret was copied incorrectly. */
export function* possibleSecrets(secret: string | Uint8Array): Iterable<Candidate<SecretChange>> {
  const text = decodeUtf8(secret)
  for (const original of [text.trim(), text.slice(1, -1), `${text}\n`]) yield ['secret-padded', original]
  for (const original of fromBase64(text)) yield ['secret-encoded', original]
  yield ['secret-encoded', fromHex(text)]
  const bytes = copyOf(secret)
  yield ['secret-encoded', btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))]
  yield ['secret-encoded', toHex(bytes)]
}

/** Generates the JSON that common libraries would produce for the same value. */
function* jsonFormats(json: string): Iterable<string> {
  for (const layout of layoutsOf(json)) {
    for (const toFormat of formats) {
      yield toFormat(layout)
      yield `${toFormat(layout)}\n`
    }
  }
}

function layoutsOf(json: string): string[] {
  try {
    const value: unknown = JSON.parse(json)
    const indented = [2, 4, '\t', 1].map((indent) => JSON.stringify(value, null, indent))
    // Imitates Python, which adds a space after each comma and colon. Replaces only line breaks between values, because
    // JSON escapes line breaks in strings.
    const spaced = JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '')
    return [JSON.stringify(value), ...indented, spaced]
  } catch {
    return []
  }
}

const escapeSlashes = (json: string) => json.replaceAll('/', '\\/')
const escapeNonAscii = (json: string) => json.replace(/[^\0-\x7f]/g, unicodeEscape)
const escapeHtml = (json: string) => json.replace(/[<>&\u2028\u2029]/g, unicodeEscape)

/** Escaping rules of JavaScript, PHP with JSON_UNESCAPED_UNICODE, Python, PHP and Go, in this order. */
const formats = [
  (json: string) => json,
  escapeSlashes,
  escapeNonAscii,
  (json: string) => escapeNonAscii(escapeSlashes(json)),
  escapeHtml,
]

function decodeUtf8(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : new TextDecoder('utf-8', { ignoreBOM: true }).decode(value)
}

/** Decodes base64 or base64url. Returns an empty array for any other text. */
function fromBase64(text: string): Uint8Array[] {
  try {
    return [fromLatin1(atob(text.replaceAll('-', '+').replaceAll('_', '/')))]
  } catch {
    return []
  }
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.matchAll(/../g), ([digits]) => Number.parseInt(digits, 16))
}
