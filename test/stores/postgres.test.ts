import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { testWebhookStore } from '../../src/sandbox/index.js'
import {
  createIdempotencyStore,
  createWebhookStore,
  migrationSql,
  type PgPool,
  type PostgresSql,
} from '../../src/stores/postgres.js'
import type { WebhookContext } from '../../src/webhooks/index.js'
import { aPayment as aPaymentBody, startSandbox } from '../support/start-sandbox.js'
import { aDelivery, aHandler, aStatusEvent, later } from '../webhooks/fixtures.js'
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
  const effectsOf = async (payment: string) =>
    Number((await run(connection, `SELECT count(*) AS n FROM ${effects} WHERE payment = '${payment}'`))[0]?.['n'])
  const insert = (table: string, payment: string) => `INSERT INTO ${table} (payment) VALUES ('${payment}')`
  const aPayment = () => crypto.randomUUID()
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
      const payment = aPayment()
      const onStatus = (_: unknown, { transaction }: WebhookContext) => run(transaction, insert(effects, payment))
      const { handler, onError } = aHandler({ deduplicate: create(), on: { 'PAYMENT.STATUS': onStatus } })
      const delivery = () => aDelivery(aStatusEvent({ id: payment }))

      const responses = await Promise.all(Array.from({ length: 5 }, () => handler(delivery())))
      const again = await handler(delivery())

      expect(responses.filter(({ status }) => status === 200 || status === 409)).toHaveLength(5)
      expect(again.status).toBe(200)
      expect(await effectsOf(payment)).toBe(1)
      expect(onError).not.toHaveBeenCalled()
    })

    it.each(['throws', 'ignores a failed statement'])('rolls back if the webhook function %s', async (how) => {
      const payment = aPayment()
      let calls = 0
      const onStatus = async (_: unknown, { transaction }: WebhookContext) => {
        await run(transaction, insert(effects, payment))
        if (calls++ > 0) return
        if (how === 'throws') throw new Error('canary')
        await run(transaction, 'SELECT 1/0').catch(() => {})
      }
      const { handler, onError } = aHandler({ deduplicate: create(), on: { 'PAYMENT.STATUS': onStatus } })

      const first = await handler(aDelivery(aStatusEvent({ id: payment })))
      const effectsBefore = await effectsOf(payment)
      const second = await handler(aDelivery(aStatusEvent({ id: payment })))

      expect([first.status, effectsBefore, second.status, await effectsOf(payment)]).toEqual([500, 0, 200, 1])
      expect(onError).toHaveBeenCalledTimes(1)
    })

    it.each(['ROLLBACK', 'COMMIT'])(
      'makes the handler respond 500 if the webhook function ends the transaction with %s',
      async (statement) => {
        const onStatus = (_: unknown, { transaction }: WebhookContext) => run(transaction, statement)
        const { handler, onError } = aHandler({ deduplicate: create(), on: { 'PAYMENT.STATUS': onStatus } })
        const event = aStatusEvent({ id: aPayment() })

        const responses = [await handler(aDelivery(event)), await handler(aDelivery(event))]

        expect(responses.map(({ status }) => status)).toEqual([500, 500])
        expect(String(onError.mock.calls[0]?.[0])).toContain('The webhook function ended the transaction')
      },
    )

    it.each(['idle', 'during a statement'])('N27 stays usable after a connection is lost: %s', async (when) => {
      const payment = aPayment()
      const victim = open(2)
      let calls = 0
      const onStatus = async (_: unknown, { transaction }: WebhookContext) => {
        if (calls++ === 0) {
          const [{ pid } = {}] = await run(transaction, 'SELECT pg_backend_pid() AS pid')
          const sleeping = when === 'idle' ? undefined : run(transaction, 'SELECT pg_sleep(10)')
          sleeping?.catch(() => run(transaction, insert(effects, payment)).catch(() => {}))
          await terminate(pid)
          await sleeping
        }
        await run(transaction, insert(effects, payment))
      }
      const deduplicate = createWebhookStore(victim.connection as PgPool)
      const { handler, onError } = aHandler({ deduplicate, on: { 'PAYMENT.STATUS': onStatus } })

      const first = await handler(aDelivery(aStatusEvent({ id: payment })))
      const effectsBefore = await effectsOf(payment)
      const second = await handler(aDelivery(aStatusEvent({ id: payment })))
      await victim.close()

      expect([first.status, effectsBefore, second.status, await effectsOf(payment)]).toEqual([500, 0, 200, 1])
      expect(onError).toHaveBeenCalledTimes(1)
    })

    it('aborts context.signal if the connection is lost, and waits for the webhook function', async () => {
      const victim = open(1)
      const ended = vi.fn()
      const onStatus = async (_: unknown, { transaction, signal }: WebhookContext) => {
        const [{ pid } = {}] = await run(transaction, 'SELECT pg_backend_pid() AS pid')
        await terminate(pid)
        await aborted(signal)
        await new Promise((resolve) => setTimeout(resolve, 100))
        ended()
      }
      const deduplicate = createWebhookStore(victim.connection as PgPool)
      const { handler } = aHandler({ deduplicate, on: { 'PAYMENT.STATUS': onStatus } })

      const response = await handler(aDelivery(aStatusEvent({ id: aPayment() })))

      expect([response.status, ended.mock.calls.length]).toEqual([500, 1])
      await victim.close()
    })

    it('never aborts context.signal after the webhook function has returned', async () => {
      const signals: AbortSignal[] = []
      const onStatus = (_: unknown, { signal }: WebhookContext) => {
        signals.push(signal)
        if (signals.length > 1) throw new Error('canary')
      }
      const { handler } = aHandler({ deduplicate: create(), on: { 'PAYMENT.STATUS': onStatus } })

      const responses = [await handler(aDelivery(aStatusEvent({ id: aPayment() })))]
      responses.push(await handler(aDelivery(aStatusEvent({ id: aPayment() }))))

      expect(responses.map(({ status }) => status)).toEqual([200, 500])
      expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    })

    it('N27 makes the handler respond 500 while the server is down, then works again', async () => {
      const server = await startPostgres()
      const { connection, close } = open(2, server.url)
      const deduplicate = createWebhookStore(connection as PgPool)
      await deduplicate.migrate()
      await run(connection, 'CREATE TABLE effects (payment text)')
      let calls = 0
      const onStatus = async (_: unknown, { transaction, signal }: WebhookContext) => {
        await run(transaction, insert('effects', 'pay_1'))
        if (calls++ > 0) return
        await server.kill()
        await aborted(signal)
      }
      const { handler, onError } = aHandler({ deduplicate, on: { 'PAYMENT.STATUS': onStatus } })

      const statuses = [(await handler(aDelivery())).status, (await handler(aDelivery())).status]
      await server.restart()
      let after = await handler(aDelivery())
      while (after.status === 500) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        after = await handler(aDelivery())
      }
      const [effects] = await run(connection, 'SELECT count(*)::int AS n FROM effects')
      await close()
      await server.stop()

      expect([...statuses, after.status, effects?.['n']]).toEqual([500, 500, 200, 1])
      expect(onError).toHaveBeenCalled()
    })

    it('N27 stays usable after idle connections are lost', async () => {
      const victim = open(1)
      const store = createWebhookStore(victim.connection as PgPool)
      await store.claim(aPayment(), 1, 'a')
      const [{ pid } = {}] = await run(victim.connection, 'SELECT pg_backend_pid() AS pid')
      await terminate(pid)

      const result = await store.claim(aPayment(), 1, 'a')
      await victim.close()

      expect(result).toBe('new')
    })

    it('rejects statements after the transaction ends', async () => {
      const payment = aPayment()
      let ended: unknown
      const onStatus = (_: unknown, { transaction }: WebhookContext) => {
        ended = transaction
      }
      const { handler } = aHandler({ deduplicate: create(), on: { 'PAYMENT.STATUS': onStatus } })

      const response = await handler(aDelivery(aStatusEvent({ id: payment })))

      expect(response.status).toBe(200)
      await expect(run(ended, insert(effects, payment))).rejects.toThrow('The transaction has ended')
      expect(await effectsOf(payment)).toBe(0)
    })

    it('uses only one connection per delivery', async () => {
      const single = open(1)
      const deduplicate = createWebhookStore(single.connection as PgPool)
      const { handler } = aHandler({ deduplicate, serializeWait: 60_000 })
      const payment = aPayment()

      const responses = await Promise.all(
        [1, 2, 3].map((amount) => handler(aDelivery(aStatusEvent({ id: payment, amount })))),
      )
      await single.close()

      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    })

    it('N38 runs an array of queries that the webhook function returns', async () => {
      const payment = aPayment()
      const onStatus = (_: unknown, { transaction }: WebhookContext) =>
        [1, 2].map(() => query(transaction, insert(effects, payment)))
      const { handler } = aHandler({ deduplicate: create(), on: { 'PAYMENT.STATUS': onStatus } })

      const response = await handler(aDelivery(aStatusEvent({ id: payment })))

      expect([response.status, await effectsOf(payment)]).toEqual([200, 2])
    })

    it('N38 rolls back if a query in the returned array fails', async () => {
      const payment = aPayment()
      const onStatus = (_: unknown, { transaction }: WebhookContext) =>
        [insert(effects, payment), 'SELECT 1/0'].map((sql) => query(transaction, sql))
      const { handler, onError } = aHandler({ deduplicate: create(), on: { 'PAYMENT.STATUS': onStatus } })

      const response = await handler(aDelivery(aStatusEvent({ id: payment })))

      expect([response.status, await effectsOf(payment)]).toEqual([500, 0])
      expect(onError).toHaveBeenCalledOnce()
    })

    it('N43 handles 40 concurrent deliveries whose functions, client and stores share 10 connections', async () => {
      const idempotencyStore = createIdempotencyStore(connection)
      const client = startSandbox().client.withOptions({ idempotencyStore })
      const payments = Array.from({ length: 40 }, aPayment)
      const onStatus = async (event: { payment: { id: string } }, { key, transaction }: WebhookContext) => {
        await run(transaction, insert(effects, event.payment.id))
        await run(connection, 'SELECT pg_sleep(0.05)')
        await client.payments.create(aPaymentBody(), { idempotencyKey: key })
        await run(connection, insert(effects, event.payment.id))
      }
      const on = { 'PAYMENT.STATUS': onStatus }
      const { handler, onError } = aHandler({ deduplicate: create(), serializeWait: 60_000, on })

      const responses = await Promise.all(payments.map((id) => handler(aDelivery(aStatusEvent({ id })))))

      expect(onError.mock.calls).toEqual([])
      expect(responses.map(({ status }) => status)).toEqual(payments.map(() => 200))
      expect(await Promise.all(payments.map(effectsOf))).toEqual(payments.map(() => 2))
    })

    it('N43 runs at most max - 2 transactions at once per pool, and makes the handler respond 409 to other deliveries', async () => {
      const small = open(4)
      const work = later()
      const onStatus = vi.fn(() => work.promise)
      const options = () => ({
        deduplicate: createWebhookStore(small.connection as PgPool),
        serialize: false,
        serializeWait: 50,
        on: { 'PAYMENT.STATUS': onStatus },
      })
      const [first, second] = [aHandler(options()), aHandler(options())]
      const deliver = ({ handler }: typeof first) => handler(aDelivery(aStatusEvent({ id: aPayment() })))

      const running = [deliver(first), deliver(second)]
      await vi.waitUntil(() => onStatus.mock.calls.length === 2, 10_000)
      const refused = await Promise.all([deliver(first), deliver(second)])
      work.resolve()
      const handled = [...(await Promise.all(running)), await deliver(second)]
      await small.close()

      expect(refused.map(({ status }) => status)).toEqual([409, 409])
      expect(handled.map(({ status }) => status)).toEqual([200, 200, 200])
    })

    it('N44 handles an event of another payment while 12 events of one payment are queued', async () => {
      const busy = aPayment()
      const work = later()
      const onStatus = vi.fn(({ payment }: { payment: { id: string } }) =>
        payment.id === busy ? work.promise : undefined,
      )
      const { handler } = aHandler({ deduplicate: create(), serializeWait: 60_000, on: { 'PAYMENT.STATUS': onStatus } })
      const deliver = (id: string, amount = 1) => handler(aDelivery(aStatusEvent({ id, amount })))

      const waiting = Array.from({ length: 12 }, (_, index) => deliver(busy, index))
      await vi.waitUntil(() => onStatus.mock.calls.length === 1, 10_000)
      const other = await deliver(aPayment())
      work.resolve()

      expect(other.status).toBe(200)
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200))
    })

    it('N45 makes the handler roll back and respond 500 if PostgreSQL reports an error code that consists of letters', async () => {
      const payment = aPayment()
      const single = open(1)
      const raise = `DO $$ BEGIN RAISE EXCEPTION 'out of stock' USING ERRCODE = 'ESTCK'; END $$`
      const onStatus = vi.fn(async (_: unknown, { transaction }: WebhookContext) => {
        await run(transaction, insert(effects, payment))
        if (onStatus.mock.calls.length === 1) await run(transaction, raise)
      })
      const deduplicate = createWebhookStore(single.connection as PgPool)
      const { handler, onError } = aHandler({ deduplicate, on: { 'PAYMENT.STATUS': onStatus } })
      const deliver = () => handler(aDelivery(aStatusEvent({ id: payment })))

      const responses = [await deliver(), await deliver()]
      await single.close()

      expect([...responses.map(({ status }) => status), await effectsOf(payment)]).toEqual([500, 200, 1])
      expect(onError.mock.calls.map(([error]) => error.code)).toEqual(['ESTCK'])
    })

    it.each([true, false])(
      'N49 marks an event as stale if it is one microsecond older than a handled event, with serialize: %s',
      async (serialize) => {
        const id = aPayment()
        const onStatus = vi.fn()
        const { handler } = aHandler({ deduplicate: create(), serialize, on: { 'PAYMENT.STATUS': onStatus } })

        for (const end of ['124', '123', '125']) {
          await handler(aDelivery(aStatusEvent({ id, dateUpdated: `2026-01-31T12:00:00.123${end}` })))
        }

        expect(onStatus.mock.calls.map(([, { stale }]) => stale)).toEqual([false, true, false])
      },
    )

    it('makes the handler respond 409 if an earlier event of the payment is still being handled after serializeWait', async () => {
      const payment = aPayment()
      const started = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<void>()
      const onStatus = () => {
        started.resolve()
        return ended.promise
      }
      const { handler } = aHandler({ deduplicate: create(), serializeWait: 50, on: { 'PAYMENT.STATUS': onStatus } })

      const first = handler(aDelivery(aStatusEvent({ id: payment, amount: 1 })))
      await started.promise
      const second = await handler(aDelivery(aStatusEvent({ id: payment, amount: 2 })))
      ended.resolve()

      expect([(await first).status, second.status]).toEqual([200, 409])
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

  testIdempotencyStore(() => createIdempotencyStore(connection))
})

