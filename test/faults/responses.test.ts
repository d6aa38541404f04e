import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import type { UnreadableResponseError } from 'payments-client'
import { describe, expect, it } from 'vitest'
import {
  captureOn,
  clientOf,
  describeWithEachAdapter,
  failureOf,
  payment,
  retryAtOnce,
  serve,
  until,
} from '../support/clients.js'
import { manualLimits, othersFinish } from '../support/clock.js'
import {
  fin,
  forever,
  hang,
  okHead,
  read,
  respondWith,
  responseBytes,
  type Script,
  wait,
  write,
} from '../support/scripted-server.js'
import { runProgram } from './support/program.js'

const body = JSON.stringify(payment)

/** A valid response whose body is the first 10 bytes of a payment. */
const shortened = okHead('content-length: 10') + body.slice(0, 10)

describeWithEachAdapter('a client that receives a truncated response', (clientOf) => {
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const framings: [string, string, string][] = [
    ['with Content-Length', okHead(`content-length: ${body.length}`), body],
    [
      'with chunked encoding',
      okHead('transfer-encoding: chunked'),
      `${chunk(body.slice(0, 40))}${chunk(body.slice(40))}0\r\n\r\n`,
    ],
    ['that ends when the connection closes', okHead('connection: close'), body],
  ]

  it.each(framings)(
    'throws a typed error regardless of where the response is cut off: %s',
    async (_, head, content) => {
      const bytes = head + content
      const cuts = Array.from({ length: bytes.length + 1 }, (_, at) => at)
      const server = await serve(...cuts.map((at) => [read(), write(bytes.slice(0, at)), fin()]))
      const client = clientOf(server)

      for (const at of cuts.slice(0, -1)) {
        const error = await failureOf(client.payments.capture('pay_1'))
        expect([at, error.outcome]).toEqual([at, at < head.length ? 'unknown' : 'accepted'])
      }

      await expect(client.payments.capture('pay_1')).resolves.toEqual(payment)
      expect(server.requests).toHaveLength(cuts.length)
    },
  )

  it('retries with the same idempotency key after a truncated response', async () => {
    retryAtOnce()
    const server = await serve([read(), write(responseBytes(payment).slice(0, -5)), fin()], respondWith(payment))

    const { data, response } = await clientOf(server, { maxRetries: 2 }).payments.refund('pay_1').withResponse()

    expect(data).toEqual(payment)
    expect(response.attempts).toMatchObject([{ status: 200, code: 'ERR_UNREADABLE_RESPONSE' }, { status: 200 }])
    expect(server.requests[1]?.raw).toEqual(server.requests[0]?.raw)
  })
})

