import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PaymentsClient } from '../../src/index.js'
import { prefersNodeHttp } from '../../src/transport/runtime.js'
import { authorizedPayment } from '../answers/payments.js'

const { fetch } = globalThis
const dispatcher = Symbol.for('undici.globalDispatcher.1')

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('requests go over node:http', () => {
  it('on Node, whatever fetch was before', () => {
    expect(prefersNodeHttp()).toBe(true)
    vi.stubGlobal('fetch', () => {})
    expect(prefersNodeHttp()).toBe(false)
    vi.stubGlobal('fetch', fetch)
    expect(prefersNodeHttp()).toBe(true)
  })

  it.each([
    ['there is no process', undefined],
    ['a process is not Node’s', { env: {} }],
    ['a process only looks like Node’s', { getBuiltinModule: true }],
  ])('but not where %s', (_what, process) => {
    vi.stubGlobal('process', process)

    const preferred = prefersNodeHttp()

    vi.unstubAllGlobals()
    expect(preferred).toBe(false)
  })

  it.each([
    ['is no function', undefined],
    ['is somebody’s own', async () => new Response()],
    ['stands in for the runtime’s', new Proxy(fetch, {})],
  ])('but not where fetch %s', (_what, replaced) => {
    vi.stubGlobal('fetch', replaced)

    expect(prefersNodeHttp()).toBe(false)
  })

  it.each([
    ['Agent', true],
    ['ProxyAgent', false],
    ['MockAgent', false],
  ])('where the dispatcher of fetch is an %s: %s', (name, expected) => {
    const before = Reflect.get(globalThis, dispatcher)
    Reflect.set(globalThis, dispatcher, { constructor: { name } })

    const preferred = prefersNodeHttp()

    Reflect.set(globalThis, dispatcher, before)
    expect(preferred).toBe(expected)
  })

  it('and a connection that is refused carries nothing', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 })

    const calling = client.payments.capture('pay_1')

    await expect(calling).rejects.toMatchObject({ name: 'ConnectionError', outcome: 'not_sent' })
  })

  it('to an address in brackets too', async ({ skip }) => {
    const server = createServer((_request, response) => response.end(JSON.stringify(authorizedPayment)))
    const listening = Promise.race([once(server.listen(0, '::1'), 'listening'), once(server, 'error')])
    const [refused] = await listening
    skip(refused !== undefined, 'this machine has no IPv6')
    const { port } = server.address() as AddressInfo
    const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: `http://[::1]:${port}` })

    const payment = await client.payments.get('pay_1')

    server.closeAllConnections()
    server.close()
    expect(payment).toEqual(authorizedPayment)
  })
})
