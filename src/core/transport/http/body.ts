import type { UnreadableReason } from '../../errors.js'

export class UnreadableBody extends Error {
  constructor(readonly reason: UnreadableReason) {
    super(reason)
  }
}

export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return ''
  // A custom `fetch`, such as a mock, may return a response without a body stream.
  if (response.body === undefined) return response.text()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = readerOf(response.body)
  let size = 0
  let body = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return body + decode(decoder)
      size += value.byteLength
      if (size > maxBytes) throw new UnreadableBody('too-large')
      body += decode(decoder, value, true)
    }
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error
  }
}

/** Returns a reader of the body. Also accepts a Node stream, the body type of node-fetch. */
function readerOf(body: ReadableStream<Uint8Array>): ReadableStreamDefaultReader<Uint8Array> {
  if ('getReader' in body) return body.getReader()
  const { from } = ReadableStream as unknown as { from(iterable: unknown): ReadableStream<Uint8Array> }
  return from.call(ReadableStream, body).getReader()
}

export const decodeText = (bytes: Uint8Array): string => decode(new TextDecoder('utf-8', { fatal: true }), bytes)

function decode(decoder: TextDecoder, bytes?: Uint8Array, stream = false): string {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    throw new UnreadableBody('not-utf-8')
  }
}

/**
 * JSON from the service is rejected at this nesting depth, because deeper JSON would overflow the stack in recursive
 * code such as `JSON.stringify`.
 */
const maxDepth = 500

/** Returns whether JSON is nested too deeply. Counts the open brackets outside of strings. */
function isTooDeep(json: string): boolean {
  let depth = 0
  let isString = false
  for (let index = 0; index < json.length; index++) {
    const character = json[index]
    if (character === '"') isString = !isString
    else if (character === '\\') index++
    else if (isString) continue
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (depth >= maxDepth) return true
  }
  return false
}

/** Parses JSON. Its errors do not quote the body, unlike those of `JSON.parse`. */
export function parseJson(json: string): unknown {
  if (isTooDeep(json)) throw new UnreadableBody('too-deep')
  try {
    return JSON.parse(json)
  } catch {
    throw new UnreadableBody(json.trim() === '' ? 'empty' : 'not-json')
  }
}
