import { expect, it } from 'vitest'
import type { createWebhookStore } from '../../src/stores/sqlite/index.js'

interface SqlStores {
  /** Distinguishes the tables of concurrent tests. */
  readonly name: string
  webhooks(options: object): ReturnType<typeof createWebhookStore>
  /** Moves the expiry times in a table into the past. */
  expire(table: string, seconds: number): unknown
}

/** Declares tests about expired rows, for every SQL database. */
export function testExpiry({ name, webhooks, expire }: SqlStores): void {
  const expireAll = async (prefix: string, seconds: number) => {
    for (const table of ['webhooks', 'resources']) await expire(prefix + table, seconds)
  }

  it('deletes expired rows, but keeps recently expired claims', async () => {
    const options = { tablePrefix: `pruned_${name}_`, rememberFor: 60_000 }
    const store = webhooks(options)
    await store.migrate()
    for (const key of ['done', 'expired', 'in use']) await store.claim(key, key === 'in use' ? 120_000 : 1, 'a')
    await store.complete('done', 'a')
    await store.advance('payment:pay_1', 1)

    await expireAll(options.tablePrefix, 1)
    const first = await store.prune()
    await expireAll(options.tablePrefix, 61)
    const second = await store.prune()

    expect([first, second]).toEqual([0, 3])
    expect(await store.claim('in use', 1, 'b')).toBe('busy')
  })
}
