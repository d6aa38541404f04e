import { afterEach, describe, expect, it, vi } from 'vitest'
import { prefersNodeHttp } from '../../src/transport/http/node.js'

const { fetch } = globalThis

afterEach(() => {
  vi.unstubAllGlobals()
})

/** What `prefersNodeHttp` says while undici keeps these dispatchers: the one of version 8, and the one of those before. */
function preferredWith(current: unknown, former: unknown): boolean {
  const places = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]
  const before = places.map((place) => Reflect.get(globalThis, place))
  const set = (dispatchers: unknown[]) =>
    dispatchers.forEach((dispatcher, index) => {
      Reflect.set(globalThis, places[index] as symbol, dispatcher)
    })
  set([current, former])
  try {
    return prefersNodeHttp()
  } finally {
    set(before)
  }
}

const named = (name: string) => ({ constructor: { name } })

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

  it('but not where there was no fetch from the start', async () => {
    vi.resetModules()
    const untouched = await import('../../src/transport/http/node.js')
    vi.stubGlobal('fetch', undefined)

    expect(untouched.prefersNodeHttp()).toBe(false)
  })

  it.each([
    ['Agent', true],
    ['ProxyAgent', false],
    ['MockAgent', false],
  ])('where the dispatcher of fetch is an %s: %s', (name, expected) => {
    expect(preferredWith(undefined, named(name))).toBe(expected)
    expect(preferredWith(named(name), undefined)).toBe(expected)
    expect(preferredWith(named(name), named('Agent'))).toBe(expected)
    expect(preferredWith(named('Agent'), named(name))).toBe(expected)
  })

  it.each([undefined, null])('where fetch has no dispatcher yet: %s', (none) => {
    expect(preferredWith(none, none)).toBe(true)
  })
})
