import { afterEach, describe, expect, it, vi } from 'vitest'
import { prefersNodeHttp } from '../../src/transport/http/node.js'

const { fetch } = globalThis

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Returns the choice for the global dispatchers of undici 8 and of earlier versions. */
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

describe('node:http', () => {
  it('is chosen on Node, also after a replaced fetch was restored', () => {
    expect(prefersNodeHttp()).toBe(true)
    vi.stubGlobal('fetch', () => {})
    expect(prefersNodeHttp()).toBe(false)
    vi.stubGlobal('fetch', fetch)
    expect(prefersNodeHttp()).toBe(true)
  })

  it.each([
    ['the runtime has no process', undefined],
    ['the process is not that of Node', { env: {} }],
    ['the process only resembles that of Node', { getBuiltinModule: true }],
  ])('is not chosen if %s', (_what, process) => {
    vi.stubGlobal('process', process)

    const preferred = prefersNodeHttp()

    vi.unstubAllGlobals()
    expect(preferred).toBe(false)
  })

  it.each([
    ['is not a function', undefined],
    ['was replaced', async () => new Response()],
    ['is a proxy of the original', new Proxy(fetch, {})],
  ])('is not chosen if fetch %s', (_what, replaced) => {
    vi.stubGlobal('fetch', replaced)

    expect(prefersNodeHttp()).toBe(false)
  })

  it('is not chosen if the runtime has no fetch', async () => {
    vi.resetModules()
    const untouched = await import('../../src/transport/http/node.js')
    vi.stubGlobal('fetch', undefined)

    expect(untouched.prefersNodeHttp()).toBe(false)
  })

  it.each([
    ['Agent', true],
    ['ProxyAgent', false],
    ['MockAgent', false],
  ])('is chosen for the dispatcher %s: %s', (name, expected) => {
    expect(preferredWith(undefined, named(name))).toBe(expected)
    expect(preferredWith(named(name), undefined)).toBe(expected)
    expect(preferredWith(named(name), named('Agent'))).toBe(expected)
    expect(preferredWith(named('Agent'), named(name))).toBe(expected)
  })

  it.each([undefined, null])('is chosen before fetch has a dispatcher: %s', (none) => {
    expect(preferredWith(none, none)).toBe(true)
  })
})

describe('a global fetch that was replaced before the SDK was loaded', () => {
  it('keeps the outcome of a connection failure unknown, because it may have retried', async () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })
    const replaced = vi.fn(() => Promise.reject(new TypeError('fetch failed', { cause: refused })))
    vi.stubGlobal('fetch', replaced)
    vi.resetModules()
    const { PaymentsClient } = await import('../../src/index.js')
    const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.test' })

    const call = client.payments.resume('pay_1', { resumeToken: 'resume_1' })

    await expect(call).rejects.toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(replaced).toHaveBeenCalledTimes(1)
  })
})