describeWithEachAdapter('a client that receives a malformed response', (clientOf) => {
  it.each([
    ['two lengths', okHead(`content-length: ${body.length}`, 'content-length: 10') + body],
    [
      'a length and chunked encoding',
      `${okHead(`content-length: 10`, 'transfer-encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['garbage', 'garbage\r\n\r\n'],
    ['a header of 64 KiB', okHead(`x-long: ${'a'.repeat(64 * 1024)}`, `content-length: ${body.length}`) + body],
    ['an invalid chunk size', `${okHead('transfer-encoding: chunked')}zz\r\n${body}\r\n0\r\n\r\n`],
  ])('throws a typed error and closes the connection: %s', async (_, bytes) => {
    const server = await serve(
      [read(), write(bytes), read(), write(responseBytes({ ...payment, id: 'pay_of_another' }))],
      respondWith(payment),
    )
    const client = clientOf(server)

    const error = await failureOf(client.payments.capture('pay_1'))
    const next = await client.payments.capture('pay_1')

    expect(error.outcome).toBe(bytes.includes('zz\r\n') ? 'accepted' : 'unknown')
    expect(next).toEqual(payment)
    expect(server.connections).toBe(2)
  })

  const unsolicited = responseBytes({ ...payment, id: 'pay_of_another' })

  it.each<[string, Script]>([
    ['in the same packet', [read(), write(shortened + unsolicited), hang()]],
    ['while the connection is idle', [read(), write(shortened), wait(20), write(unsolicited), hang()]],
  ])('closes the connection if more bytes than Content-Length arrive %s', async (_, script) => {
    const server = await serve(script, respondWith(payment))
    const client = clientOf(server)

    const error = await failureOf(client.payments.capture('pay_1'))
    await until(() => server.openConnections === 0)
    const next = await client.payments.capture('pay_1')

    expect(error).toMatchObject({ name: 'UnreadableResponseError', httpStatus: 200, outcome: 'accepted' })
    expect(next).toEqual(payment)
    expect(server.connections).toBe(2)
  })

  it('never uses an unsolicited response for the next call', async () => {
    const server = await serve(
      [read(), write(responseBytes(payment)), wait(20), write(unsolicited), read(), write(unsolicited)],
      respondWith(payment),
    )
    const client = clientOf(server)

    const first = await client.payments.capture('pay_1')
    await until(() => server.openConnections === 0)
    const second = await client.payments.capture('pay_1')

    expect([first, second]).toEqual([payment, payment])
    expect(server.connections).toBe(2)
  })

  it('accepts 1,000 interim (1xx) responses before the final one', async () => {
    const interim = ['HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n']
    const script = [read(), write(interim.join('').repeat(500)), write(responseBytes(payment)), hang()]

    await expect(captureOn(clientOf, ...script)).resolves.toEqual(payment)
  })

  it('times out if interim (1xx) responses never end', async () => {
    const { option, expire } = manualLimits()
    const interim = write('HTTP/1.1 102 Processing\r\n\r\n')
    const server = await serve([read(), interim, interim, expire, forever(interim, wait(20))])

    const error = await failureOf(clientOf(server, option).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'headers', outcome: 'unknown' })
  })

  it.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['101 Switching Protocols', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'],
  ])('reports an unknown outcome if it receives the unsolicited response %s', async (_, interim) => {
    const server = await serve([read(), write(interim + responseBytes(payment)), hang()])

    const error = await failureOf(clientOf(server).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    await until(() => server.openConnections === 0)
  })
})

describe('a client that uses node:http', () => {
  it('throws a typed error for an unknown content encoding even if the body is JSON', async () => {
    const script = respondWith(payment, { headers: { 'content-encoding': 'compress' } })

    expect(await failureOf(captureOn(clientOf, ...script))).toMatchObject({ reason: 'unknown-encoding' })
  })

  it('reuses an idle connection for the next call', async () => {
    const server = await serve(respondWith(payment))
    const client = clientOf(server)

    for (let count = 1; count <= 5; count++) {
      await client.payments.capture('pay_1')
      await othersFinish()
    }

    expect(server.connections).toBe(1)
  })
})

const jsonWith = (orderId: Buffer) =>
  Buffer.concat([Buffer.from('{"id":"pay_1","orderId":"'), orderId, Buffer.from('"}')])

const compressed = (bytes: Uint8Array, encoding: string): Script => [
  read(),
  write(okHead(`content-length: ${bytes.length}`, `Content-Encoding: ${encoding}`, 'connection: close')),
  write(bytes),
  fin(),
]

describeWithEachAdapter('a client that receives an unusual body', (clientOf) => {
  const page = '<html><body>Please sign in to the hotel’s network</body></html>'
  const html = { headers: { 'content-type': 'text/html' } }
  const raw = (response: string) => [read(), write(response), hang()]
  const latin1 = (bytes: Buffer) => [
    read(),
    write(okHead(`content-length: ${bytes.length}`, 'content-type: application/json; charset=iso-8859-1')),
    write(bytes),
    hang(),
  ]

  const truncated = [
    read(),
    write(okHead('content-length: 99', 'content-encoding: gzip')),
    write(gzipSync(body).subarray(0, 20)),
    fin(),
  ]

  it.each<[body: string, facts: object, Script]>([
    ['an HTML page', { reason: 'not-json' }, respondWith(page, html)],
    ['an HTML page sent as application/json', { reason: 'not-json' }, respondWith(page)],
    ['an empty 200', { reason: 'empty', httpStatus: 200 }, respondWith('')],
    ['a 200 with white space', { reason: 'empty', httpStatus: 200 }, respondWith('  \n ')],
    ['a 204', { reason: 'empty', httpStatus: 204 }, raw('HTTP/1.1 204 No Content\r\n\r\n')],
    ['an empty 202', { reason: 'empty', httpStatus: 202 }, respondWith('', { status: 202 })],
    ['an unknown encoding', {}, compressed(gzipSync(body), 'compress')],
    ['a body that does not match Content-Encoding', {}, compressed(Buffer.from(body), 'gzip')],
    ['two encodings, one of them unknown', {}, compressed(gzipSync(gzipSync(body)), 'compress, gzip')],
    ['a gzip body that ends too early', { reason: 'truncated' }, truncated],
    ['JSON with invalid UTF-8', { reason: 'not-utf-8' }, latin1(jsonWith(Buffer.from([0xc3, 0x28])))],
    ['JSON with half a character', { reason: 'not-utf-8' }, latin1(jsonWith(Buffer.from('é').subarray(0, 1)))],
    ['JSON in Latin-1', { reason: 'not-utf-8' }, latin1(jsonWith(Buffer.from('Café', 'latin1')))],
    ['JSON with a surrogate', { reason: 'not-utf-8' }, latin1(jsonWith(Buffer.from([0xed, 0xa0, 0x80])))],
    ['UTF-16', { reason: 'not-utf-8' }, latin1(Buffer.from(`\uFEFF${body}`, 'utf16le'))],
  ])('throws UnreadableResponseError for %s', async (_, facts, script) => {
    const error = await failureOf(captureOn(clientOf, ...script))

    expect(error).toMatchObject({ name: 'UnreadableResponseError', outcome: 'accepted', ...facts })
    expect(error.message).not.toContain('hotel')
  })

  it('reports the status 502 of an HTML error page from a proxy', async () => {
    const error = await failureOf(captureOn(clientOf, ...respondWith(page, { status: 502, ...html })))

    expect(error).toMatchObject({ name: 'ServerError', httpStatus: 502, body: page, outcome: 'unknown' })
    expect(error.message).not.toContain('hotel')
  })

  it.each([200, 201, 202, 226])('returns the payment from a response with the status %i', async (status) => {
    const server = await serve(respondWith(payment, { status }))

    const { data, response } = await clientOf(server).payments.capture('pay_1').withResponse()

    expect(data).toEqual(payment)
    expect(response.status).toBe(status)
  })

  it('ignores a byte order mark before the JSON', async () => {
    await expect(captureOn(clientOf, ...respondWith(`\uFEFF${body}`))).resolves.toEqual(payment)
  })
})

let compressedBomb: Buffer | undefined

/** Returns 100 MiB of zeros, compressed only one time for all adapters. */
const bomb = () => (compressedBomb ??= gzipSync(Buffer.alloc(100 * 1024 * 1024), { level: 1 }))

describeWithEachAdapter('a client that receives a compressed response', (clientOf, adapter) => {
  it.each([
    ['gzip', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['GZIP', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', brotliCompressSync(body)],
    ['identity', Buffer.from(body)],
    ['', Buffer.from(body)],
  ])('decompresses a body with the Content-Encoding %j', async (encoding, bytes) => {
    await expect(captureOn(clientOf, ...compressed(bytes, encoding))).resolves.toEqual(payment)
  })

  it('decompresses raw deflate, which some servers send as Content-Encoding: deflate', async () => {
    await expect(captureOn(clientOf, ...compressed(deflateRawSync(body), 'deflate'))).resolves.toEqual(payment)
  })

  it('throws a typed error for a body truncated at any byte', async () => {
    const bytes = gzipSync(body)
    const server = await serve(...Array.from(bytes, (_, at) => compressed(bytes.subarray(0, at), 'gzip')))
    const client = clientOf(server)

    for (const at of bytes.keys()) {
      const result = await client.payments.capture('pay_1').catch((error: UnreadableResponseError) => error)
      // A gzip body ends with a checksum. If only the checksum is missing, the payment is still complete.
      if (result instanceof Error)
        expect(result).toMatchObject({ code: 'ERR_UNREADABLE_RESPONSE', outcome: 'accepted' })
      else expect([at > 90, result]).toEqual([true, payment])
    }
  })

  it('throws a typed error for a truncated body even if the body may be empty', async () => {
    const server = await serve(compressed(gzipSync('{"done":true}').subarray(0, 10), 'gzip'))

    const error = await failureOf(clientOf(server).request({ method: 'POST', path: '/anything' }))

    expect(error).toMatchObject({ name: 'UnreadableResponseError', outcome: 'accepted' })
  })

  it('stops decompressing at the size limit, without using much memory', async () => {
    const server = await serve(compressed(bomb(), 'gzip'))

    const { error, grownMiB } = JSON.parse(await runProgram('read-a-bomb', [server.url, adapter]))

    expect(error).toMatchObject({ code: 'ERR_UNREADABLE_RESPONSE', reason: 'too-large', outcome: 'accepted' })
    expect(grownMiB).toBeLessThan(64)
  })

  it('accepts a body of exactly the maximum size', async () => {
    const server = await serve(respondWith(payment))
    const maxResponseBytes = JSON.stringify(payment).length

    await expect(clientOf(server, { maxResponseBytes }).payments.get('pay_1')).resolves.toEqual(payment)
    const tooSmall = clientOf(server, { maxResponseBytes: maxResponseBytes - 1 })
    expect(await failureOf(tooSmall.payments.get('pay_1'))).toMatchObject({ reason: 'too-large' })
  })

  it.each([
    ['identity', Buffer.alloc(0x10000)],
    ['gzip', gzipSync(Buffer.alloc(0x200000))],
  ])('closes the connection at the size limit, with the Content-Encoding %s', async (encoding, bytes) => {
    const server = await serve([
      read(),
      write(okHead('transfer-encoding: chunked', `content-encoding: ${encoding}`)),
      forever(write(`${bytes.length.toString(16)}\r\n`), write(bytes), write('\r\n')),
    ])

    const client = clientOf(server, { maxResponseBytes: 1024 * 1024, maxRetries: 2 })
    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ code: 'ERR_UNREADABLE_RESPONSE', reason: 'too-large', outcome: 'accepted' })
    expect(error.attempts).toHaveLength(1)
    await until(() => server.openConnections === 0)
  })
})
