import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { Deadline } from '../../src/core/internal/deadline.js'
import { Slots } from '../../src/core/internal/slots.js'
import { createWebhookStore, type Database, migrationSql, type PgPool } from '../../src/stores/postgres/index.js'
import { attempts } from '../../src/stores/postgres/transactions.js'
import type { HandlerOptions, WebhookContext } from '../../src/webhooks/index.js'
import { aHandler, aStatusEvent, later } from '../webhooks/fixtures.js'
import { driver } from './drivers.js'
import { type LibraryPool, libraries, type OpenLibrary } from './libraries.js'
import { startPostgres } from './servers.js'
import { testExpiry } from './shared-tests.js'

const aborted = (signal: AbortSignal) =>
  signal.aborted || new Promise((resolve) => signal.addEventListener('abort', resolve))

const aPayment = () => crypto.randomUUID()

const drivers = Object.entries(libraries).filter(([name]) => name === 'pg' || name === 'postgres')

type OnStatus = (event: { payment: { id: string } }, context: WebhookContext) => unknown

/** Opens a pool and creates its tables. */
async function openShop(open: OpenLibrary, max?: number, url?: string) {
  const { connection, run, close } = await open(max, url)
  const deduplicate = createWebhookStore(connection)
  await deduplicate.migrate()
  await run('CREATE TABLE IF NOT EXISTS driver_effects (payment text)')
  const insert = (payment: string) => `INSERT INTO driver_effects (payment) VALUES ('${payment}')`
  /** Creates a handler. By default, `deliver` sends events of one payment, and returns the status of the response. */
  const aShop = (onStatus: OnStatus, options: Partial<HandlerOptions> = {}) => {
    const payment = aPayment()
    const { deliver, onError } = aHandler({ deduplicate, on: { 'PAYMENT.STATUS': onStatus }, ...options })
    return {
      onError,
      deliver: (changes: object = {}) => deliver(aStatusEvent({ id: payment, ...changes })),
      countEffects: async (id = payment) => (await run(`SELECT FROM driver_effects WHERE payment = '${id}'`)).length,
    }
  }
  /** Adds an effect of the event's payment in the transaction of the webhook function. */
  const save: OnStatus = ({ payment }, { transaction }) => run(insert(payment.id), transaction)
  const pidOf = async (transaction?: unknown) => (await run('SELECT pg_backend_pid() AS pid', transaction))[0]?.['pid']
  return { connection, run, close, insert, aShop, save, pidOf, deduplicate }
}

