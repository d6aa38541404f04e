import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { decodeText, UnreadableBody } from './body.js'
import { builtin } from './runtime.js'

type Zlib = typeof import('node:zlib')

/** Read a body that comes over `node:http`, as `WireAnswer.read` says. */
export function readBody<T>(incoming: IncomingMessage, maxBytes: number, parse: (text: string) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const { socket } = incoming
    const chunks: Buffer[] = []
    let size = 0
    let stream: Readable = incoming
    const fail = (error: unknown) => {
      incoming.destroy()
      stream.destroy()
      reject(error)
    }
    try {
      stream = decompressed(incoming)
    } catch (error) {
      return fail(error)
    }
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) return fail(new UnreadableBody('too-large'))
      chunks.push(chunk)
    })
    // Comes at the end of a whole body only: one that breaks off is an error.
    stream.on('end', () => {
      try {
        resolve(parse(decodeText(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))))
      } catch (error) {
        // Still ours at this moment, unless its body was compressed: then the connection is with others already.
        if (stream === incoming) socket.destroy()
        reject(error)
      }
    })
    stream.on('error', fail)
    if (stream !== incoming) incoming.on('error', fail)
  })
}

/** The body as it was before the service compressed it. */
function decompressed(incoming: IncomingMessage): Readable {
  const { headers } = incoming
  const encoding = Object.hasOwn(headers, 'content-encoding')
    ? (headers['content-encoding'] as string).toLowerCase()
    : ''
  if (encoding === 'identity' || encoding === '') return incoming
  const zlib = builtin<Zlib>('node:zlib')
  const decoders: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
    gzip: () => zlib.createGunzip(),
    'x-gzip': () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
  }
  const create = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined
  if (create === undefined) throw new UnreadableBody('unknown-encoding')
  return incoming.pipe(create())
}
