import assert from 'node:assert'
import http from 'node:http'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { prefersNodeHttp } from '../../../src/core/transport/http/runtime.js'
import { runProgram } from '../../faults/support/program.js'
import { clientOf, failureOf, payment, serve } from '../../support/clients.js'
import { closedPort, respondWith } from '../../support/scripted-server.js'

const { fetch } = globalThis

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Returns the HTTP adapter of a call. Only `node:http` reports that a refused connection sent nothing. */
async function adapterOfCall(): Promise<'node:http' | 'fetch'> {
  const client = clientOf({ url: `http://127.0.0.1:${await closedPort()}` })
  const { outcome } = await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' }))
  return outcome === 'not_sent' ? 'node:http' : 'fetch'
}

/** Sets undici's global dispatchers until the end of the test: of version 8 (`current`) and of earlier versions. */
function setDispatchers(current: unknown, former: unknown): void {
  const symbols = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]
  // Creates a Response first, because Node sets its own dispatcher at that time.
  new Response()
  const before = symbols.map((symbol) => Reflect.get(globalThis, symbol))
  const set = (dispatchers: unknown[]) => {
    for (const [index, symbol] of symbols.entries()) Reflect.set(globalThis, symbol, dispatchers[index])
  }
  set([current, former])
  onTestFinished(() => set(before))
}

/** Returns an instance of a class with the given name. */
function named(name: string): object {
  const classes = {
    [name]: class {
      dispatch() {
        throw new Error('unavailable')
      }
    },
  }
  return new (classes[name] as new () => object)()
}

describe('the choice between node:http and fetch', () => {
  it('uses node:http on Node, but fetch while the global fetch is replaced', async () => {
    expect(await adapterOfCall()).toBe('node:http')
    vi.stubGlobal('fetch', new Proxy(fetch, {}))
    expect(await adapterOfCall()).toBe('fetch')
    vi.stubGlobal('fetch', fetch)
    expect(await adapterOfCall()).toBe('node:http')
  })

  it.each([
    ['a runtime without process', undefined],
    ['a runtime whose process has no getBuiltinModule', { env: {} }],
    ['the edge runtime of Next.js', { env: {}, getBuiltinModule: () => assert.fail('unsupported') }],
  ])('uses fetch in %s', (_, process) => {
    vi.stubGlobal('process', process)

    const isOverNode = prefersNodeHttp()

    vi.unstubAllGlobals()
    expect(isOverNode).toBe(false)
  })

  it('uses fetch if the global fetch was replaced before the client was imported', async () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' })
    const replaced = vi.fn(() => Promise.reject(new TypeError('fetch failed', { cause: refused })))
    vi.stubGlobal('fetch', replaced)
    vi.resetModules()
    onTestFinished(() => void vi.resetModules())
    const { PaymentsClient } = await import('../../../src/index.js')
    const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.test' })

    const call = client.payments.resume('pay_1', { resumeToken: 'resume_1' })

    await expect(call).rejects.toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(replaced).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['Agent', 'Agent', 'node:http'],
    ['Agent', undefined, 'node:http'],
    [undefined, 'Agent', 'node:http'],
    [undefined, undefined, 'node:http'],
    ['Agent', 'Dispatcher1Wrapper', 'node:http'],
    ['ProxyAgent', 'Dispatcher1Wrapper', 'fetch'],
    ['MockAgent', 'Dispatcher1Wrapper', 'fetch'],
    ['Agent', 'ProxyAgent', 'fetch'],
    ['EnvHttpProxyAgent', 'Dispatcher1Wrapper', 'fetch'],
  ])('with the global dispatchers %s and %s, the client uses %s', async (current, former, adapter) => {
    setDispatchers(current && named(current), former && named(former))

    expect(await adapterOfCall()).toBe(adapter)
  })

  it.each(['undici', 'node:http', 'fetch'])('still uses node:http after the use of %s', async (used) => {
    const output = await runProgram('refused-connection', [`http://127.0.0.1:${await closedPort()}`, used])

    // Only node:http reports that a refused connection sent nothing.
    expect(output).toMatch(/^not_sent /)
  })
})

it('the client prefers the option `agent` to a replaced global fetch', async () => {
  const server = await serve(respondWith(payment))
  const agent = new http.Agent()
  const addRequest = vi.spyOn(agent as never, 'addRequest')
  vi.stubGlobal('fetch', () => assert.fail('unused'))

  await expect(clientOf(server, { agent }).payments.get('pay_1')).resolves.toEqual(payment)
  expect(addRequest).toHaveBeenCalledOnce()
})
