import zlib from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { clientOf, failureOf, payment, serve, turn, until } from '../support/clients.js'
import { hang, okHead, read, type Script, write } from '../support/scripted-server.js'

/** An answer whose connection stays open behind it. */
const respondWith = (encoding: string, bytes: Uint8Array): Script => [
  read(),
  write(okHead(`content-length: ${bytes.length}`, `content-encoding: ${encoding}`)),
  write(bytes),
]

const plain = Buffer.from(JSON.stringify(payment))

describe('a body over node:http', () => {
  it('may be as large as allowed, and not a byte larger', async () => {
    const server = await serve([...respondWith('identity', plain), ...respondWith('identity', plain)])

    const whole = await clientOf(server, { maxResponseBytes: plain.length }).payments.get('pay_1')
    const error = await failureOf(clientOf(server, { maxResponseBytes: plain.length - 1 }).payments.get('pay_1'))

    expect(whole).toEqual(payment)
    expect(error).toMatchObject({ name: 'UnreadableResponseError', reason: 'too-large' })
  })

  it('is not guessed at where its encoding is unknown', async () => {
    const server = await serve(respondWith('constructor', plain))

    const error = await failureOf(clientOf(server).payments.get('pay_1'))

    expect(error).toMatchObject({ name: 'UnreadableResponseError', reason: 'unknown-encoding', outcome: 'accepted' })
    await until(() => server.openConnections === 0)
  })

  it('is neither fetched nor inflated any further once it is too large', async () => {
    const inflating = vi.spyOn(zlib, 'createGunzip')
    onTestFinished(() => inflating.mockRestore())
    const bytes = zlib.gzipSync(Buffer.alloc(1024 * 1024))
    const server = await serve([
      read(),
      write(okHead('content-length: 1000000', 'content-encoding: gzip')),
      write(bytes),
      hang(),
    ])

    const error = await failureOf(clientOf(server, { maxResponseBytes: 1024 }).payments.get('pay_1'))

    expect(error).toMatchObject({ name: 'UnreadableResponseError', reason: 'too-large' })
    expect(inflating.mock.settledResults).toMatchObject([{ value: { destroyed: true } }])
    await until(() => server.openConnections === 0)
  })

  it('leaves its connection to those who may have it by then, when it makes no sense after all', async () => {
    const server = await serve([
      ...respondWith('gzip', zlib.gzipSync('<html>')),
      ...respondWith('gzip', zlib.gzipSync(plain)),
    ])
    const client = clientOf(server)

    const error = await failureOf(client.payments.get('pay_1'))
    await turn()
    const next = await client.payments.get('pay_1')

    expect(error).toMatchObject({ name: 'UnreadableResponseError', reason: 'not-json' })
    expect(next).toEqual(payment)
    expect(server.connections).toBe(1)
  })
})
