import diagnostics from 'node:diagnostics_channel'
import dns from 'node:dns'
import { connect, createServer, type Socket } from 'node:net'
import { PaymentsClient } from 'payments-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  clientOf,
  clientWith,
  closedPort,
  describeWithEachAdapter,
  elapsed,
  failureOf,
  payment,
  retryAtOnce,
  serve,
  serveWithTls,
  timed,
  turn,
  until,
} from '../support/clients.js'
import {
  fin,
  forever,
  hang,
  okHead,
  read,
  respondWith,
  responseBytes,
  rst,
  type Script,
  wait,
  write,
} from '../support/scripted-server.js'
import { certificate, trust } from './support/certificates.js'

/** How much later than its limit a call may end. */
const toleranceMs = 100

describeWithEachAdapter('no connection', (clientOf, wire) => {
  it('T01 a refused connection is not_sent, and tried again', async () => {
    retryAtOnce()
    const url = `http://127.0.0.1:${await closedPort()}`

    const error = await failureOf(clientOf({ url }, { maxRetries: 2 }).payments.resume('pay_1', { resumeToken: 't' }))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', reason: 'ECONNREFUSED' })
    expect(error.attempts).toHaveLength(3)
  })

  it('T01 a name that does not resolve is not_sent, and tried again', async () => {
    retryAtOnce()
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((
      _host: string,
      _options: object,
      done: (error: Error) => void,
    ) => {
      done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
    }) as never)
    onTestFinished(() => lookup.mockRestore())

    const client = clientOf({ url: 'https://payments.test' }, { maxRetries: 1 })
    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', reason: 'ENOTFOUND' })
    expect(error.attempts).toHaveLength(2)
  })

  it('T01 a connection that is refused for ever ends by the deadline', timed, async () => {
    const url = `http://127.0.0.1:${await closedPort()}`
    const client = clientOf({ url }, { maxRetries: 100, totalTimeout: 300 })

    const duration = await elapsed(async () => {
      const error = await failureOf(client.payments.capture('pay_1'))
      expect(error.outcome).toBe('not_sent')
    })

    expect(duration).toBeLessThan(300 + toleranceMs)
  })

  it('T02 a certificate that nobody vouches for is not_sent and not tried again', async () => {
    const server = await serveWithTls(certificate({ host: 'localhost' }), respondWith(payment))

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(error.attempts).toHaveLength(1)
    expect(server.requests).toEqual([])
  })

  it.each([
    ['for another host', { host: 'elsewhere.test' }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that has expired', { host: 'localhost', expired: true }, 'CERT_HAS_EXPIRED'],
  ])('T02 a certificate %s is not_sent and not tried again', async (_, about, reason) => {
    const itsCertificate = certificate(about)
    trust(itsCertificate)
    const server = await serveWithTls(itsCertificate, respondWith(payment))

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', reason })
    expect(error.attempts).toHaveLength(1)
    expect(server.requests).toEqual([])
  })

  it('T02 a certificate that is right is accepted', async () => {
    const itsCertificate = certificate({ host: 'localhost' })
    trust(itsCertificate)
    const server = await serveWithTls(itsCertificate, respondWith(payment))

    await expect(clientOf(server).payments.capture('pay_1')).resolves.toEqual(payment)
  })

  it.each([
    ['damaged', Buffer.from([0x17, 3, 3, 0, 40, ...Array(40).fill(7)])],
    ['plain text', Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n')],
  ])(
    'T02 a record that is %s after the request is unknown, and not taken for a handshake that failed',
    async (_, record) => {
      const itsCertificate = certificate({ host: 'localhost' })
      trust(itsCertificate)
      const server = await serveWithTls(itsCertificate, [read(), hang()])
      const port = await relay(server.port, (client) => {
        void until(() => server.requests.length > 0).then(() => client.write(record))
      })

      const client = clientOf({ url: `https://localhost:${port}` }, { timeout: 500 })
      const error = await failureOf(client.payments.resume('pay_1', { resumeToken: 't' }))

      expect(error.outcome).toBe('unknown')
      expect(server.requests).toHaveLength(1)
    },
  )

  it('T02 a port that does not speak TLS is not_sent and not tried again, where the wire can tell', async () => {
    const { port } = await serve([read(1), write('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'), fin()])
    // A fetch reports what is no TLS in the same words before the request and after it.
    const ending = wire === 'node:http' ? { outcome: 'not_sent', attempts: [{}] } : { outcome: 'unknown' }

    const client = clientOf({ url: `https://localhost:${port}` }, { maxRetries: 2 })
    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConnectionError', ...ending })
  })

  it('T03 a connection reset at once is not_sent only where connecting itself failed', async () => {
    const syscalls = watchSyscalls()
    const server = await serve([rst()])

    const error = await failureOf(clientOf(server).payments.capture('pay_1'))

    await until(() => syscalls.length > 0)
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'ECONNRESET' })
    expect(error.outcome).toBe(syscalls[0] === 'connect' ? 'not_sent' : 'unknown')
  })

  it('T03 a connection reset once it stood is unknown, although nothing of the request was read', async () => {
    const server = await serve([wait(20), rst()])

    const error = await failureOf(clientOf(server).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(server.requests).toEqual([])
  })
})

