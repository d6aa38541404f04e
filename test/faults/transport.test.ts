import diagnostics from 'node:diagnostics_channel'
import { connect, createServer, type Socket } from 'node:net'
import { type ClientOptions, PaymentsClient } from 'payments-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  clientOf,
  describeWithEachAdapter,
  failLookup,
  failureOf,
  payment,
  retryAtOnce,
  serve,
  serveWithTls,
  signalled,
  until,
} from '../support/clients.js'
import { manualLimits, othersFinish } from '../support/clock.js'
import {
  closedPort,
  fin,
  forever,
  hang,
  okHead,
  read,
  respondWith,
  responseBytes,
  rst,
  type Script,
  type Step,
  wait,
  write,
} from '../support/scripted-server.js'
import { certificate, trust } from './support/certificates.js'

describe('a client that cannot connect', () => {
  const refused = async () => `http://127.0.0.1:${await closedPort()}`
  const unknownHost = () => {
    failLookup(Object.assign(new Error('no such name'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
    return 'https://payments.test'
  }
  const tlsTo = async (...script: Script) => `https://localhost:${(await serve(script)).port}`
  const withoutTls = () => tlsTo(read(1), write('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'), fin())

  it.each<[string, () => string | Promise<string>, expected: object, ClientOptions?]>([
    ['retries if the connection is refused', refused, { reason: 'ECONNREFUSED', attempts: [{}, {}] }],
    ['retries if the DNS lookup fails', unknownHost, { reason: 'ENOTFOUND', attempts: [{}, {}] }],
    ['does not retry if the port does not speak TLS', withoutTls, { name: 'ConnectionError', attempts: [{}] }],
    [
      'retries if the TLS handshake times out',
      () => tlsTo(hang()),
      { phase: 'connect', attempts: [{}, {}] },
      { timeout: 100 },
    ],
  ])(
    '%s, and reports that no request was sent and that the call can be retried',
    async (_, start, expected, limits) => {
      retryAtOnce()
      const client = clientOf({ url: await start() }, { maxRetries: 1, ...limits })

      const error = await failureOf(client.payments.resume('pay_1', { resumeToken: 't' }))

      expect(error).toMatchObject({ outcome: 'not_sent', retry: 'same-key', ...expected })
    },
  )

  it('retries after refused connections only until the deadline', async () => {
    const client = clientOf({ url: await refused() }, { maxRetries: 100, totalTimeout: 300 })

    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ outcome: 'not_sent', timeoutMs: 300 })
  })

  it('reports the outcome "not_sent" after a reset only if connecting failed', async () => {
    const syscalls = watchSyscalls()
    const server = await serve([rst()])

    const error = await failureOf(clientOf(server).payments.capture('pay_1'))

    await until(() => syscalls.length > 0)
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'ECONNRESET' })
    expect(error.outcome).toBe(syscalls[0] === 'connect' ? 'not_sent' : 'unknown')
  })

  it.each(['rejectUnauthorized', 'insecure', 'strictSSL', 'verify', 'tls'])(
    'rejects the option %s, which could disable certificate checks',
    (name) => {
      const options = { apiKey: 'key-1', baseUrl: 'https://localhost', [name]: false }

      expect(() => new PaymentsClient(options)).toThrow(`${name} is not an option`)
    },
  )
})

