import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryStore, deduplicationKey, type MemoryStoreOptions } from '../../src/webhooks/index.js'

const minute = 60_000
const day = 24 * 60 * minute

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('webhooks.createMemoryStore', () => {
  it('gives a delivery to the first who claims it', () => {
    const store = createMemoryStore()

    const claims = [store.claim('a', minute), store.claim('a', minute), store.claim('b', minute)]

    expect(claims).toEqual(['new', 'busy', 'new'])
  })

  it('remembers for a day what was completed', () => {
    const store = createMemoryStore()
    store.claim('a', minute)
    store.complete('a')
    vi.advanceTimersByTime(day - 1)
    const before = store.claim('a', minute)
    vi.advanceTimersByTime(1)

    const after = store.claim('a', minute)

    expect([before, after]).toEqual(['done', 'new'])
  })

  it('gives a delivery away again when it was released', () => {
    const store = createMemoryStore()
    store.claim('a', minute)
    store.release('a')

    const claims = [store.claim('a', minute), store.claim('a', minute)]

    expect(claims).toEqual(['new', 'busy'])
  })

  it('lets a claim lapse', () => {
    const store = createMemoryStore()
    store.claim('a', minute)
    vi.advanceTimersByTime(minute - 1)
    const before = store.claim('a', minute)
    vi.advanceTimersByTime(1)

    const after = [store.claim('a', minute), store.claim('a', minute)]

    expect([before, ...after]).toEqual(['busy', 'new', 'busy'])
  })

  it('remembers as long as it is told to', () => {
    const store = createMemoryStore({ rememberMs: 1000 })
    store.claim('a', minute)
    store.complete('a')
    vi.advanceTimersByTime(999)
    const before = store.claim('a', minute)
    vi.advanceTimersByTime(1)

    const after = store.claim('a', minute)

    expect([before, after]).toEqual(['done', 'new'])
  })

  it('forgets what was completed longest ago when it is full', () => {
    const store = createMemoryStore({ maxEntries: 2 })
    for (const key of ['a', 'b']) store.claim(key, minute)
    for (const key of ['b', 'a']) store.complete(key)

    const claims = ['c', 'a', 'c'].map((key) => store.claim(key, minute))

    expect(claims).toEqual(['new', 'done', 'busy'])
    expect(store.claim('b', minute)).toBe('new')
  })

  it('remembers 10000 deliveries', () => {
    const store = createMemoryStore()
    for (let key = 0; key < 10_000; key++) store.complete(String(key))
    const full = store.claim('0', minute)
    store.complete('one more')

    const overfull = [store.claim('1', minute), store.claim('0', minute)]

    expect([full, ...overfull]).toEqual(['done', 'done', 'new'])
  })

  it.each([
    [{ rememberMs: 0 }, 'Option rememberMs must be a positive integer'],
    [{ rememberMs: Number.NaN }, 'Option rememberMs must be a positive integer'],
    [{ maxEntries: -1 }, 'Option maxEntries must be a positive integer'],
    [{ maxEntry: 1 }, 'Unknown option "maxEntry". Did you mean "maxEntries"?'],
  ])('refuses %j', (options, says) => {
    expect(() => createMemoryStore(options as MemoryStoreOptions)).toThrow(says)
  })
})

describe('webhooks.deduplicationKey', () => {
  it('W13 is the SHA-256 of the raw body, the same for text and bytes', async () => {
    const body = '{"name":"Ünïcödé"}'

    const keys = await Promise.all([deduplicationKey(body), deduplicationKey(Buffer.from(body))])

    const expected = createHash('sha256').update(body).digest('hex')
    expect(keys).toEqual([expected, expected])
  })

  it('keeps leading zeroes', async () => {
    // 39 is the first number whose SHA-256 starts with a byte below 16.
    const key = await deduplicationKey('39')

    expect(key).toBe(createHash('sha256').update('39').digest('hex'))
    expect(key).toMatch(/^0[0-9a-f]{63}$/)
  })

  it('refuses a parsed body', async () => {
    await expect(deduplicationKey({} as string)).rejects.toMatchObject({ reason: 'body-not-raw' })
  })
})