describe('no verification', () => {
  it.each(['rejectUnauthorized', 'insecure', 'strictSSL', 'verify', 'tls', 'agent'])(
    'T02 there is no option %s that could turn it off',
    (name) => {
      const options = { apiKey: 'key-1', baseUrl: 'https://localhost', [name]: false }

      expect(() => new PaymentsClient(options)).toThrow(`The option "${name}" is not a known name`)
    },
  )
})

describeWithEachAdapter('a broken connection', (clientOf) => {
  const endings: [string, Script][] = [
    ['reset', [read(), rst()]],
    ['closed', [read(), fin()]],
  ]

  it.each(endings)('T04 %s after the request: a keyed call is repeated under the same key', async (_, ending) => {
    retryAtOnce()
    const server = await serve(ending, respondWith(payment))

    const { data, response } = await clientOf(server, { maxRetries: 2 })
      .payments.capture('pay_1', { amount: 1 })
      .withResponse()

    expect(data).toEqual(payment)
    expect(response.attempts).toHaveLength(2)
    const [first, second] = server.requests
    expect(second?.raw).toEqual(first?.raw)
    expect(second?.headers['x-idempotency-key']).toBe(response.idempotencyKey)
  })

  it.each(endings)('T04 %s after the request: an unsafe call is made once', async (_, ending) => {
    const server = await serve(ending)

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.resume('pay_1', { resumeToken: 't' }))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(error.message).toContain('Outcome unknown')
    expect(server.requests).toHaveLength(1)
  })

  it.each(endings)('T04 %s after every request: the error says which key to repeat with', async (_, ending) => {
    retryAtOnce()
    const server = await serve(ending)

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.refund('pay_1'))

    expect(error).toMatchObject({ outcome: 'unknown', operation: 'payments.refund', resourceId: 'pay_1' })
    expect(error.attempts).toHaveLength(3)
    expect(error.idempotencyKey).toBe(server.requests[0]?.headers['x-idempotency-key'])
    expect(error.message).toContain('Do not repeat it with a new idempotency key')
  })

  it('T05 reset while the request is being written is unknown', async () => {
    const server = await serve([read(64 * 1024), rst()])
    const metadata = { document: 'x'.repeat(8 * 1024 * 1024) }

    const error = await failureOf(clientOf(server).payments.create({ paymentMethodToken: 'tok', metadata }))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(server.requests).toEqual([])
  })

  it('T06 a kept connection that the service closed while idle costs nothing visible', async () => {
    const server = await serve([read(), write(responseBytes(payment)), fin()])
    const client = clientOf(server, { maxRetries: 2 })

    for (let count = 1; count <= 300; count++) {
      const { response } = await client.payments.resume('pay_1', { resumeToken: 't' }).withResponse()
      expect(response.attempts).toHaveLength(1)
      await until(() => server.openConnections === 0)
    }

    expect(server.requests).toHaveLength(300)
  }, 20_000)

  it.each([0, 1, 5, 30])('T06 closed %i ms after an answer: keyed calls never fail', async (ms) => {
    retryAtOnce()
    const server = await serve([read(), write(responseBytes(payment)), wait(ms), fin()])
    const client = clientOf(server, { maxRetries: 2 })

    let attempts = 0
    for (let count = 1; count <= 50; count++) {
      const { response } = await client.payments.capture('pay_1').withResponse()
      attempts += response.attempts.length
    }

    expect(server.requests.length).toBeLessThanOrEqual(attempts)
    expect(server.requests.length).toBeGreaterThanOrEqual(50)
  })

  it('T06 closed while the next request is in the air: the rule of T04', async () => {
    retryAtOnce()
    const once = await serve([read(), write(responseBytes(payment)), read(), fin()])
    const keyed = await serve([read(), write(responseBytes(payment)), read(), fin()], respondWith(payment))

    await clientOf(once).payments.resume('pay_1', { resumeToken: 't' })
    await turn()
    const error = await failureOf(clientOf(once, { maxRetries: 2 }).payments.resume('pay_1', { resumeToken: 't' }))
    await clientOf(keyed).payments.capture('pay_1')
    await turn()
    const { response } = await clientOf(keyed, { maxRetries: 2 }).payments.capture('pay_1').withResponse()

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(error.attempts).toHaveLength(1)
    expect(once.requests).toHaveLength(2)
    expect(once.connections).toBe(1)
    expect(response.attempts).toHaveLength(2)
    expect(keyed.requests).toHaveLength(3)
  })
})