describe('a prepared statement of the store with the driver pg', () => {
  const pg = drivers['pg']!
  const deliverTo = (connection: unknown) => {
    const { handler } = aHandler({ deduplicate: createWebhookStore(connection as PgPool) })
    return async () => (await handler(aDelivery(aStatusEvent({ id: crypto.randomUUID() })))).status
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
      [200, 2],
      [200, 200, 0],
    ])
  })

  it.each([0, 1])(
    'is not used if another client already prepared statement %i on the connection, as happens behind PgBouncer',
    async (index) => {
      const [first, second] = [pg.open(1), pg.open(1)]
      await deliverTo(first.connection)()
      const { name } = (await statementsOf(first.connection))[index] ?? {}
      await pg.run(second.connection, `PREPARE ${name} AS SELECT 1`)
      const store = createWebhookStore(second.connection as PgPool)
      const resource = { id: crypto.randomUUID(), timeMs: 1 }
      const key = crypto.randomUUID()
      const transact = () => store.transact?.(key, resource, async (_, stale) => stale)

      const results = [await transact(), await transact()]
      const newest = await store.newest(resource.id)
      await Promise.all([first.close(), second.close()])

      expect(results).toEqual([{ status: 'handled', value: false }, { status: 'done' }])
      expect(newest).toBe(1)
    },
  )
})

