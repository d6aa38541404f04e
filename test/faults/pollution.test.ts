import { describe, expect, it } from 'vitest'
import { describeWithEachAdapter, payment, serve } from '../support/clients.js'
import { respondWith } from '../support/scripted-server.js'
import { runProgram } from './support/program.js'

describeWithEachAdapter('a polluted Object.prototype', (clientOf) => {
  /** What somebody might put there, by the name of an option of ky, fetch or node:http. */
  const evils = (elsewhere: { url: string; port: number }): Record<string, unknown> => {
    const mishap = () => {
      throw new Error('This was called')
    }
    const forged = () => Promise.resolve(Response.json({ id: 'pay_forged' }))
    return {
      json: { evil: 1 },
      parseJson: () => ({ id: 'pay_forged' }),
      stringifyJson: () => 'evil',
      searchParams: 'evil=1',
      baseUrl: elsewhere.url,
      prefix: elsewhere.url,
      prefixUrl: elsewhere.url,
      retry: 5,
      timeout: 1,
      totalTimeout: 1,
      hooks: { beforeRequest: [forged], init: [mishap], afterResponse: [forged] },
      throwHttpErrors: true,
      onDownloadProgress: mishap,
      onUploadProgress: mishap,
      fetch: forged,
      context: { evil: 1 },
      method: 'DELETE',
      headers: { 'x-evil': '1' },
      body: 'evil',
      mode: 'no-cors',
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'follow',
      referrer: elsewhere.url,
      referrerPolicy: 'unsafe-url',
      integrity: 'sha256-evil',
      keepalive: true,
      signal: new AbortController().signal,
      window: 'evil',
      duplex: 'full',
      dispatcher: { dispatch: mishap },
      priority: 'low',
      client: 'evil',
      agent: false,
      auth: 'evil:evil',
      createConnection: mishap,
      defaultPort: elsewhere.port,
      family: 6,
      host: 'elsewhere.test',
      hostname: 'elsewhere.test',
      insecureHTTPParser: true,
      joinDuplicateHeaders: true,
      localAddress: '127.0.0.3',
      lookup: mishap,
      maxHeaderSize: 1,
      path: '/evil',
      port: elsewhere.port,
      protocol: 'https:',
      rejectUnauthorized: false,
      servername: 'elsewhere.test',
      setDefaultHeaders: false,
      setHost: false,
      socketPath: '/tmp/evil',
      apiKey: 'evil',
      apiVersion: '2.1',
      idempotency: 'off',
      idempotencyKey: 'evil',
      maxRetries: 9,
      responseValidation: 'off',
      resend: true,
      totally: 'unknown',
      problem: 'evil',
      'content-encoding': 'br',
    }
  }

  it('S05 changes neither a byte on the wire nor the host', async () => {
    const elsewhere = await serve(respondWith(payment))
    const server = await serve(respondWith({ ...payment, data: [] }))
    const client = clientOf(server)
    const send = async () => {
      const before = server.requests.length
      const failures: unknown[] = []
      for (const call of [
        () => client.payments.capture('pay_1', undefined, { idempotencyKey: 'key-of-mine' }),
        () => client.payments.create({ paymentMethodToken: 'tok_1', amount: 1 }, { idempotencyKey: 'another' }),
        () => client.payments.get('pay_1'),
        () => client.payments.list({ limit: 5 }),
        () => client.clientSessions.update('cli_1', { orderId: 'order-1' }),
      ]) {
        await call().then(undefined, (error: unknown) => failures.push(error))
      }
      return { sent: server.requests.slice(before).map(({ raw }) => raw.toString()), failures }
    }
    const clean = await send()

    for (const [name, evil] of Object.entries(evils(elsewhere))) {
      const { sent, failures } = await polluted(name, evil, send)
      expect([name, sent]).toEqual([name, clean.sent])
      // The runtime's fetch cannot read answers then, whoever calls it.
      if (name !== 'body') expect([name, failures]).toEqual([name, []])
    }
    expect(clean).toMatchObject({ sent: { length: 5 }, failures: [] })
    expect(elsewhere.connections).toBe(0)
  }, 30_000)

  it('S05 may be what headers cannot be', async () => {
    const server = await serve(respondWith(payment))
    const client = clientOf(server)

    const paid = await polluted('headers', 'evil', () => client.payments.capture('pay_1'))

    expect(paid).toEqual(payment)
  })

  it('S05 decides nothing for a new client', async () => {
    const elsewhere = await serve(respondWith(payment))
    const server = await serve(respondWith(payment))

    for (const [name, evil] of Object.entries(evils(elsewhere))) {
      await polluted(name, evil, async () => {
        const client = clientOf(server)
        await client.payments.cancel('pay_1').catch(() => {})
      })
      expect([name, server.requests.at(-1)?.headers]).toMatchObject([
        name,
        { 'x-api-key': 'key-1', 'x-api-version': '2021-09-27' },
      ])
    }
    expect(elsewhere.connections).toBe(0)
  })
})

describe('a process whose Object.prototype was polluted before its first call', () => {
  it.each([
    ['evil', 1],
    ['error', { description: 'x' }],
    ['problem', 'x'],
    ['content-encoding', 'br'],
  ])('S05 pays all the same: %s', async (name, value) => {
    const { lines, errors } = await runProgram('first-calls-while-polluted', [name, JSON.stringify(value)])

    expect(errors).toBe('')
    expect(lines).toEqual(['pay_1 pay_1'])
  })
})

/** Do something while every object inherits a property. */
async function polluted<T>(name: string, value: unknown, work: () => Promise<T>): Promise<T> {
  Object.defineProperty(Object.prototype, name, { value, configurable: true, enumerable: true, writable: true })
  try {
    return await work()
  } finally {
    Reflect.deleteProperty(Object.prototype, name)
  }
}