describeWithEachAdapter('silence', (clientOf) => {
  it.each([
    ['one attempt', { timeout: 250 }],
    ['the whole call', { totalTimeout: 250 }],
  ])('T07 no headers within the limit for %s', timed, async (_, limits) => {
    const server = await serve([read(), hang()])

    const duration = await elapsed(async () => {
      const error = await failureOf(clientOf(server, limits).payments.capture('pay_1'))
      expect(error).toMatchObject({ name: 'TimeoutError', phase: 'headers', timeoutMs: 250, outcome: 'unknown' })
    })

    expect(duration).toBeGreaterThan(245)
    expect(duration).toBeLessThan(250 + toleranceMs)
    await until(() => server.openConnections === 0)
  })

  it.each([
    ['stops', [hang()]],
    ['drips', [forever(write(' '), wait(100))]],
  ])('T08 a body that %s falls under the same limit', timed, async (_, silence) => {
    const server = await serve([read(), write(okHead('content-length: 1000')), write('{'), ...silence])

    const duration = await elapsed(async () => {
      const error = await failureOf(clientOf(server, { timeout: 250 }).payments.capture('pay_1'))
      expect(error).toMatchObject({ name: 'TimeoutError', phase: 'body', outcome: 'accepted' })
      expect(error.attempts).toMatchObject([{ status: 200 }])
    })

    expect(duration).toBeLessThan(250 + toleranceMs)
    await until(() => server.openConnections === 0)
  })
})

describe('silence before the connection stands', () => {
  it('T07 no TLS handshake within the limit is not_sent', async () => {
    const { port } = await serve([hang()])

    const client = clientOf({ url: `https://localhost:${port}` }, { timeout: 250 })
    const error = await failureOf(client.payments.resume('pay_1', { resumeToken: 't' }))

    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'connect', outcome: 'not_sent' })
  })
})

/** A port that passes everything on to another one, and may add to what comes back. */
async function relay(port: number, meddle: (client: Socket) => void): Promise<number> {
  const relaying = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.pipe(upstream).pipe(client)
    meddle(client)
  })
  await new Promise<void>((resolve) => relaying.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void relaying.close())
  return (relaying.address() as { port: number }).port
}

/** What the system was doing when a connection of this process failed: `connect`, `read` or `write`. */
function watchSyscalls(): string[] {
  const syscalls: string[] = []
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.once('error', (error: NodeJS.ErrnoException) => syscalls.push(String(error.syscall)))
  }
  diagnostics.subscribe('net.client.socket', onSocket)
  onTestFinished(() => void diagnostics.unsubscribe('net.client.socket', onSocket))
  return syscalls
}

describe('an error whose code says little', () => {
  const failing = (cause: object) =>
    clientWith(() => {
      throw new TypeError('fetch failed', { cause })
    })

  it.each([
    ['a record of TLS that is damaged', { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }],
    ['an alert of TLS', { code: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR' }],
    ['a network that is lost while reading', { code: 'EHOSTUNREACH', syscall: 'read' }],
  ])('T02 %s may come after the request: unknown', async (_, cause) => {
    expect(await failureOf(failing(cause).payments.capture('pay_1'))).toMatchObject({ outcome: 'unknown' })
  })

  it.each([
    ['a network that cannot be reached', { code: 'EHOSTUNREACH', syscall: 'connect' }],
    ['a name that does not resolve', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
    ['a certificate that is not trusted', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
  ])('T02 %s comes before it: not_sent', async (_, cause) => {
    expect(await failureOf(failing(cause).payments.capture('pay_1'))).toMatchObject({ outcome: 'not_sent' })
  })
})

describeWithEachAdapter('a header beyond ASCII', (clientOf) => {
  it('has the same bytes with a body and without', async () => {
    const server = await serve(respondWith(payment))
    const { payments } = clientOf(server)
    const options = { headers: { 'x-note': 'é' } }

    await payments.get('pay_1', options)
    await payments.capture('pay_1', { amount: 1 }, options)

    for (const { raw } of server.requests) expect(raw.toString('latin1')).toMatch(/x-note: é\r\n/i)
  })
})
