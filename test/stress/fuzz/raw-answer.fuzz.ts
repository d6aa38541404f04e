import { createServer, type Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { PaymentsClient, PaymentsError } from 'payments-client'
import { PaymentSchema } from 'payments-client/schemas'
import { Decisions, seed } from './decisions.js'

const maxResponseBytes = 2048

/**
 * Checks that a call settles when the server responds with arbitrary bytes and closes or resets the connection.
 *
 * The call may return a payment only if a 2xx response contains it. In all other cases, it must throw a `PaymentsError`.
 * The outcome may be `rejected` only after a 4xx, `accepted` only after a 2xx, and never `not_sent`.
 */
export async function fuzz(input: Uint8Array): Promise<void> {
  const decisions = new Decisions(input)
  const frame = decisions.choose(frames)
  const status = decisions.choose(statusLines)
  const isReset = decisions.number() % 4 === 3
  answer = frame(status, decisions.rest())
  ending = isReset ? 'reset' : 'closed'
  const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: await address(), maxRetries: 0, maxResponseBytes })

  const found = await client.payments.capture('pay_1').then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )

  const heard = Buffer.from(answer).toString('latin1')
  const has = (digit: number) => new RegExp(`HTTP/1\\.[01] ${digit}\\d\\d`).test(heard)
  const text = `${JSON.stringify(heard)}, ${ending}`
  if ('value' in found) {
    if (frame === tooShort) throw new Error(`${text}: the client accepts a truncated body`)
    if (!has(2) || !PaymentSchema.safeParse(found.value).success)
      throw new Error(`${text}: the client returns an invalid payment`)
  } else {
    if (!(found.error instanceof PaymentsError)) throw found.error
    const { outcome } = found.error
    const isRight = outcome === 'unknown' || (outcome === 'rejected' && has(4)) || (outcome === 'accepted' && has(2))
    if (!isRight) throw new Error(`${text}: ${outcome}`)
  }
}

const statusLines = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 404 Not Found',
  'HTTP/1.1 503 Busy',
  'HTTP/1.0 200 OK',
]

type Frame = (status: string, bytes: Uint8Array) => Uint8Array

/** Returns a response with fewer bytes than its `Content-Length`. */
const tooShort: Frame = (status, bytes) => joined(`${status}\r\ncontent-length: ${bytes.length + 5}\r\n\r\n`, bytes)

/** Functions that frame bytes as an HTTP response. */
const frames: readonly Frame[] = [
  tooShort,
  (_, bytes) => bytes,
  (status, bytes) => joined(`${status}\r\n`, bytes),
  (status, bytes) => joined(`${status}\r\ncontent-length: ${bytes.length}\r\n\r\n`, bytes),
  (status, bytes) => joined(`${status}\r\n\r\n`, bytes),
  (status, bytes) =>
    joined(`${status}\r\ntransfer-encoding: chunked\r\n\r\n${bytes.length.toString(16)}\r\n`, bytes, '\r\n0\r\n\r\n'),
  (status, bytes) => joined(`${status}\r\ntransfer-encoding: chunked\r\n\r\n`, bytes),
  (status, bytes) => {
    const zipped = gzipSync(bytes)
    return joined(`${status}\r\ncontent-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n\r\n`, zipped)
  },
  (status, bytes) => joined(`${status}\r\ncontent-encoding: gzip\r\n\r\n`, gzipSync(bytes).subarray(0, -3)),
  (status, bytes) => joined(`${status}\r\ncontent-encoding: br\r\n\r\n`, bytes),
  (status, bytes) => joined(`HTTP/1.1 103 Early Hints\r\n\r\n${status}\r\n`, bytes),
]

function joined(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

let answer: Uint8Array = new Uint8Array()
let ending: 'closed' | 'reset' = 'closed'
let server: Server | undefined

/** Returns the URL of a server that sends `answer` on every connection. The first call starts the server. */
async function address(): Promise<string> {
  server ??= await new Promise<Server>((resolve) => {
    const starting = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        if (ending === 'closed') socket.end(answer)
        else socket.write(answer, () => socket.resetAndDestroy())
      })
    })
    // Lets the process exit while the server listens.
    starting.unref().listen(0, '127.0.0.1', () => resolve(starting))
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const payment = '{"id":"pay_1","status":"SETTLED","amount":700}'

export const seeds = [
  ...frames.flatMap((_, frame) => [0, 2].map((status) => seed(frame, status, 0, payment))),
  ...frames.map((_, frame) => seed(frame, 0, 3, payment)),
  seed(1, 0, 0, `HTTP/1.1 200 OK\r\nContent-Length: ${payment.length}\r\nConnection: keep-alive\r\n\r\n${payment}`),
  seed(
    1,
    0,
    0,
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n0\r\nX: y\r\n\r\n',
  ),
  seed(2, 0, 0, `Content-Encoding: deflate\r\n\r\n${payment}`),
]

export const words = [
  ...[
    'HTTP/1.1 ',
    '101 ',
    '\r\n',
    '\r\n\r\n',
    'Content-Length: ',
    'Transfer-Encoding: ',
    'chunked',
    'Content-Encoding: ',
  ],
  ...['gzip', 'x-gzip', 'deflate', 'br', 'identity', 'Connection: ', 'Upgrade: ', 'Location: ', 'Trailer: ', payment],
]