describe.each(drivers)('the PostgreSQL webhook store with the driver %s', async (name, open) => {
  const { connection, run, close, insert, aShop, save, pidOf, deduplicate } = await openShop(open)
  /** Ends the server process that serves a connection, and waits until the client detects the closed connection. */
  const terminate = async (pid: unknown) => {
    await run(`SELECT pg_terminate_backend(${pid}, 20000)`)
    // After the server process has ended, the client detects the closed socket within a few turns of the event loop.
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }

  afterAll(close)

  describe('if a connection is lost', () => {
    it.each(['idle', 'during a statement'])(
      'rolls back and stays usable if the connection is lost: %s',
      async (when) => {
        const small = await openShop(open, 2)
        let calls = 0
        const { deliver, countEffects, onError } = small.aShop(async (event, context) => {
          const { transaction } = context
          if (calls++ === 0) {
            const pid = await pidOf(transaction)
            const sleeping = when === 'idle' ? undefined : run('SELECT pg_sleep(600)', transaction)
            sleeping?.catch(() => Promise.resolve(save(event, context)).catch(() => {}))
            await terminate(pid)
            await sleeping
          }
          await save(event, context)
        })

        const results = [await deliver(), await countEffects(), await deliver(), await countEffects()]
        await small.close()

        expect(results).toEqual([500, 0, 200, 1])
        expect(onError).toHaveBeenCalledTimes(1)
      },
    )

    it('aborts context.signal when the connection is lost, and awaits the event function', async () => {
      const small = await openShop(open, 1)
      const ended = vi.fn()
      const { deliver } = small.aShop(async (_, { transaction, signal }) => {
        await terminate(await pidOf(transaction))
        await aborted(signal)
        await new Promise((resolve) => setTimeout(resolve, 100))
        ended()
      })

      expect([await deliver(), ended.mock.calls.length]).toEqual([500, 1])
      await small.close()
    })

    it('stays usable after an idle connection of the pool is lost', async () => {
      const small = await openShop(open, 1)
      await terminate(await pidOf().then(() => small.pidOf()))

      const result = await small.deduplicate.claim(aPayment(), 1, 'a')
      await small.close()

      expect(result).toBe('new')
    })

    it('makes the handler respond 500 while the server is down, then works again', async () => {
      const server = await startPostgres()
      const small = await openShop(open, 2, server.url)
      let calls = 0
      const { deliver, onError, countEffects } = small.aShop(async (event, context) => {
        await save(event, context)
        if (calls++ > 0) return
        await server.kill()
        await aborted(context.signal)
      })

      const statuses = [await deliver(), await deliver()]
      await server.restart()
      let after = await deliver()
      while (after === 500) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        after = await deliver()
      }
      const stored = await countEffects()
      await small.close()
      await server.stop()

      expect([...statuses, after, stored]).toEqual([500, 500, 200, 1])
      expect(onError).toHaveBeenCalled()
    })
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

  it('rejects statements after the transaction ends', async () => {
    let ended: unknown
    const payment = aPayment()
    const { deliver, countEffects } = aShop((_, { transaction }) => {
      ended = transaction
    })

    expect(await deliver()).toBe(200)
    await expect(run(insert(payment), ended)).rejects.toThrow('The transaction has ended')
    expect(await countEffects(payment)).toBe(0)
  })

  it('uses only one connection per delivery', async () => {
    const small = await openShop(open, 1)
    const { deliver } = small.aShop(() => {}, { serializeWait: 60_000 })

    const statuses = await Promise.all([1, 2, 3].map((amount) => deliver({ amount })))
    await small.close()

    expect(statuses).toEqual([200, 200, 200])
  })

  it('runs at most max - 2 transactions per pool, and responds 409 to other events', async () => {
    const small = await openShop(open, 4)
    const work = later()
    const onStatus = vi.fn(() => work.promise)
    const shops = [1, 2].map(() => {
      const deduplicate = createWebhookStore(small.connection)
      return small.aShop(onStatus, { deduplicate, serialize: false, serializeWait: 50 })
    })
    const deliverToAll = () => shops.map((shop) => shop.deliver({ id: aPayment() }))

    const running = deliverToAll()
    await vi.waitUntil(() => onStatus.mock.calls.length === 2, 10_000)
    const busy = await Promise.all(deliverToAll())
    work.resolve()
    const handled = [...(await Promise.all(running)), ...(await Promise.all(deliverToAll()))]
    await small.close()

    expect([busy, handled]).toEqual([
      [409, 409],
      [200, 200, 200, 200],
    ])
  })

  it.each<[string, sql: (payment: string) => string[], result: number[]]>([
    ['runs an array of queries that the webhook function returns', (id) => [insert(id), insert(id)], [200, 2, 0]],
    ['rolls back if a query in the returned array fails', (id) => [insert(id), 'SELECT 1/0'], [500, 0, 1]],
  ])('%s', async (_, sql, result) => {
    const { deliver, countEffects, onError } = aShop(({ payment }, { transaction }) => {
      const { unsafe, query } = Object(transaction)
      return sql(payment.id).map((text) => (unsafe ?? query).call(transaction, text))
    })

    expect([await deliver(), await countEffects(), onError.mock.calls.length]).toEqual(result)
  })

  it('responds 500 if PostgreSQL reports an error code that consists of letters', async () => {
    const raise = `DO $$ BEGIN RAISE EXCEPTION 'out of stock' USING ERRCODE = 'ESTCK'; END $$`
    const onStatus = vi.fn<OnStatus>(async (event, context) => {
      await save(event, context)
      if (onStatus.mock.calls.length === 1) await run(raise, context.transaction)
    })
    const { deliver, countEffects, onError } = aShop(onStatus)

    expect([await deliver(), await deliver(), await countEffects()]).toEqual([500, 200, 1])
    expect(onError.mock.calls.map(([error]) => error.code)).toEqual(['ESTCK'])
  })

  it('responds 409 if another event of the payment is handled after serializeWait', async () => {
    const work = later()
    const onStatus = vi.fn(() => work.promise)
    const { deliver } = aShop(onStatus, { serializeWait: 50 })

    const first = deliver({ amount: 1 })
    await vi.waitUntil(() => onStatus.mock.calls.length === 1, 10_000)
    const second = await deliver({ amount: 2 })
    work.resolve()

    expect([await first, second]).toEqual([200, 409])
  })

  it('does not record an event’s time if another process is handling the delivery', async () => {
    const [key, id] = [crypto.randomUUID(), crypto.randomUUID()]
    await deduplicate.claim(key, 60_000, 'another process')

    const result = await deduplicate.transact?.(key, { id, timeMs: 1 }, async () => {})

    expect([result, await deduplicate.newest(id)]).toEqual([{ status: 'busy' }, undefined])
  })

  it('has no method transact with transactional: false', () => {
    expect(createWebhookStore(connection, { transactional: false }).transact).toBeUndefined()
  })

  it('creates the schema and tables even if migrations run concurrently or repeatedly', async () => {
    const options = { schema: `Shop_${name}`, tablePrefix: 'our_' }
    const store = createWebhookStore(connection, options)

    await Promise.all(Array.from({ length: 5 }, () => store.migrate()))
    const result = await store.claim('key', 60_000, 'a')

    expect(result).toBe('new')
    expect(migrationSql(options)).toContain(`"Shop_${name}"."our_webhooks"`)
  })

  testExpiry({
    name,
    webhooks: (options) => createWebhookStore(connection, options),
    expire: (table, seconds) => run(`UPDATE ${table} SET expires_at = expires_at - interval '${seconds} seconds'`),
  })
})

describe('the PostgreSQL webhook store', async () => {
  const pg = await openShop(libraries['pg'] as OpenLibrary)
  const url = (settings: string) => `${inject('postgresUrl')}?options=${encodeURIComponent(settings)}`

  afterAll(pg.close)

  it('compares times by microseconds even if the server prints numbers with 15 digits', async () => {
    const shop = await openShop(libraries['pg'] as OpenLibrary, 2, url('-c extra_float_digits=0'))
    const stale: boolean[] = []
    const onStatus: OnStatus = (_, context) => void stale.push(context.stale)
    const deduplicate = createWebhookStore(shop.connection, { transactional: false })

    for (const options of [{}, { deduplicate }]) {
      const { deliver } = shop.aShop(onStatus, options)
      for (const end of ['124', '123', '125']) await deliver({ dateUpdated: `2026-01-31T12:00:00.123${end}` })
    }
    await shop.close()

    expect(stale).toEqual([false, true, false, false, true, false])
  })

  it.each([
    ['quotes', "'; DROP TABLE payments_client_webhooks; --"],
    ['a dollar sign', '$1 $$ %s'],
    ['U+0000', 'pay\u0000ment'],
    ['an unpaired surrogate', 'unpaired \ud83d surrogate'],
    ['72,000 characters that cannot be compressed', Array.from({ length: 2_000 }, aPayment).join('')],
  ])('compares the times of a payment whose ID contains %s', async (_, id) => {
    const stale: boolean[] = []
    const { deliver } = pg.aShop((_, context) => void stale.push(context.stale))
    const unique = `${aPayment()}${id}`

    for (const second of [2, 1]) await deliver({ id: unique, dateUpdated: `2026-01-31T12:00:0${second}Z` })

    expect(stale).toEqual([false, true])
  })

  it('compares an event with a time that was recorded before the lock was granted', async () => {
    const lock = "hashtext('gated')"
    // The store's statements wait for this advisory lock before they lock a delivery or resource.
    await pg.run(`CREATE SCHEMA gated;
      CREATE FUNCTION gated.pg_try_advisory_xact_lock(key bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_catalog.pg_advisory_xact_lock(${lock});
        RETURN pg_catalog.pg_try_advisory_xact_lock(key);
      END $$`)
    const other = await (libraries['pg'] as OpenLibrary)(1)
    const gated = await (libraries['pg'] as OpenLibrary)(1, url('-c search_path=gated,pg_catalog'))
    const id = crypto.randomUUID()
    const transact = ({ connection }: Pick<LibraryPool, 'connection'>, timeMs: number) =>
      createWebhookStore(connection).transact?.(crypto.randomUUID(), { id, timeMs }, async (_, stale) => stale)

    await other.run(`SELECT pg_advisory_lock(${lock})`)
    const older = transact(gated, 1)
    const isWaiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${lock}::oid`
    await vi.waitUntil(async () => (await pg.run(isWaiting)).length > 0)
    const newer = await transact(pg, 2)
    await other.run(`SELECT pg_advisory_unlock(${lock})`)

    expect([newer, await older]).toEqual([
      { status: 'handled', value: false },
      { status: 'handled', value: true },
    ])
    await Promise.all([other.close(), gated.close()])
  })

  it('handles a delivery only once if the response to COMMIT is lost', async () => {
    const pool = pg.connection as PgPool
    let isLost = false
    const connect = async () => {
      const client = await pool.connect()
      const query = async (text: string, values?: unknown[]) => {
        const result = await client.query(text, values)
        if (isLost || text !== 'COMMIT') return result
        isLost = true
        throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
      }
      return { query, on: () => {}, off: () => {}, release: () => client.release() }
    }
    const losing = Object.assign(Object.create(pool), { connect, query: pool.query.bind(pool) })
    const { deliver, countEffects } = pg.aShop(pg.save, { deduplicate: createWebhookStore(losing) })

    expect([await deliver(), await deliver(), await countEffects()]).toEqual([500, 200, 1])
  })

  it('reports a failed statement of its own only once', async () => {
    const missing = createWebhookStore(pg.connection, { tablePrefix: 'missing_' })
    const { deliver, onError } = pg.aShop(() => {}, { deduplicate: missing })

    expect([await deliver(), onError.mock.calls.length]).toEqual([500, 1])
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: '42P01' })
  })
})

describe('context.transaction of pg', async () => {
  const { aShop, close, connection } = await openShop(libraries['pg'] as OpenLibrary)
  type Client = PgPool & { query(...parameters: unknown[]): unknown }
  const handled = async (work: (client: Client) => unknown) => {
    const { deliver, onError } = aShop((_, { transaction }) => work(transaction as Client))
    return [await deliver(), String(onError.mock.calls[0]?.[0])]
  }

  afterAll(close)

  it.each([
    'BEGIN',
    'begin isolation level serializable',
    'COMMIT;',
    '-- done\n/* really */ commit',
    'ROLLBACK',
    'ROLLBACK TRANSACTION',
    'END',
    'ABORT',
    'START TRANSACTION',
    "PREPARE TRANSACTION 'a'",
  ])('rejects %j before it is sent', async (statement) => {
    const results = await handled(async (client) => {
      await expect(client.query(statement)).rejects.toThrow('The store ends the transaction')
      await expect(client.query({ text: statement })).rejects.toThrow('The store ends the transaction')
      // PostgreSQL still has the same transaction.
      await client.query('SAVEPOINT a')
    })

    expect(results).toEqual([200, 'undefined'])
  })

  it.each([
    ['SAVEPOINT a', 'ROLLBACK TO SAVEPOINT a'],
    ['SAVEPOINT a', 'ROLLBACK TRANSACTION TO a'],
    ['SAVEPOINT a', 'RELEASE a'],
    ['PREPARE plan AS SELECT 1', 'DEALLOCATE plan'],
  ])('allows %j and %j', async (...statements) => {
    const results = await handled(async (client) => {
      for (const statement of statements) await client.query(statement)
    })

    expect(results).toEqual([200, 'undefined'])
  })

  it('rejects a late query by promise, callback or stream, as the caller expects', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    let client: Client | undefined
    await handled((transaction) => {
      client = transaction
    })
    const Stream = driver('pg-query-stream')
    const withCallback = (...parameters: unknown[]) =>
      new Promise((resolve) => client?.query(...parameters, resolve)).then(String)
    const ofStream = new Promise((resolve) => {
      Object(client?.query(new Stream('SELECT 1')))
        .on('error', resolve)
        .resume()
    }).then(String)

    const errors = await Promise.all([
      Promise.resolve(client?.query('SELECT 1')).catch(String),
      withCallback('SELECT 1'),
      withCallback('SELECT $1', [1]),
      withCallback({ text: 'SELECT 1' }),
      ofStream,
    ])
    void client?.query('SELECT 1')
    await new Promise((resolve) => setTimeout(resolve, 10))
    process.off('unhandledRejection', unhandled)

    expect(new Set(errors)).toEqual(new Set([expect.stringContaining('The transaction has ended')]))
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('responds 500 if a statement that the function does not await fails', async () => {
    const results = await handled((client) => {
      // PostgreSQL runs the second statement after the store's last statement, and before COMMIT.
      const failing = Promise.resolve(client.query('SELECT 1')).then(() => client.query('SELECT 1/0'))
      failing.catch(() => {})
    })

    expect(results).toEqual([500, expect.stringContaining('PostgreSQL rolled the transaction back')])
  })

  it('does not join a transaction that other code left open on the connection', async () => {
    const shop = await openShop(libraries['pg'] as OpenLibrary, 1)
    const { deliver, onError, countEffects } = shop.aShop(shop.save)
    const client = await Object(shop.connection).connect()
    await client.query('BEGIN')
    client.release()

    const statuses = [await deliver(), await deliver()]
    const effects = await countEffects()
    await shop.close()

    expect([statuses, effects]).toEqual([[500, 200], 1])
    expect(onError.mock.calls.map(([error]) => String(error))).toEqual([
      'Error: The connection is already within a transaction',
    ])
  })

  it('rejects an event function that releases the transaction’s connection', async () => {
    const results = await handled((client) => Object(client).release())

    expect(results).toEqual([500, 'Error: The store releases the connection of its transaction'])
    expect(await createWebhookStore(connection).claim(aPayment(), 1, 'a')).toBe('new')
  })
})

describe('context.transaction of postgres.js', () => {
  it('supports savepoints with custom types', async () => {
    const types = { shout: { to: 1043, from: [], serialize: (text: string) => text.toUpperCase(), parse: String } }
    const sql = driver('postgres')(inject('postgresUrl'), { types, max: 1 })
    const store = createWebhookStore(sql as never)

    const result = await store.transact?.(crypto.randomUUID(), undefined, (transaction: typeof sql) =>
      transaction.savepoint((savepoint: typeof sql) =>
        [1, 2].map(() => savepoint`SELECT ${sql.typed.shout('paid')}::text AS value`),
      ),
    )
    await sql.end()

    expect(result).toEqual({ status: 'handled', value: [[{ value: 'PAID' }], [{ value: 'PAID' }]] })
  })

  it('rejects in a savepoint if the connection is lost', async () => {
    const sql = driver('postgres')(inject('postgresUrl'), { max: 1 })
    const failed = vi.fn()

    const result = createWebhookStore(sql as never).transact?.(
      crypto.randomUUID(),
      undefined,
      (transaction: typeof sql) =>
        transaction
          .savepoint((savepoint: typeof sql) => savepoint`SELECT pg_terminate_backend(pg_backend_pid())`)
          .catch(failed),
    )

    await expect(result).rejects.toThrow()
    await sql.end()
    expect(failed).toHaveBeenCalledOnce()
  })

  it('lets drizzle run queries in the transaction', async () => {
    const sql = driver('postgres')(inject('postgresUrl'), { max: 1 })
    const { drizzle } = driver('drizzle-orm/postgres-js')

    const result = await createWebhookStore(sql as never).transact?.(crypto.randomUUID(), undefined, (transaction) =>
      drizzle(transaction).execute('SELECT 1 AS one'),
    )
    await sql.end()

    expect(result).toEqual({ status: 'handled', value: [{ one: 1 }] })
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

  it('returns the slot of a transaction that is aborted when it gets the slot', async () => {
    const slots = new Slots(1)
    slots.takeFree()
    const abort = new AbortController()
    const waiting = attempts(async () => 'done', new Deadline(60_000, abort.signal), slots)

    slots.release()
    abort.abort()
    await waiting.catch(() => {})

    expect(slots.takeFree()).toBe(true)
  })

  it('rejects a concurrency of 0', () => {
    expect(() => createWebhookStore({} as PgPool, { concurrency: 0 })).toThrow('concurrency must be')
  })

  it('rejects a connection that is neither a Pool, a postgres instance nor a Database', () => {
    const client = new (driver('pg').Client)()

    for (const connection of [undefined, null, {}, () => {}, client, 'postgres://', { query() {}, transaction() {} }]) {
      expect(() => createWebhookStore(connection as PgPool)).toThrow('The connection must be a Pool from pg')
    }
  })
})

describe('a connection with unusual results', () => {
  const postgres = (options: object) => driver('postgres')(inject('postgresUrl'), { max: 2, ...options })
  const { camel, pascal } = driver('postgres')

  beforeAll(async () => {
    const { close } = await openShop(libraries['pg'] as OpenLibrary)
    await close()
  })

  it.each<[string, object]>([
    ['postgres.camel', { transform: camel }],
    [
      'undefined instead of null',
      { transform: { undefined: null, value: { from: (value: unknown) => value ?? undefined } } },
    ],
    ['fetch_types: false', { fetch_types: false }],
    ['BigInts', { types: { bigint: driver('postgres').BigInt } }],
  ])('supports a connection with unusual results: %s', async (_, options) => {
    const sql = postgres(options)
    const { deliver, onError } = aHandler({ deduplicate: createWebhookStore(sql as never) })
    const event = aStatusEvent({ id: aPayment() })

    const statuses = [await deliver(event), await deliver(event)]
    await sql.end()

    expect([statuses, onError.mock.calls]).toEqual([[200, 200], []])
  })

  const returning = (change: (rows: Record<string, unknown>[]) => unknown): Database => {
    const pool = new (driver('pg').Pool)({ connectionString: inject('postgresUrl') })
    return {
      query: async (sql, values) => change((await pool.query(sql, values)).rows) as Record<string, unknown>[],
      transaction: () => Promise.reject(new Error('not used')),
      queryIn: () => Promise.reject(new Error('not used')),
    }
  }

  it.each<[string, () => unknown, message: string]>([
    ['postgres.pascal', () => postgres({ transform: pascal }), 'remove the option transform (such as postgres.pascal)'],
    ['arrays', () => returning((rows) => rows.map(Object.values)), 'remove the option that returns arrays'],
    ['an object with rows', () => returning((rows) => ({ rows })), 'query must resolve to an array of rows'],
    ['changed values', () => returning(() => [{ text: 'PROBE', number: 1 }]), 'remove the option transform or types'],
  ])('rejects an unsupported connection before anything is written: %s', async (_, open, message) => {
    const store = createWebhookStore(open() as Database)

    await expect(store.claim(aPayment(), 1, 'a')).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(message),
    })
  })
})
