import { expect, it } from 'vitest'
import type { IdempotencyStore } from '../../src/core/options.js'
import type { createIdempotencyStore, createWebhookStore } from '../../src/stores/sqlite/index.js'

/** Declares a test that applies to every idempotency store. */
export function testIdempotencyStore(create: () => IdempotencyStore | Promise<IdempotencyStore>): void {
  it('remembers the fingerprint of the first request with an idempotency key', async () => {
    const store = await create()
    const key = crypto.randomUUID()

    const fingerprints = await Promise.all(['one', 'two', 'three'].map((fingerprint) => store.claim(key, fingerprint)))
    fingerprints.push(await store.claim(key, 'four'))

    expect(['one', 'two', 'three']).toContain(fingerprints[0])
    expect(new Set(fingerprints).size).toBe(1)
  })
}

interface SqlStores {
  /** Distinguishes the tables of concurrent tests. */
  readonly name: string
  webhooks(options: object): ReturnType<typeof createWebhookStore>
  idempotency(options: object): ReturnType<typeof createIdempotencyStore>
  /** Moves the expiry times in a table into the past. */
  expire(table: string, seconds: number): unknown
}

/** Declares tests about expired rows, for every SQL database. */
export function testExpiry({ name, webhooks, idempotency, expire }: SqlStores): void {
  const expireAll = async (prefix: string, seconds: number) => {
    for (const table of ['webhooks', 'resources', 'idempotency']) await expire(prefix + table, seconds)
  }

  it('deletes expired rows, but keeps recently expired claims', async () => {
    const options = { tablePrefix: `pruned_${name}_`, rememberFor: 60_000 }
    const store = webhooks(options)
    await store.migrate()
    for (const key of ['done', 'expired', 'in use']) await store.claim(key, key === 'in use' ? 120_000 : 1, 'a')
    await store.complete('done', 'a')
    await store.advance('payment:pay_1', 1)
    await idempotency(options).claim('key', 'fingerprint')

    await expireAll(options.tablePrefix, 1)
    const first = await store.prune()
    await expireAll(options.tablePrefix, 61)
    const second = await store.prune()

    expect([first, second]).toEqual([0, 4])
    expect(await store.claim('in use', 1, 'b')).toBe('busy')
  })

  it('forgets an idempotency key after rememberFor, before prune runs', async () => {
    const options = { tablePrefix: `expiring_${name}_`, rememberFor: 60_000 }
    const store = idempotency(options)
    await store.migrate()
    const claim = (fingerprint: string) => store.claim('key', fingerprint)

    const before = [await claim('one'), await claim('two')]
    await expire(`${options.tablePrefix}idempotency`, 60)
    const after = [await claim('three'), await claim('four')]

    expect([...before, ...after]).toEqual(['one', 'one', 'three', 'three'])
  })
}