describe('the SQL that starts a transaction with the driver pg', () => {
  const hostileIds = [
    "'; DROP TABLE payments_client_webhooks; --",
    "\\'; ROLLBACK; --",
    "E'\\u0027",
    '$1 $$ %s',
    'line\nbreak\ttab',
    'é 支付 😀',
    'unpaired \ud83d surrogate',
  ]

  it.each(hostileIds)('escapes the payment id %j, so that PostgreSQL does not execute any part of it', async (id) => {
    const pg = drivers['pg']!
    const { connection, close } = pg.open(1)
    const store = createWebhookStore(connection as PgPool)
    await store.migrate()
    const { handler } = aHandler({ deduplicate: store })
    const deliver = async (dateUpdated: string) => (await handler(aDelivery(aStatusEvent({ id, dateUpdated })))).status

    // The first delivery prepares the statement, and the second executes it.
    const statuses = [await deliver('2026-01-01T00:00:01'), await deliver('2026-01-01T00:00:02')]
    const stored = await pg.run(
      connection,
      'SELECT resource, previous_ms < time_ms AS advanced FROM payments_client_resources',
    )
    await close()

    expect(statuses).toEqual([200, 200])
    expect(stored).toContainEqual({ resource: `payment:${id.toWellFormed()}`, advanced: true })
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
