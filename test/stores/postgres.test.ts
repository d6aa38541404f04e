import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import {
  createIdempotencyStore,
  createWebhookStore,
  migrationSql,
  type PgPool,
  type PostgresSql,
} from '../../src/stores/postgres/index.js'
import { testWebhookStore } from '../../src/testing/index.js'
import type { HandlerOptions, WebhookContext } from '../../src/webhooks/index.js'
import { aPayment as aPaymentBody, startSandbox } from '../support/start-sandbox.js'
import { aHandler, aStatusEvent, later } from '../webhooks/fixtures.js'
import { driver } from './drivers.js'
import { startPostgres } from './servers.js'
import { testExpiry, testIdempotencyStore } from './shared-tests.js'

interface Driver {
  open(max?: number, url?: string): { connection: PgPool | PostgresSql; close(): Promise<void> }
  /** Creates a query with the driver. The driver `postgres` sends a query only when it is awaited. */
  query(on: unknown, sql: string): PromiseLike<unknown>
  /** Runs a statement on a connection or in a webhook context's transaction. */
  run(on: unknown, sql: string): Promise<Record<string, unknown>[]>
}

const drivers: Record<string, Driver> = {
  pg: {
    open(max = 10, url = inject('postgresUrl')) {
      const pool = new (driver('pg').Pool)({ connectionString: url, max })
      return { connection: pool, close: () => pool.end() }
    },
    query: (on, sql) => (on as PgPool).query(sql),
    run: async (on, sql) => (await (on as PgPool).query(sql)).rows,
  },
  postgres: {
    open(max = 10, url = inject('postgresUrl')) {
      const sql = driver('postgres')(url, { max, onnotice: () => {} })
      return { connection: sql, close: () => sql.end({ timeout: 1 }) }
    },
    query: (on, sql) => (on as PostgresSql).unsafe(sql),
    run: async (on, sql) => (await (on as PostgresSql).unsafe(sql)) as Record<string, unknown>[],
  },
}

const aborted = (signal: AbortSignal) =>
  signal.aborted || new Promise((resolve) => signal.addEventListener('abort', resolve))

