import { readBytes } from '../internal/bytes.js'
import { alreadyRead, tooLarge } from './body.js'

/** Reads the bytes of a request, up to a limit. */
export async function readRequestBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw alreadyRead()
  const bytes = await readBytes(request.body, maxBytes)
  if (bytes === undefined) throw tooLarge(maxBytes)
  return bytes
}
