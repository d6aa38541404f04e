import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { createWebhookStore, type PgPool } from '../../src/stores/postgres/index.js'
import { openTransaction, toDatabase } from '../../src/stores/postgres/to-database.js'
import { testWebhookStore } from '../../src/testing/index.js'
import type { HandlerOptions, WebhookContext } from '../../src/webhooks/index.js'
import { aHandler, aStatusEvent, later } from '../webhooks/fixtures.js'
import { isTestedFully } from './drivers.js'
import { libraries, type OpenLibrary } from './libraries.js'

type OnStatus = (event: { payment: { id: string } }, context: WebhookContext) => unknown

const aPayment = () => crypto.randomUUID()

/** Returns a value with methods of the same names as those of a transaction. */
const otherTransaction = { query: async () => [], raw: async () => [], execute: async () => [] }

describe.each(Object.entries(libraries))('the PostgreSQL webhook store on %s', async (name, open) => {
  const library = await open()
  const { connection, run } = library
  const effects = `effects_${name.replace(/\W/g, '_').toLowerCase()}`
  const insert = (payment: string) => `INSERT INTO ${effects} (payment) VALUES ('${payment}')`
  /** Adds an effect of the event's payment in the transaction of the webhook function. */
  const save: OnStatus = ({ payment }, { transaction }) => run(insert(payment.id), transaction)
  /** Creates a handler. By default, `deliver` sends events of one payment, and returns the status of the response. */
  const aShop = (onStatus: OnStatus, options: Partial<HandlerOptions> = {}) => {
    const payment = aPayment()
    const on = { 'PAYMENT.STATUS': onStatus }
    const { deliver, onError } = aHandler({ deduplicate: createWebhookStore(connection), on, ...options })
    return {
      onError,
      deliver: (changes: object = {}) => deliver(aStatusEvent({ id: payment, ...changes })),
      countEffects: async (id = payment) =>
        Number((await run(`SELECT count(*)::text AS n FROM ${effects} WHERE payment = '${id}'`))[0]?.['n']),
    }
  }

  beforeAll(async () => {
    await createWebhookStore(connection).migrate()
    await run(`CREATE TABLE ${effects} (payment text)`)
  })

  afterAll(() => library.close())

  it('commits the webhook function’s writes and the delivery in one transaction', async () => {
    const { deliver, countEffects, onError } = aShop(save)

    const statuses = await Promise.all(Array.from({ length: 5 }, () => deliver()))
    const again = await deliver()

    expect(onError.mock.calls).toEqual([])
    expect(statuses.filter((status) => status === 200 || status === 409)).toHaveLength(5)
    expect([again, await countEffects()]).toEqual([200, 1])
  })

  it.each<[string, fail: (transaction: unknown) => unknown]>([
    ['throws', () => Promise.reject(new Error('canary'))],
    ['ignores a failed statement', (transaction) => run('SELECT 1/0', transaction).catch(() => {})],
  ])('rolls back if the webhook function %s, and handles the redelivery', async (_, fail) => {
    let calls = 0
    const { deliver, countEffects, onError } = aShop(async (event, context) => {
      await save(event, context)
      if (calls++ === 0) await fail(context.transaction)
    })

    expect([await deliver(), await countEffects()]).toEqual([500, 0])
    expect([await deliver(), await countEffects()]).toEqual([200, 1])
    expect(onError).toHaveBeenCalledTimes(1)
  })

  it('handles a redelivery after the webhook function ran COMMIT and then failed', async () => {
    const onStatus = vi.fn<OnStatus>(async (event, context) => {
      if (onStatus.mock.calls.length > 1) return save(event, context)
      await run('SELECT 1; COMMIT', context.transaction).catch(() => run('COMMIT', context.transaction))
      throw new Error('canary')
    })
    const { deliver, countEffects } = aShop(onStatus)

    expect([await deliver(), await deliver(), await countEffects()]).toEqual([500, 200, 1])
  })

  it('responds 500 if the webhook function ends the transaction', async () => {
    const { deliver, onError } = aShop((_, { transaction }) =>
      run('SELECT 1; COMMIT', transaction).catch(() => run('ROLLBACK', transaction)),
    )

    expect([await deliver(), await deliver()]).toEqual([500, 500])
    expect(onError).toHaveBeenCalledTimes(2)
  })

  it('never commits an event’s transaction when a nested transaction ends', async () => {
    const { deliver, countEffects } = aShop(async (event, context) => {
      const work = (transaction: unknown) => run(insert(event.payment.id), transaction)
      await library.nested(context.transaction, work).catch(() => {})
      throw new Error('canary')
    })

    expect([await deliver(), await countEffects()]).toEqual([500, 0])
  })

  it('rejects a value that is not an open transaction before anything is written', async () => {
    const database = toDatabase(connection)
    const write = `INSERT INTO ${effects} (payment) VALUES ($1::text) RETURNING payment`
    const payment = aPayment()
    const others = [undefined, {}, connection, otherTransaction]

    const written = await library.transaction(async (transaction) => {
      const query = await openTransaction(database, transaction)
      return query(write, [payment])
    })

    expect(written).toEqual([{ payment }])
    for (const other of others) {
      const result = openTransaction(database, other).then((query) => query(write, [payment]))
      await expect(result).rejects.toThrow('The transaction')
    }
    expect(await run(`SELECT FROM ${effects} WHERE payment = '${payment}'`)).toHaveLength(1)
  })

  it.each([true, false])(
    'marks an event as stale if it is one microsecond older, with serialize: %s',
    async (serialize) => {
      const onStatus = vi.fn<OnStatus>()
      const { deliver } = aShop(onStatus, { serialize })

      for (const end of ['124', '123', '125']) await deliver({ dateUpdated: `2026-01-31T12:00:00.123${end}` })

      expect(onStatus.mock.calls.map(([, { stale }]) => stale)).toEqual([false, true, false])
    },
  )

  if (!isTestedFully(name)) return

  for (const { name, run } of testWebhookStore(() => createWebhookStore(connection))) it(name, run)

  it('handles 40 deliveries at once on a pool of 3 connections', async () => {
    const small = await open(3)
    const deduplicate = createWebhookStore(small.connection, { concurrency: 1 })
    const payments = Array.from({ length: 40 }, aPayment)
    const { deliver, countEffects, onError } = aShop(
      async ({ payment }, { transaction }) => {
        await small.run(insert(payment.id), transaction)
        await small.run(insert(payment.id))
      },
      { deduplicate, serializeWait: 60_000 },
    )

    const statuses = await Promise.all(payments.map((id) => deliver({ id })))
    await small.close()

    expect(onError.mock.calls).toEqual([])
    expect(statuses).toEqual(payments.map(() => 200))
    expect(await Promise.all(payments.map(countEffects))).toEqual(payments.map(() => 2))
  })

  it('handles concurrent deliveries of a role whose isolation level is serializable', async () => {
    const role = `strict_${effects}`
    await run(`CREATE ROLE ${role} LOGIN SUPERUSER`)
    await run(`ALTER ROLE ${role} SET default_transaction_isolation = serializable`)
    const strict = await open(10, inject('postgresUrl').replace('//postgres@', `//${role}@`))
    const store = createWebhookStore(strict.connection)
    const claims = createWebhookStore(strict.connection, { transactional: false })
    const onStatus: OnStatus = ({ payment }, { transaction }) =>
      transaction && strict.run(insert(payment.id), transaction)
    const shops = [store, claims].map((deduplicate) => aShop(onStatus, { deduplicate, serializeWait: 60_000 }))
    const payments = Array.from({ length: 30 }, aPayment)

    const statuses = await Promise.all(
      shops.flatMap(({ deliver }, amount) => payments.map((id) => deliver({ id, amount }))),
    )
    await strict.close()

    expect(shops.flatMap(({ onError }) => onError.mock.calls)).toEqual([])
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('handles an event of another payment while 12 events of one payment are queued', async () => {
    const other = aPayment()
    const work = later()
    const onStatus = vi.fn<OnStatus>(({ payment }) => (payment.id === other ? undefined : work.promise))
    const { deliver } = aShop(onStatus, { serializeWait: 60_000 })

    const waiting = Array.from({ length: 12 }, (_, amount) => deliver({ amount }))
    await vi.waitUntil(() => onStatus.mock.calls.length === 1, 10_000)
    const status = await deliver({ id: other })
    work.resolve()

    expect([status, ...(await Promise.all(waiting))]).toEqual(Array(13).fill(200))
  })
})

describe('a transaction of a pg pool', async () => {
  const pg = await (libraries['pg'] as OpenLibrary)()
  const database = toDatabase(pg.connection)

  afterAll(() => pg.close())

  it.each(['TypeORM', 'pg'])('accepts a transaction of %s on the same database', async (name) => {
    const other = await (libraries[name] as OpenLibrary)()

    const rows = await other.transaction(async (transaction) => {
      const query = await openTransaction(database, transaction)
      return query('SELECT $1::text AS value', ['a'])
    })
    await other.close()

    expect(rows).toEqual([{ value: 'a' }])
  })

  it.each<[string, (pool: PgPool) => unknown]>([
    ['the pool', (pool) => pool],
    ['a client without BEGIN', (pool) => pool.connect()],
    ['a wrapper of the pool', (pool) => ({ query: async (sql: string) => (await pool.query(sql)).rows })],
    ['a query that resolves to nothing', () => ({ query: async () => {} })],
  ])('reports that no transaction is open in %s', async (_, open) => {
    const value = await open(pg.connection as PgPool)

    await expect(openTransaction(database, value)).rejects.toThrow('The transaction is not open')
    if (value !== pg.connection) Object(value).release?.()
  })
})
