import { copyOf, toHex } from '../internal/bytes.js'

/** Something that may have happened on the way, and what was there before. */
type Mishap<Code> = readonly [code: Code, original: string | Uint8Array]

export type BodyMishap = 'body-bom' | 'body-newline' | 'body-base64' | 'body-charset' | 'body-restringified'

export type SecretMishap = 'secret-padded' | 'secret-encoded'

const byteOrderMark = '\uFEFF'

/** What the body may have been when it was signed. */
export function* bodiesBefore(body: string | Uint8Array): Iterable<Mishap<BodyMishap>> {
  const text = textOf(body)
  yield ['body-bom', text.startsWith(byteOrderMark) ? text.slice(1) : byteOrderMark + text]
  for (const original of [`${text}\n`, `${text}\r\n`, text.trimEnd(), text.trim()]) yield ['body-newline', original]
  for (const original of fromBase64(text)) yield ['body-base64', original]
  yield ['body-charset', fromLatin1(text)]
  for (const original of spellingsOf(text)) yield ['body-restringified', original]
}

/** What the secret may have been before somebody copied it. */
export function* secretsBefore(secret: string | Uint8Array): Iterable<Mishap<SecretMishap>> {
  const text = textOf(secret)
  const [withoutQuotes, withNewline] = [text.slice(1, -1), `${text}\n`]
  for (const original of [text.trim(), withoutQuotes, withNewline]) yield ['secret-padded', original]
  for (const original of fromBase64(text)) yield ['secret-encoded', original]
  yield ['secret-encoded', fromHex(text)]
  const bytes = copyOf(secret)
  yield ['secret-encoded', btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))]
  yield ['secret-encoded', toHex(bytes)]
}

/** The ways in which other writers of JSON would have put the same value. */
function* spellingsOf(text: string): Iterable<string> {
  for (const layout of layoutsOf(text)) {
    for (const respell of respellings) {
      yield respell(layout)
      yield `${respell(layout)}\n`
    }
  }
}

function layoutsOf(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text)
    const indented = [2, 4, '\t', 1].map((indent) => JSON.stringify(value, null, indent))
    // Python puts a blank behind each comma and colon. Line breaks of the layout are the only ones: texts have theirs escaped.
    const spaced = JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '')
    return [JSON.stringify(value), ...indented, spaced]
  } catch {
    return []
  }
}

const escapeAs = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
const escapeSlashes = (json: string) => json.replaceAll('/', '\\/')
const escapeNonAscii = (json: string) => json.replace(/[^\0-\x7f]/g, escapeAs)
const escapeHtml = (json: string) => json.replace(/[<>&\u2028\u2029]/g, escapeAs)

/** JavaScript's, PHP's (slashes, unless told not to), Python's, PHP's default, Go's. */
const respellings = [
  (json: string) => json,
  escapeSlashes,
  escapeNonAscii,
  (json: string) => escapeNonAscii(escapeSlashes(json)),
  escapeHtml,
]

function textOf(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : new TextDecoder('utf-8', { ignoreBOM: true }).decode(value)
}

/** At most one: nothing where the text is no base64, of either alphabet. */
function fromBase64(text: string): Uint8Array[] {
  try {
    return [fromLatin1(atob(text.replaceAll('-', '+').replaceAll('_', '/')))]
  } catch {
    return []
  }
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
}

function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0))
}
