import assert from 'node:assert'
import http from 'node:http'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { prefersNodeHttp } from '../../../src/core/transport/http/node.js'
import { runProgram } from '../../faults/support/program.js'
import { clientOf, payment, serve } from '../../support/clients.js'
import { closedPort, respondWith } from '../../support/scripted-server.js'

const { fetch } = globalThis

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Calls `prefersNodeHttp()` with the global dispatchers of undici 8 (`current`) and of earlier versions (`former`). */
function preferredWith(current: unknown, former: unknown): boolean {
  const symbols = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]
  const before = symbols.map((symbol) => Reflect.get(globalThis, symbol))
  const set = (dispatchers: unknown[]) =>
    dispatchers.forEach((dispatcher, index) => {
      Reflect.set(globalThis, symbols[index] as symbol, dispatcher)
    })
  set([current, former])
  try {
    return prefersNodeHttp()
  } finally {
    set(before)
  }
}

const named = (name: string) => ({ constructor: { name } })

describe('the choice between node:http and fetch', () => {
  it('is node:http on Node, and fetch while the global fetch is replaced', () => {
    expect(prefersNodeHttp()).toBe(true)
    vi.stubGlobal('fetch', () => {})
    expect(prefersNodeHttp()).toBe(false)
    vi.stubGlobal('fetch', fetch)
    expect(prefersNodeHttp()).toBe(true)
  })

  it.each([
    ['the runtime has no process', undefined],
    ['process has no getBuiltinModule', { env: {} }],
    ['process has a getBuiltinModule that is not a function', { getBuiltinModule: true }],
  ])('is fetch if %s', (_what, process) => {
    vi.stubGlobal('process', process)

    const preferred = prefersNodeHttp()

    vi.unstubAllGlobals()
    expect(preferred).toBe(false)
  })

  it.each([
    ['is not a function', undefined],
    ['was replaced', async () => new Response()],
    ['is a proxy of the original', new Proxy(fetch, {})],
  ])('is fetch if the global fetch %s', (_what, replaced) => {
    vi.stubGlobal('fetch', replaced)

    expect(prefersNodeHttp()).toBe(false)
  })

  it('is fetch if the runtime has no global fetch', async () => {
    vi.resetModules()
    const untouched = await import('../../../src/core/transport/http/node.js')
    vi.stubGlobal('fetch', undefined)

    expect(untouched.prefersNodeHttp()).toBe(false)
  })

  it.each([
    ['Agent', true],
    ['ProxyAgent', false],
    ['MockAgent', false],
  ])('is node:http only if every global dispatcher of undici has the class Agent (%s: %s)', (name, expected) => {
    expect(preferredWith(undefined, named(name))).toBe(expected)
    expect(preferredWith(named(name), undefined)).toBe(expected)
    expect(preferredWith(named(name), named('Agent'))).toBe(expected)
    expect(preferredWith(named('Agent'), named(name))).toBe(expected)
  })

  it.each([
    ['Agent', true],
    ['ProxyAgent', false],
    [undefined, false],
  ])('is node:http only if undici 8’s wrapper for earlier versions contains an Agent (%s: %s)', (name, expected) => {
    expect(preferredWith(name && named(name), named('Dispatcher1Wrapper'))).toBe(expected)
  })

  it('is fetch if undici 8 uses this wrapper as its own dispatcher, or if the wrapper has interceptors', () => {
    const intercepted = { ...named('Dispatcher1Wrapper'), dispatch: () => {} }

    expect(preferredWith(named('Dispatcher1Wrapper'), named('Dispatcher1Wrapper'))).toBe(false)
    expect(preferredWith(named('Agent'), intercepted)).toBe(false)
  })

  it.each(['undici', 'node:http', 'fetch'])('is still node:http after the use of %s', async (used) => {
    const outcome = await runProgram('refused-connection', [`http://127.0.0.1:${await closedPort()}`, used])

    // Only node:http reports that a refused connection sent nothing.
    expect(outcome).toBe('not_sent')
  })

  it.each([undefined, null])('is node:http if the global dispatcher is %s', (none) => {
    expect(preferredWith(none, none)).toBe(true)
  })
})

describe('a global fetch replaced before the SDK loads', () => {
  it('leads to an unknown outcome if the connection is refused', async () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })
    const replaced = vi.fn(() => Promise.reject(new TypeError('fetch failed', { cause: refused })))
    vi.stubGlobal('fetch', replaced)
    vi.resetModules()
    const { PaymentsClient } = await import('../../../src/index.js')
    const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.test' })

    const call = client.payments.resume('pay_1', { resumeToken: 'resume_1' })

    await expect(call).rejects.toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(replaced).toHaveBeenCalledTimes(1)
  })
})

it('the client sends requests through the option `agent` even if the global fetch was replaced', async () => {
  const server = await serve(respondWith(payment))
  const agent = new http.Agent()
  const addRequest = vi.spyOn(agent as never, 'addRequest')
  vi.stubGlobal('fetch', () => assert.fail('unused'))

  await expect(clientOf(server, { agent }).payments.get('pay_1')).resolves.toEqual(payment)
  expect(addRequest).toHaveBeenCalledOnce()
})

describe('a client in the edge runtime of Next.js, where getBuiltinModule throws', () => {
  it('sends requests with fetch', async () => {
    const fetched = vi.fn(async () => Response.json({ id: 'pay_1' }))
    vi.stubGlobal('fetch', fetched)
    vi.stubGlobal('process', { env: {}, getBuiltinModule: () => assert.fail('unsupported') })
    vi.resetModules()
    // These modules were loaded without diagnostics channels, so other tests must load them again.
    onTestFinished(() => void vi.resetModules())
    const { PaymentsClient } = await import('../../../src/index.js')
    const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.test' })

    await expect(client.payments.get('pay_1')).resolves.toEqual({ id: 'pay_1' })
    expect(fetched).toHaveBeenCalledTimes(1)
  })
})