describe.each(Object.entries(drivers))('stores/postgres with %s', (name, { open, query, run }) => {
  const { connection, close } = open()
  const create = (options?: Parameters<typeof createWebhookStore>[1]) =>
    createWebhookStore(connection as PgPool, options)
  const effects = `effects_${name}`
  const insert = (payment: string, table = effects) => `INSERT INTO ${table} (payment) VALUES ('${payment}')`
  const aPayment = () => crypto.randomUUID()
  type OnStatus = (event: { payment: { id: string } }, context: WebhookContext) => unknown
  /** Adds an effect of the event's payment in the transaction of the webhook function. */
  const save: OnStatus = ({ payment }, { transaction }) => run(transaction, insert(payment.id))
  const pidOf = async (on: unknown) => (await run(on, 'SELECT pg_backend_pid() AS pid'))[0]?.['pid']
  /** Creates a handler. By default, `deliver` sends events of one payment, and returns the status of the response. */
  const aShop = (onStatus: OnStatus, options: Partial<HandlerOptions> = {}) => {
    const payment = aPayment()
    const on = { 'PAYMENT.STATUS': onStatus }
    const { deliver, onError } = aHandler({ deduplicate: create(), on, ...options })
    return {
      onError,
      deliver: (changes: object = {}) => deliver(aStatusEvent({ id: payment, ...changes })),
      countEffects: async (id = payment) =>
        Number((await run(connection, `SELECT count(*) AS n FROM ${effects} WHERE payment = '${id}'`))[0]?.['n']),
    }
  }
  /** Creates a store with its own pool of connections. */
  const aStoreWith = (max: number) => {
    const pool = open(max)
    return { ...pool, deduplicate: createWebhookStore(pool.connection as PgPool) }
  }
  /** Ends the server process that serves a connection, and waits until the client detects the closed connection. */
  const terminate = async (pid: unknown) => {
    await run(connection, `SELECT pg_terminate_backend(${pid}, 20000)`)
    // After the server process has ended, the client detects the closed socket within a few turns of the event loop.
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }

  beforeAll(async () => {
    await create().migrate()
    await run(connection, `CREATE TABLE ${effects} (payment text)`)
  })

  afterAll(close)

  describe('createWebhookStore with transactional: true', () => {
    for (const { name, run } of testWebhookStore(() => create())) it(name, run)

    it('commits the webhook function’s writes and the delivery in one transaction', async () => {
      const { deliver, countEffects, onError } = aShop(save)

      const statuses = await Promise.all(Array.from({ length: 5 }, () => deliver()))
      const again = await deliver()

      expect(statuses.filter((status) => status === 200 || status === 409)).toHaveLength(5)
      expect([again, await countEffects()]).toEqual([200, 1])
      expect(onError).not.toHaveBeenCalled()
    })

    it.each<[string, fail: (transaction: unknown) => unknown]>([
      ['throws', () => Promise.reject(new Error('canary'))],
      ['ignores a failed statement', (transaction) => run(transaction, 'SELECT 1/0').catch(() => {})],
    ])('rolls back if the webhook function %s', async (_, fail) => {
      let calls = 0
      const { deliver, countEffects, onError } = aShop(async (event, context) => {
        await save(event, context)
        if (calls++ === 0) await fail(context.transaction)
      })

      expect([await deliver(), await countEffects()]).toEqual([500, 0])
      expect([await deliver(), await countEffects()]).toEqual([200, 1])
      expect(onError).toHaveBeenCalledTimes(1)
    })

    it.each(['ROLLBACK', 'COMMIT'])(
      'makes the handler respond 500 if the webhook function ends the transaction with %s',
      async (statement) => {
        const { deliver, onError } = aShop((_, { transaction }) => run(transaction, statement))

        expect([await deliver(), await deliver()]).toEqual([500, 500])
        expect(String(onError.mock.calls[0]?.[0])).toContain('The webhook function ended the transaction')
      },
    )

    it.each(['idle', 'during a statement'])('stays usable after a connection is lost: %s', async (when) => {
      const { deduplicate, close } = aStoreWith(2)
      let calls = 0
      const onStatus: OnStatus = async (event, context) => {
        const { transaction } = context
        if (calls++ === 0) {
          const pid = await pidOf(transaction)
          const sleeping = when === 'idle' ? undefined : run(transaction, 'SELECT pg_sleep(10)')
          sleeping?.catch(() => Promise.resolve(save(event, context)).catch(() => {}))
          await terminate(pid)
          await sleeping
        }
        await save(event, context)
      }
      const { deliver, countEffects, onError } = aShop(onStatus, { deduplicate })

      const results = [await deliver(), await countEffects(), await deliver(), await countEffects()]
      await close()

      expect(results).toEqual([500, 0, 200, 1])
      expect(onError).toHaveBeenCalledTimes(1)
    })

    it('aborts context.signal if the connection is lost, and waits for the webhook function', async () => {
      const { deduplicate, close } = aStoreWith(1)
      const ended = vi.fn()
      const onStatus: OnStatus = async (_, { transaction, signal }) => {
        await terminate(await pidOf(transaction))
        await aborted(signal)
        await new Promise((resolve) => setTimeout(resolve, 100))
        ended()
      }

      const status = await aShop(onStatus, { deduplicate }).deliver()

      expect([status, ended.mock.calls.length]).toEqual([500, 1])
      await close()
    })

    it('never aborts context.signal after the webhook function has returned', async () => {
      const signals: AbortSignal[] = []
      const { deliver } = aShop((_, { signal }) => {
        signals.push(signal)
        if (signals.length > 1) throw new Error('canary')
      })

      const statuses = [await deliver({ id: aPayment() }), await deliver({ id: aPayment() })]

      expect(statuses).toEqual([200, 500])
      expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    })

    it('makes the handler respond 500 while the server is down, then works again', async () => {
      const server = await startPostgres()
      const { connection, close } = open(2, server.url)
      const deduplicate = createWebhookStore(connection as PgPool)
      await deduplicate.migrate()
      await run(connection, 'CREATE TABLE effects (payment text)')
      let calls = 0
      const onStatus: OnStatus = async (_, { transaction, signal }) => {
        await run(transaction, insert('pay_1', 'effects'))
        if (calls++ > 0) return
        await server.kill()
        await aborted(signal)
      }
      const { deliver, onError } = aShop(onStatus, { deduplicate })

      const statuses = [await deliver(), await deliver()]
      await server.restart()
      let after = await deliver()
      while (after === 500) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        after = await deliver()
      }
      const [stored] = await run(connection, 'SELECT count(*)::int AS n FROM effects')
      await close()
      await server.stop()

      expect([...statuses, after, stored?.['n']]).toEqual([500, 500, 200, 1])
      expect(onError).toHaveBeenCalled()
    })

    it('stays usable after idle connections are lost', async () => {
      const { deduplicate, connection, close } = aStoreWith(1)
      await deduplicate.claim(aPayment(), 1, 'a')
      await terminate(await pidOf(connection))

      const result = await deduplicate.claim(aPayment(), 1, 'a')
      await close()

      expect(result).toBe('new')
    })

    it('rejects statements after the transaction ends', async () => {
      let ended: unknown
      const payment = aPayment()
      const { deliver, countEffects } = aShop((_, { transaction }) => {
        ended = transaction
      })

      expect(await deliver()).toBe(200)
      await expect(run(ended, insert(payment))).rejects.toThrow('The transaction has ended')
      expect(await countEffects(payment)).toBe(0)
    })

    it('uses only one connection per delivery', async () => {
      const { deduplicate, close } = aStoreWith(1)
      const { deliver } = aShop(() => {}, { deduplicate, serializeWait: 60_000 })

      const statuses = await Promise.all([1, 2, 3].map((amount) => deliver({ amount })))
      await close()

      expect(statuses).toEqual([200, 200, 200])
    })

    it.each<[string, sql: (payment: string) => string[], result: number[]]>([
      ['runs an array of queries that the webhook function returns', (id) => [insert(id), insert(id)], [200, 2, 0]],
      ['rolls back if a query in the returned array fails', (id) => [insert(id), 'SELECT 1/0'], [500, 0, 1]],
    ])('%s', async (_, sql, result) => {
      const { deliver, countEffects, onError } = aShop(({ payment }, { transaction }) =>
        sql(payment.id).map((text) => query(transaction, text)),
      )

      expect([await deliver(), await countEffects(), onError.mock.calls.length]).toEqual(result)
    })

    it('handles 40 concurrent deliveries with 10 shared connections', async () => {
      const idempotencyStore = createIdempotencyStore(connection)
      const client = startSandbox().client.withOptions({ idempotencyStore })
      const payments = Array.from({ length: 40 }, aPayment)
      const onStatus: OnStatus = async (event, context) => {
        await save(event, context)
        await run(connection, 'SELECT pg_sleep(0.05)')
        await client.payments.create(aPaymentBody(), { idempotencyKey: context.key })
        await run(connection, insert(event.payment.id))
      }
      const { deliver, countEffects, onError } = aShop(onStatus, { serializeWait: 60_000 })

      const statuses = await Promise.all(payments.map((id) => deliver({ id })))

      expect(onError.mock.calls).toEqual([])
      expect(statuses).toEqual(payments.map(() => 200))
      expect(await Promise.all(payments.map(countEffects))).toEqual(payments.map(() => 2))
    })

    it('runs at most max - 2 transactions, and the handler responds 409 to other events', async () => {
      const small = open(4)
      const work = later()
      const onStatus = vi.fn(() => work.promise)
      const [first, second] = [1, 2].map(() => {
        const deduplicate = createWebhookStore(small.connection as PgPool)
        return aShop(onStatus, { deduplicate, serialize: false, serializeWait: 50 })
      }) as [ReturnType<typeof aShop>, ReturnType<typeof aShop>]
      const deliver = (shop: typeof first) => shop.deliver({ id: aPayment() })

      const running = [deliver(first), deliver(second)]
      await vi.waitUntil(() => onStatus.mock.calls.length === 2)
      const refused = await Promise.all([deliver(first), deliver(second)])
      work.resolve()
      const handled = [...(await Promise.all(running)), await deliver(second)]
      await small.close()

      expect([refused, handled]).toEqual([
        [409, 409],
        [200, 200, 200],
      ])
    })

    it('handles an event of another payment while 12 events of one payment are queued', async () => {
      const other = aPayment()
      const work = later()
      const onStatus = vi.fn<OnStatus>(({ payment }) => (payment.id === other ? undefined : work.promise))
      const { deliver } = aShop(onStatus, { serializeWait: 60_000 })

      const waiting = Array.from({ length: 12 }, (_, amount) => deliver({ amount }))
      await vi.waitUntil(() => onStatus.mock.calls.length === 1)
      const status = await deliver({ id: other })
      work.resolve()

      expect([status, ...(await Promise.all(waiting))]).toEqual(Array(13).fill(200))
    })

    it('rolls back and responds 500 after an error code that consists of letters', async () => {
      const { deduplicate, close } = aStoreWith(1)
      const raise = `DO $$ BEGIN RAISE EXCEPTION 'out of stock' USING ERRCODE = 'ESTCK'; END $$`
      const onStatus = vi.fn<OnStatus>(async (event, context) => {
        await save(event, context)
        if (onStatus.mock.calls.length === 1) await run(context.transaction, raise)
      })
      const { deliver, countEffects, onError } = aShop(onStatus, { deduplicate })

      const results = [await deliver(), await deliver(), await countEffects()]
      await close()

      expect(results).toEqual([500, 200, 1])
      expect(onError.mock.calls.map(([error]) => error.code)).toEqual(['ESTCK'])
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

    it('makes the handler respond 409 if an earlier event of the payment is still being handled after serializeWait', async () => {
      const work = later()
      const onStatus = vi.fn(() => work.promise)
      const { deliver } = aShop(onStatus, { serializeWait: 50 })

      const first = deliver({ amount: 1 })
      await vi.waitUntil(() => onStatus.mock.calls.length === 1)
      const second = await deliver({ amount: 2 })
      work.resolve()

      expect([await first, second]).toEqual([200, 409])
    })
  })

  describe('createWebhookStore with transactional: false', () => {
    for (const { name, run } of testWebhookStore(() => create({ transactional: false }))) it(name, run)

    it('returns a store without the method transact', () => {
      expect(create({ transactional: false }).transact).toBeUndefined()
    })
  })

  it('creates the schema and tables even if migrations run concurrently or repeatedly', async () => {
    const options = { schema: `Shop_${name}`, tablePrefix: 'our_' }
    const store = create(options)

    await Promise.all(Array.from({ length: 5 }, () => store.migrate()))
    const result = await store.claim('key', 60_000, 'a')

    expect(result).toBe('new')
    expect(migrationSql(options)).toContain(`"Shop_${name}"."our_webhooks"`)
  })

  testExpiry({
    name,
    webhooks: create,
    idempotency: (options) => createIdempotencyStore(connection, options),
    expire: (table, seconds) =>
      run(connection, `UPDATE ${table} SET expires_at = expires_at - interval '${seconds} seconds'`),
  })

  it('does not record an event’s time if another process is handling the delivery', async () => {
    const store = create()
    const [key, id] = [crypto.randomUUID(), crypto.randomUUID()]
    await store.claim(key, 60_000, 'another process')

    const result = await store.transact?.(key, { id, timeMs: 1 }, async () => {})

    expect([result, await store.newest(id)]).toEqual([{ status: 'busy' }, undefined])
  })

  it('keeps an event’s time for rememberFor after the last event, but does not write the expiry for every event', async () => {
    const store = create()
    const payment = aPayment()
    const record = `payments_client_resources WHERE resource = '${payment}'`
    const expiryAfter = async (timeMs: number) => {
      await store.advance(payment, timeMs)
      const [row] = await run(
        connection,
        `SELECT expires_at::text, expires_at > now() + interval '7 days' AS kept FROM ${record}`,
      )
      return row
    }

    const first = await expiryAfter(1)
    const second = await expiryAfter(2)
    await run(connection, `UPDATE ${record.replace('WHERE', "SET expires_at = expires_at - interval '2 hours' WHERE")}`)
    const later = await expiryAfter(3)

    expect([first?.['kept'], later?.['kept']]).toEqual([true, true])
    expect(second).toEqual(first)
  })

  testIdempotencyStore(() => createIdempotencyStore(connection))
})

describe('a prepared statement of the store with the driver pg', () => {
  const pg = drivers['pg']!
  const deliverTo = (connection: unknown) => {
    const { deliver } = aHandler({ deduplicate: createWebhookStore(connection as PgPool) })
    return () => deliver(aStatusEvent({ id: crypto.randomUUID() }))
  }
  const statementsOf = (connection: unknown) => pg.run(connection, 'SELECT name FROM pg_prepared_statements')

  it('is no longer used once it is missing on the connection, as happens behind PgBouncer', async () => {
    const { connection, close } = pg.open(1)
    const deliver = deliverTo(connection)

    const before = [await deliver(), (await statementsOf(connection)).length]
    await pg.run(connection, 'DEALLOCATE ALL')
    const after = [await deliver(), await deliver(), (await statementsOf(connection)).length]
    await close()

    expect([before, after]).toEqual([
      [200, 1],
      [200, 200, 0],
    ])
  })

  it('is not used if another client already prepared it on the connection, as happens behind PgBouncer', async () => {
    const [first, second] = [pg.open(1), pg.open(1)]
    await deliverTo(first.connection)()
    const [statement] = await statementsOf(first.connection)
    await pg.run(second.connection, `PREPARE ${statement?.['name']} AS SELECT 1`)
    const store = createWebhookStore(second.connection as PgPool)
    const resource = { id: crypto.randomUUID(), timeMs: 1 }
    const key = crypto.randomUUID()
    const transact = () => store.transact?.(key, resource, async (_, stale) => stale)

    const results = [await transact(), await transact()]
    const newest = await store.newest(resource.id)
    await Promise.all([first.close(), second.close()])

    expect(results).toEqual([{ status: 'handled', value: false }, { status: 'done' }])
    expect(newest).toBe(1)
  })
})

describe.each(['UTF8', 'SQL_ASCII'])('the SQL that starts a transaction with pg, in encoding %s', (encoding) => {
  const pg = drivers['pg']!
  const url = inject('postgresUrl').replace(/postgres$/, `encoding_${encoding.toLowerCase()}`)

  beforeAll(async () => {
    const { connection, close } = pg.open(1)
    const template = "LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    await pg.run(connection, `CREATE DATABASE encoding_${encoding} ENCODING '${encoding}' ${template}`)
    await close()
  })

  const hostileIds = [
    "'; DROP TABLE payments_client_webhooks; --",
    "\\'; ROLLBACK; --",
    "E'\\u0027",
    '$1 $$ %s',
    'line\nbreak\ttab',
    'é 支付 😀',
    'unpaired \ud83d surrogate',
  ]

  it.each(hostileIds)('stores the payment id %j, and executes no part of it', async (id) => {
    const { connection, close } = pg.open(1, url)
    const store = createWebhookStore(connection as PgPool)
    await store.migrate()
    const { deliver } = aHandler({ deduplicate: store })
    const deliverAt = (dateUpdated: string) => deliver(aStatusEvent({ id, dateUpdated }))

    // The first delivery prepares the statement, and the second executes it.
    const statuses = [await deliverAt('2026-01-01T00:00:01'), await deliverAt('2026-01-01T00:00:02')]
    const stored = await pg.run(
      connection,
      'SELECT resource, previous_ms < time_ms AS advanced FROM payments_client_resources',
    )
    await close()

    expect(statuses).toEqual([200, 200])
    expect(stored).toContainEqual({ resource: `payment:${id.toWellFormed()}`, advanced: true })
  })
})

describe('the statement that claims a delivery and records its time', () => {
  const pg = drivers['pg']!
  const lock = "hashtext('gated')"

  /** Creates a store whose statements wait for an advisory lock of the test before they lock a delivery or resource. */
  async function aGatedStore(admin: unknown) {
    await pg.run(
      admin,
      `CREATE SCHEMA gated;
       CREATE FUNCTION gated.pg_try_advisory_xact_lock(key bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
         PERFORM pg_catalog.pg_advisory_xact_lock(${lock});
         RETURN pg_catalog.pg_try_advisory_xact_lock(key);
       END $$`,
    )
    const options = encodeURIComponent('-c search_path=gated,pg_catalog')
    const { connection, close } = pg.open(1, `${inject('postgresUrl')}?options=${options}`)
    return { gated: createWebhookStore(connection as PgPool), close }
  }

  it('compares the time with the first time of the payment if another transaction records it before the lock is granted', async () => {
    const [admin, other] = [pg.open(1), pg.open(1)]
    const store = createWebhookStore(other.connection as PgPool)
    await store.migrate()
    const { gated, close } = await aGatedStore(admin.connection)
    const id = crypto.randomUUID()
    const transact = (on: typeof store, timeMs: number) =>
      on.transact?.(crypto.randomUUID(), { id, timeMs }, async (_, stale) => stale)

    await pg.run(admin.connection, `SELECT pg_advisory_lock(${lock})`)
    const older = transact(gated, 1)
    const isWaiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${lock}::oid`
    await vi.waitUntil(async () => (await pg.run(admin.connection, isWaiting)).length > 0)
    const newer = await transact(store, 2)
    await pg.run(admin.connection, `SELECT pg_advisory_unlock(${lock})`)

    expect([newer, await older]).toEqual([
      { status: 'handled', value: false },
      { status: 'handled', value: true },
    ])
    await Promise.all([admin.close(), other.close(), close()])
  })
})

describe('a savepoint in context.transaction with the driver postgres', () => {
  const { connection, close } = drivers['postgres']!.open()
  const sql = connection as PostgresSql & {
    savepoint(work: (savepoint: PostgresSql) => unknown): Promise<unknown>
  }
  const store = createWebhookStore(sql)
  const key = () => crypto.randomUUID()

  beforeAll(() => store.migrate())
  afterAll(close)

  it('runs an array of queries that the savepoint’s function returns', async () => {
    await sql`CREATE TABLE savepoints (value int)`

    await store.transact?.(key(), undefined, (transaction) =>
      transaction.savepoint((savepoint) => [1, 2].map((n) => savepoint`INSERT INTO savepoints VALUES (${n})`)),
    )

    expect([...(await sql`SELECT value FROM savepoints`)]).toEqual([{ value: 1 }, { value: 2 }])
  })

  it('rejects if the connection is lost', async () => {
    const failed = vi.fn()

    const result = store.transact?.(key(), undefined, (transaction) =>
      transaction.savepoint((savepoint) => savepoint`SELECT pg_terminate_backend(pg_backend_pid())`).catch(failed),
    )

    await expect(result).rejects.toThrow()
    expect(failed).toHaveBeenCalledOnce()
  })
})

describe('createWebhookStore of stores/postgres', () => {
  it.each([
    [{ schema: 'a"b' }, 'schema must be at most 40 letters, digits and underscores'],
    [{ tablePrefix: 7 }, 'tablePrefix must be at most 40 letters'],
    [{ rememberFor: 0 }, 'rememberFor must be a positive integer of milliseconds'],
    [{ prefix: 'a' }, 'prefix is not an option'],
  ])('rejects the options %j, and so does migrationSql', (options, message) => {
    expect(() => migrationSql(options as object)).toThrow(message)
    expect(() => createWebhookStore({} as PgPool, options as object)).toThrow(message)
  })

  it('keeps a postgres instance’s custom types in a transaction', async () => {
    const types = { shout: { to: 25, from: [], serialize: (text: string) => text.toUpperCase(), parse: String } }
    const sql = driver('postgres')(inject('postgresUrl'), { types, max: 1 })
    const store = createWebhookStore(sql as PostgresSql & { typed: { shout(text: string): unknown } })

    const result = await store.transact?.(crypto.randomUUID(), undefined, (transaction) =>
      transaction`SELECT ${transaction.typed.shout('paid')}::text AS value`.then(
        ([row]: { value: string }[]) => row?.value,
      ),
    )
    await sql.end()

    expect(result).toEqual({ status: 'handled', value: 'PAID' })
  })

  it('rejects a connection that is neither a Pool nor a postgres instance', () => {
    const client = new (driver('pg').Client)()

    for (const connection of [undefined, null, {}, () => {}, client, 'postgres://']) {
      expect(() => createWebhookStore(connection as PgPool)).toThrow('The connection must be a Pool from pg')
    }
  })
})
