import type { UnreadableReason } from '../../errors.js'

/** Thrown when the bytes of an answer cannot be made into text or JSON. */
export class UnreadableBody extends Error {
  constructor(readonly reason: UnreadableReason) {
    super(reason)
  }
}

/**
 * Read a body as text, at most `maxBytes` of it after decompression.
 *
 * Throws `UnreadableBody` when it is too large or not UTF-8, and whatever the connection throws when it breaks.
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
  let size = 0
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decode(decoder)
      size += value.byteLength
      if (size > maxBytes) throw new UnreadableBody('too-large')
      text += decode(decoder, value)
    }
  } catch (error) {
    // The rest is not wanted: its connection is let go.
    reader.cancel().catch(() => {})
    throw error
  }
}

const whole = new TextDecoder('utf-8', { fatal: true })

/** Bytes that are all there, as text. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return whole.decode(bytes)
  } catch {
    throw new UnreadableBody('not-utf-8')
  }
}

function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    throw new UnreadableBody('not-utf-8')
  }
}

/**
 * Where nesting has no end in sight, so many brackets close in a row. Whoever walks such a value by recursion, as
 * `JSON.stringify` does, runs out of stack. (Nothing in this package walks an answer by recursion.)
 */
const deepest = 500
const endOfDeepest = new RegExp(`[\\]}]{${deepest}}`)

function isBottomless(text: string): boolean {
  // So many brackets in a row cannot be stepped over.
  for (let index = deepest - 1; index < text.length; index += deepest) {
    const around = isClosing(text.charCodeAt(index)) && text.slice(index - deepest + 1, index + deepest)
    if (around && endOfDeepest.test(around)) return true
  }
  return false
}

function isClosing(character: number): boolean {
  return character === 0x5d || character === 0x7d
}

/** Parse JSON. `JSON.parse` would quote the body in its error; this one does not. */
export function parseJson(text: string): unknown {
  if (isBottomless(text)) throw new UnreadableBody('too-deep')
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadableBody(text.trim() === '' ? 'empty' : 'not-json')
  }
}
