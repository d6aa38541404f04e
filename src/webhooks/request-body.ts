import { alreadyRead, tooLarge } from './body.js'

/** The bytes of a request, read no further than the limit. */
export async function readRequestBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw alreadyRead()
  if (request.body === null) return new Uint8Array()

  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.byteLength
    if (size > maxBytes) {
      // Whether the sender can be stopped makes no difference to the answer.
      reader.cancel().catch(() => {})
      throw tooLarge(maxBytes)
    }
    chunks.push(part.value)
  }
  return concatenate(chunks, size)
}

function concatenate(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
