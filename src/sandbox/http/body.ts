import type { IncomingMessage } from 'node:http'

/** Decodes the UTF-8 chunks of a body, up to a number of bytes. */
export class LimitedText {
  readonly #decoder = new TextDecoder()
  #bytesLeft: number
  #text = ''

  constructor(maxBytes: number) {
    this.#bytesLeft = maxBytes
  }

  /** Adds a chunk. Returns false if the body is too large. */
  add(chunk: Uint8Array): boolean {
    this.#bytesLeft -= chunk.length
    if (this.#bytesLeft < 0) return false
    this.#text += this.#decoder.decode(chunk, { stream: true })
    return true
  }

  end(): string {
    return this.#text + this.#decoder.decode()
  }
}

/**
 * Reads the body of a request to a server. Resolves to undefined as soon as the body is too large, and discards the rest:
 * some clients read the response only after they sent the whole body.
 *
 * @throws {Error} The client disconnected.
 */
export function readText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const text = new LimitedText(maxBytes)
    const onData = (chunk: Uint8Array) => {
      if (text.add(chunk)) return
      request.off('data', onData).resume()
      resolve(undefined)
    }
    request
      .on('data', onData)
      .on('end', () => resolve(text.end()))
      .on('error', reject)
      .on('close', () => reject(new Error('The client disconnected')))
  })
}
