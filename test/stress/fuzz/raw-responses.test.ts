import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { PaymentsError } from 'payments-client'
import { PaymentSchema } from 'payments-client/schemas'
import { expect, it } from 'vitest'
import { clientOf, serve } from '../../support/clients.js'
import { fin, read, rst, write } from '../../support/scripted-server.js'
import { mutated } from './mutated.js'

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

const payment = '{"id":"pay_1","status":"SETTLED","amount":700}'
const texts = [
  payment,
  `HTTP/1.1 200 OK\r\nContent-Length: ${payment.length}\r\nConnection: keep-alive\r\n\r\n${payment}`,
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\n{\r\n0\r\nX: y\r\n\r\n',
  `Content-Encoding: deflate\r\n\r\n${payment}`,
]
const words = [
  ...['HTTP/1.1 ', '101 ', '\r\n', '\r\n\r\n', 'Content-Length: ', 'Transfer-Encoding: ', 'chunked', 'Trailer: '],
  ...['Content-Encoding: ', 'gzip', 'x-gzip', 'deflate', 'br', 'identity', 'Connection: ', 'Upgrade: ', 'Location: '],
]

it('the client returns a valid payment or a typed error for any response bytes', async () => {
  let response: Uint8Array = new Uint8Array()
  let end = fin()
  const server = await serve([read(), write(() => response), (connection) => end(connection)])
  const client = clientOf(server, { maxResponseBytes: 2048 })
  const endings = fc.constantFrom(fin(), fin(), fin(), rst())
  const input = [fc.constantFrom(...frames), fc.constantFrom(...statusLines), mutated(texts, words), endings] as const

  await fc.assert(
    fc.asyncProperty(...input, async (frame, status, bytes, ending) => {
      response = frame(status, bytes)
      end = ending

      const result = await client.payments.capture('pay_1').then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )

      const has = (digit: number) =>
        new RegExp(`HTTP/1\\.[01] ${digit}\\d\\d`).test(Buffer.from(response).toString('latin1'))
      if ('value' in result) {
        expect(frame).not.toBe(tooShort)
        expect([has(2), PaymentSchema.safeParse(result.value).success]).toEqual([true, true])
      } else {
        expect(result.error).toBeInstanceOf(PaymentsError)
        const possible = ['unknown', ...(has(4) ? ['rejected'] : []), ...(has(2) ? ['accepted'] : [])]
        expect(possible).toContain((result.error as PaymentsError).outcome)
      }
    }),
  )
})