describeWithEachAdapter('a client with a TLS connection', (clientOf, adapter) => {
  // `fetch` may retry internally, so its last error does not prove that it sent nothing.
  const outcome = adapter === 'fetch' ? 'unknown' : 'not_sent'

  it.each<[string, Parameters<typeof certificate>[0], boolean, string]>([
    ['is self-signed', { host: 'localhost' }, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['names another host', { host: 'elsewhere.test' }, true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['has expired', { host: 'localhost', expired: true }, true, 'CERT_HAS_EXPIRED'],
  ])('does not retry if the certificate %s', async (_, facts, trusted, reason) => {
    const serverCertificate = certificate(facts)
    if (trusted) trust(serverCertificate)
    const server = await serveWithTls(serverCertificate, respondWith(payment))

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome, reason })
    expect(error.attempts).toHaveLength(1)
    expect(server.requests).toEqual([])
  })

  it('connects if the server’s certificate is valid', async () => {
    const serverCertificate = certificate({ host: 'localhost' })
    trust(serverCertificate)
    const server = await serveWithTls(serverCertificate, respondWith(payment))

    await expect(clientOf(server).payments.capture('pay_1')).resolves.toEqual(payment)
  })

  it.each([
    ['a damaged TLS record', Buffer.from([0x17, 3, 3, 0, 40, ...Array(40).fill(7)])],
    ['plain text', Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n')],
  ])('reports an unknown outcome if the response is %s', async (_, record) => {
    const serverCertificate = certificate({ host: 'localhost' })
    trust(serverCertificate)
    const server = await serveWithTls(serverCertificate, [read(), hang()])
    const { option, expire } = manualLimits()
    const port = await relay(server.port, (client) => {
      void until(() => server.requests.length > 0).then(() =>
        client.write(record, () => void othersFinish().then(expire)),
      )
    })

    const client = clientOf({ url: `https://localhost:${port}` }, option)
    const error = await failureOf(client.payments.resume('pay_1', { resumeToken: 't' }))

    expect(error.outcome).toBe('unknown')
    expect(server.requests).toHaveLength(1)
  })
})

describeWithEachAdapter('a client whose connection breaks', (clientOf) => {
  const endings: [string, Script][] = [
    ['reset', [read(), rst()]],
    ['closed', [read(), fin()]],
  ]

  it.each(endings)('retries with the same idempotency key if the connection is %s', async (_, ending) => {
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

  it.each(endings)('reports the idempotency key in the error if every connection is %s', async (_, ending) => {
    retryAtOnce()
    const server = await serve(ending)

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.refund('pay_1'))

    expect(error).toMatchObject({ outcome: 'unknown', operation: 'payments.refund', resourceId: 'pay_1' })
    expect(error.attempts).toHaveLength(3)
    expect(error.idempotencyKey).toBe(server.requests[0]?.headers['x-idempotency-key'])
  })

  it('reports an unknown outcome if the connection is reset during the request', async () => {
    const server = await serve([read(64 * 1024), rst()])
    const metadata = { document: 'x'.repeat(8 * 1024 * 1024) }

    const error = await failureOf(clientOf(server).payments.create({ paymentMethodToken: 'tok', metadata }))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(server.requests).toEqual([])
  })

  it('reconnects without an error if the server closed an idle connection', async () => {
    const server = await serve([read(), write(responseBytes(payment)), fin()])
    const client = clientOf(server, { maxRetries: 2 })

    for (let count = 1; count <= 50; count++) {
      const { response } = await client.payments.resume('pay_1', { resumeToken: 't' }).withResponse()
      expect(response.attempts).toHaveLength(1)
      await until(() => server.openConnections === 0)
    }

    expect(server.requests).toHaveLength(50)
  })

  it.each([0, 1, 5, 30])('completes every call with a key if connections close %i ms after a response', async (ms) => {
    retryAtOnce()
    const server = await serve([read(), write(responseBytes(payment)), wait(ms), fin()])
    const client = clientOf(server, { maxRetries: 2 })

    let attempts = 0
    for (let count = 1; count <= 20; count++) {
      const { response } = await client.payments.capture('pay_1').withResponse()
      attempts += response.attempts.length
    }

    expect(server.requests.length).toBeLessThanOrEqual(attempts)
    expect(server.requests.length).toBeGreaterThanOrEqual(20)
  })

  it('retries a call after a reused connection closes only if it has a key', async () => {
    retryAtOnce()
    const once = await serve([read(), write(responseBytes(payment)), read(), fin()])
    const keyed = await serve([read(), write(responseBytes(payment)), read(), fin()], respondWith(payment))

    await clientOf(once).payments.resume('pay_1', { resumeToken: 't' })
    await othersFinish()
    const error = await failureOf(clientOf(once, { maxRetries: 2 }).payments.resume('pay_1', { resumeToken: 't' }))
    await clientOf(keyed).payments.capture('pay_1')
    await othersFinish()
    const { response } = await clientOf(keyed, { maxRetries: 2 }).payments.capture('pay_1').withResponse()

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(error.attempts).toHaveLength(1)
    expect(once.requests).toHaveLength(2)
    expect(once.connections).toBe(1)
    expect(response.attempts).toHaveLength(2)
    expect(keyed.requests).toHaveLength(3)
  })
})

describeWithEachAdapter('a client of a server that does not respond in time', (clientOf) => {
  it.each([
    ['one attempt', { timeout: 1_000 }],
    ['the whole call', { totalTimeout: 1_000 }],
  ])('throws a TimeoutError if no headers arrive within the limit for %s', async (_, limits) => {
    const { option, expire } = manualLimits()
    const server = await serve([read(), expire, hang()])

    const error = await failureOf(clientOf(server, { ...limits, ...option }).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'headers', timeoutMs: 1_000, outcome: 'unknown' })
    await until(() => server.openConnections === 0)
  })

  it.each<[string, (expire: Step) => Script]>([
    ['stops arriving', (expire) => [expire, hang()]],
    ['arrives too slowly', (expire) => [forever(write(' '), wait(10), expire)]],
  ])('throws a TimeoutError if the body of the response %s', async (_, silence) => {
    const { option, expire } = manualLimits()
    const { reached, reach } = signalled()
    const head = [read(), write(okHead('content-length: 1000')), write('{'), () => reached]
    const server = await serve([...head, ...silence(expire)])

    const client = clientOf(server, { ...option, hooks: { onResponse: reach } })
    const error = await failureOf(client.payments.capture('pay_1'))

    const attempts = [{ status: 200 }]
    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'body', outcome: 'accepted', attempts })
    await until(() => server.openConnections === 0)
  })
})

/** Opens a port that forwards to another. `tamper` can write extra bytes to the client. */
async function relay(port: number, tamper: (client: Socket) => void): Promise<number> {
  const relaying = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.pipe(upstream).pipe(client)
    tamper(client)
  })
  await new Promise<void>((resolve) => relaying.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void relaying.close())
  return (relaying.address() as { port: number }).port
}

/** Records which system call failed on each connection: `connect`, `read` or `write`. */
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
