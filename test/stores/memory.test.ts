import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { testWebhookStore } from '../../src/testing/index.js'
import { createMemoryStore, type MemoryStoreOptions } from '../../src/webhooks/index.js'

const minute = 60_000
const week = 7 * 24 * 60 * minute

describe('the memory store', () => {
  for (const { name, run } of testWebhookStore(createMemoryStore)) it(name, run)
})

describe('createMemoryStore', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    [undefined, week],
    [{ rememberFor: 1000 }, 1000],
    [{ rememberMs: 1000 }, 1000],
    [{ rememberFor: 1000, rememberMs: 2000 }, 1000],
  ])('remembers a completed delivery for rememberFor, by default 7 days: %j', (options, duration) => {
    const store = createMemoryStore(options)
    store.claim('a', minute, 'owner')
    store.complete('a', 'owner')
    vi.advanceTimersByTime(duration - 1)
    const before = store.claim('a', minute, 'owner')
    vi.advanceTimersByTime(1)

    const after = store.claim('a', minute, 'owner')

    expect([before, after]).toEqual(['done', 'new'])
  })

  it('removes the oldest completed delivery when the store is full', () => {
    const store = createMemoryStore({ maxEntries: 3 })
    store.claim('in use', minute, 'owner')
    for (const key of ['b', 'a', 'c', 'd']) {
      store.claim(key, minute, 'owner')
      store.complete(key, 'owner')
    }

    const claims = ['in use', 'd', 'c', 'b'].map((key) => store.claim(key, minute, 'other'))

    expect(claims).toEqual(['busy', 'done', 'done', 'new'])
  })

  it('moves a delivery to the end of the removal order when it is completed again', () => {
    const store = createMemoryStore({ maxEntries: 3, rememberMs: minute })
    const handle = (key: string) => [store.claim(key, minute, 'owner'), store.complete(key, 'owner')]
    for (const key of ['a', 'b']) handle(key)
    vi.advanceTimersByTime(minute)

    for (const key of ['a', 'c', 'd']) handle(key)

    expect(store.claim('a', minute, 'owner')).toBe('done')
  })

  it('keeps all completed deliveries when another owner takes over an expired claim', () => {
    const store = createMemoryStore({ maxEntries: 2 })
    store.claim('a', minute, 'owner')
    store.complete('a', 'owner')
    store.claim('b', minute, 'owner')
    vi.advanceTimersByTime(minute)

    const claims = ['b', 'a'].map((key) => store.claim(key, minute, 'other'))

    expect(claims).toEqual(['new', 'done'])
  })

  it('reports a new delivery as busy while 10,000 claims are active', () => {
    const store = createMemoryStore()
    for (let key = 0; key < 10_000; key++) store.claim(String(key), minute, 'owner')

    const full = [store.claim('new', minute, 'other'), store.claim('0', minute, 'other')]
    store.complete('5', 'owner')
    const freed = [store.claim('new', minute, 'other'), store.claim('5', minute, 'other')]

    expect(full).toEqual(['busy', 'busy'])
    expect(freed).toEqual(['new', 'busy'])
  })

  it('keeps expired claims for their owners when the store is full', () => {
    const store = createMemoryStore({ maxEntries: 1 })
    store.claim('a', minute, 'owner')
    vi.advanceTimersByTime(minute)

    const other = store.claim('b', minute, 'other')

    expect([other, store.complete('a', 'owner')]).toEqual(['busy', true])
  })

  it('removes a claim when the duration rememberFor has passed since its expiry', () => {
    const store = createMemoryStore({ maxEntries: 1, rememberFor: 1000 })
    store.claim('a', minute, 'owner')
    vi.advanceTimersByTime(minute + 999)
    const before = store.claim('b', minute, 'other')
    vi.advanceTimersByTime(1)

    const after = store.claim('b', minute, 'other')

    expect([before, after]).toEqual(['busy', 'new'])
  })

  it('does not count claims on resources', () => {
    const store = createMemoryStore({ maxEntries: 1 })
    store.claim('a', minute, 'owner')

    expect(store.claim('resource:payment:pay_1', minute, 'owner')).toBe('new')

    store.complete('a', 'owner')
    store.claim('resource:payment:pay_2', minute, 'owner')
    expect(store.claim('a', minute, 'other')).toBe('done')
  })

  it('removes the least recently updated event times when the store is full', () => {
    const store = createMemoryStore({ maxEntries: 2 })
    for (const resource of ['a', 'b', 'a', 'c']) store.advance?.(resource, 1)

    expect(['a', 'b', 'c'].map((resource) => store.newest?.(resource))).toEqual([1, undefined, 1])
  })

  it.each([
    [{ rememberFor: 0 }, 'rememberFor must be a positive integer of milliseconds'],
    [{ rememberMs: 0 }, 'rememberMs must be an integer of at least 1'],
    [{ rememberMs: Number.NaN }, 'rememberMs must be an integer of at least 1'],
    [{ maxEntries: -1 }, 'maxEntries must be an integer of at least 1'],
    [{ maxEntry: 1 }, 'maxEntry is not an option: did you mean "maxEntries"?'],
  ])('rejects the options %j', (options, message) => {
    expect(() => createMemoryStore(options as MemoryStoreOptions)).toThrow(message)
  })
})
