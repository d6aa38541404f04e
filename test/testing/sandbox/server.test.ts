import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { PaymentsClient } from '../../../src/client.js'
import { createSandbox, type ListenOptions, type SandboxOptions } from '../../../src/testing/index.js'

const order = { orderId: 'order-1', currencyCode: 'EUR', amount: 700 }

const hasLoopback6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)

afterEach(() => void vi.restoreAllMocks())

/** Starts a sandbox with a server until the end of the test. */
async function listen(options?: ListenOptions, sandboxOptions?: SandboxOptions) {
  const sandbox = createSandbox(sandboxOptions)
  const { url, close } = await sandbox.listen(options)
  onTestFinished(close)
  return { sandbox, url, close }
}

describe('sandbox.listen', () => {
  it('listens on the given port and host', async () => {
    const free = await listen()
    await free.close()

    const { url } = await listen({ port: Number(new URL(free.url).port), host: 'localhost' })

    expect(url).toBe(free.url.replace('127.0.0.1', 'localhost'))
  })

  it.runIf(hasLoopback6)('listens on IPv6', async () => {
    const { url } = await listen({ host: '::1' })

    const response = await fetch(`${url}/payments`)

    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect(response.status).toBe(401)
  })

  it('rejects a port that is in use', async () => {
    const { sandbox, url } = await listen()

    await expect(sandbox.listen({ port: Number(new URL(url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('rejects unknown options', async () => {
    const listening = createSandbox().listen({ prot: 4010 } as ListenOptions)

    await expect(listening).rejects.toThrow('prot is not an option: did you mean "port"?')
  })

  it.each([
    ['a process', undefined],
    ['getBuiltinModule', {}],
    ['node:http', { getBuiltinModule: () => undefined }],
  ])('throws an error that lists the supported runtimes in a runtime without %s', async (_, processThere) => {
    vi.stubGlobal('process', processThere)
    const listening = createSandbox().listen()
    vi.unstubAllGlobals()

    await expect(listening).rejects.toThrow('listen() needs Node, Bun or Deno. In other runtimes, use sandbox.fetch')
  })

  it('decodes UTF-8 characters split across chunks', async () => {
    const { sandbox, url } = await listen()
    const bytes = new TextEncoder().encode(
      JSON.stringify({ ...order, orderId: 'order-€', paymentMethodToken: sandbox.tokens.card }),
    )
    const middle = bytes.indexOf(0xe2) + 1
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(bytes.slice(0, middle))
        await new Promise((resolve) => setImmediate(resolve))
        controller.enqueue(bytes.slice(middle))
        controller.close()
      },
    })

    const init = { method: 'POST', headers: { 'x-api-key': sandbox.apiKey }, body, duplex: 'half' }
    const response = await fetch(`${url}/payments`, init as RequestInit)

    expect(await response.json()).toMatchObject({ orderId: 'order-€' })
  })

  it('does not perform a request whose body is incomplete', async () => {
    const responded = Promise.withResolvers()
    const { sandbox, url } = await listen({ onResponse: responded.resolve })
    const { token } = await new PaymentsClient(sandbox.clientOptions()).paymentInstruments.vault(sandbox.tokens.card, {
      customerId: 'customer-1',
    })
    const path = `/payment-instruments/${token}`
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(`DELETE ${path} HTTP/1.1\r\nHost: sandbox\r\nX-Api-Key: ${sandbox.apiKey}\r\n`)
    socket.write('Content-Length: 100\r\n\r\nhalf', () => socket.resetAndDestroy())

    expect(await responded.promise).toMatchObject({ method: 'DELETE', path, status: undefined })
    expect(sandbox.ledger).toMatchObject([{ operation: 'paymentInstruments.vault' }])
  })
})

describe('the Date header', () => {
  it('calls onResponse with each request and its result', async () => {
    const onResponse = vi.fn()
    const { sandbox, url } = await listen({ onResponse })
    sandbox.faults.add({ reset: true })
    const startedAt = performance.now()

    await fetch(`${url}/payments`).catch(() => {})
    await fetch(`${url}/payments?limit=1`, { headers: { 'x-api-key': sandbox.apiKey } })

    const elapsed = performance.now() - startedAt
    expect(onResponse.mock.calls).toEqual([
      [{ method: 'GET', path: '/payments', status: undefined, durationMs: expect.any(Number) }],
      [{ method: 'GET', path: '/payments?limit=1', status: 200, durationMs: expect.any(Number) }],
    ])
    for (const [{ durationMs }] of onResponse.mock.calls) {
      expect(durationMs).toBeGreaterThanOrEqual(0)
      expect(durationMs).toBeLessThanOrEqual(elapsed)
    }
  })

  it('sends the time of the sandbox’s clock, in process and over HTTP', async () => {
    const { sandbox, url } = await listen({}, { now: new Date('2020-02-29T12:00:00Z') })
    await sandbox.clock.advance('90s')
    const paths = ['/payments', '/nowhere', '/__sandbox/api/clock', '/__sandbox/api/nowhere', '/__sandbox/nowhere', '/']
    const headers = { 'x-api-key': sandbox.apiKey, accept: 'text/html' }
    const request = (path: string) => fetch(url + path, { headers, redirect: 'manual' })

    const responses = await Promise.all(paths.map(request))
    responses.push(await fetch(`${url}/payments`), await sandbox.fetch(`${sandbox.baseUrl}/payments`, { headers }))
    sandbox.faults.add({ status: 503, times: 2 })
    responses.push(await fetch(`${url}/payments`), await sandbox.fetch(`${sandbox.baseUrl}/payments`))
    sandbox.faults.add({ at: 1, times: 2 })
    responses.push(await fetch(`${url}/payments`), await sandbox.fetch(`${sandbox.baseUrl}/payments`))

    expect(responses.map((response) => response.status)).toEqual([
      200, 404, 200, 404, 404, 302, 401, 200, 503, 503, 401, 401,
    ])
    expect(new Set(responses.map((response) => response.headers.get('date')))).toEqual(
      new Set(['Sat, 29 Feb 2020 12:01:30 GMT']),
    )
  })

  it('sends the Date header that a fault specifies', async () => {
    const sandbox = createSandbox()
    const date = 'Sun, 01 Mar 2020 00:00:00 GMT'
    sandbox.faults.add({ headers: { Date: date } })

    expect((await sandbox.fetch(`${sandbox.baseUrl}/payments`)).headers.get('date')).toBe(date)
  })
})

describe('a failure in the sandbox server', () => {
  it('keeps the process running if onResponse throws', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const onResponse = () => {
      throw new Error('disk full')
    }
    const { url } = await listen({ onResponse })

    const responses = [await fetch(`${url}/payments?token=secret`), await fetch(`${url}/payments`)]

    expect(responses.map(({ status }) => status)).toEqual([401, 401])
    expect(log.mock.calls).toEqual(Array(2).fill(['The sandbox failed to handle GET /payments: disk full']))
  })

  it('responds 500 and logs the failure', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { sandbox, url } = await listen()
    const headers = { 'x-text': 'valid', 'x-other': '1' }
    sandbox.faults.add({ headers, times: 2 })
    // `faults.add` checks the headers, but later changes to them are not checked.
    headers['x-text'] = 'a\u0007b'

    const { status } = await fetch(`${url}/payments`)
    const next = await fetch(`${url}/payments`)

    expect([status, next.status]).toEqual([500, 500])
    expect(log.mock.calls).toEqual(
      Array(2).fill([expect.stringMatching(/^The sandbox failed to handle GET \/payments: /)]),
    )
  })
})

describe('the 1 MiB limit for request bodies', () => {
  const limit = 1024 * 1024

  it('responds 413 in process without reading the rest of the body', async () => {
    const sandbox = createSandbox()
    let chunks = 0
    const body = new ReadableStream({
      pull(controller) {
        chunks += 1
        controller.enqueue(new Uint8Array(limit / 4))
      },
    })

    const response = await sandbox.fetch(`${sandbox.baseUrl}/payments`, {
      method: 'POST',
      body,
      duplex: 'half',
    } as never)

    expect([response.status, (await response.json()).error.errorId]).toEqual([413, 'RequestTooLarge'])
    expect(chunks).toBeLessThan(10)
    expect(sandbox.requests).toMatchObject([{ status: 413, requestBody: '' }])
  })

  it('responds 413 over HTTP before the client has sent the whole body', async () => {
    const { url } = await listen()
    const request = httpRequest(`${url}/payments`, { method: 'POST' })
    request.write(Buffer.alloc(limit + 1))

    const [response] = await once(request, 'response')

    expect(response.statusCode).toBe(413)
    request.destroy()
  })

  it('discards the rest of a body, and keeps the connection open', async () => {
    const { url } = await listen()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })

    socket.write(`POST /payments HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${8 * limit}\r\n\r\n`)
    socket.write(Buffer.alloc(8 * limit))
    socket.write('GET /payments HTTP/1.1\r\nHost: localhost\r\n\r\n')

    await vi.waitFor(() => expect(received.match(/^HTTP.{9}/gm)).toEqual(['HTTP/1.1 413 ', 'HTTP/1.1 401 ']))
  })

  it('accepts a body of exactly 1 MiB', async () => {
    const sandbox = createSandbox()
    const send = (body: string) =>
      sandbox.fetch(`${sandbox.baseUrl}/payments`, { method: 'POST', body, headers: { 'x-api-key': sandbox.apiKey } })

    const responses = [await send('é'.repeat(limit / 2)), await send(`${'é'.repeat(limit / 2)} `)]

    expect(responses.map(({ status }) => status)).toEqual([400, 413])
  })
})

describe('server.close', () => {
  it('closes idle connections and connections that wait for a response', async () => {
    const before = openSockets()
    const onResponse = vi.fn()
    const { sandbox, url, close } = await listen({ onResponse })
    await (await fetch(`${url}/payments`)).text()
    sandbox.faults.add({ hang: true })
    const hanging = expect(fetch(`${url}/payments`)).rejects.toThrow('fetch failed')
    await vi.waitFor(() => expect(onResponse).toHaveBeenCalledTimes(2))

    await close()

    await hanging
    await expect(fetch(`${url}/payments`)).rejects.toThrow('fetch failed')
    await vi.waitFor(() => expect(openSockets()).toBeLessThanOrEqual(before))
  })
})

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => /^TCP/.test(resource)).length
}
