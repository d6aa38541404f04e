import { type JournalOptions, PaymentsClient } from 'payments-client'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { createJournal, createWebhookStore, type PgPool, type PostgresSql } from '../../src/stores/postgres/index.js'
import { testJournal } from '../operations/behaviour.js'
import { type Connections, testConnections } from '../operations/mistakes.js'
import { testRules } from '../operations/rules.js'
import { aShop, type JournalDatabase, oldTables, passSql } from '../operations/shop.js'
import { failureOf } from '../support/clients.js'
import { driver, inTransaction, isTestedFully } from './drivers.js'

const otherUrl = new URL('another_database', inject('postgresUrl'))
const otherPool = new (driver('pg').Pool)({ connectionString: otherUrl.href })

beforeAll(async () => {
  const pool = new (driver('pg').Pool)({ connectionString: inject('postgresUrl') })
  await pool.query('CREATE DATABASE another_database')
  await pool.end()
})
afterAll(() => otherPool.end())

/** Creates the same tables in another database, and checks that they stay empty. */
async function withOtherTables(tablePrefix: string, work: () => Promise<void>): Promise<void> {
  await createJournal(otherPool as PgPool, { tablePrefix }).migrate()
  await work().finally(async () => {
    expect((await otherPool.query(`SELECT FROM ${tablePrefix}operations`)).rowCount).toBe(0)
  })
}

const mistakes = {
  createJournal: (connection: unknown) => createJournal(connection as PgPool),
  wrongConnections: [
    ['undefined', undefined],
    ['an empty object', {}],
    ['a URL', inject('postgresUrl')],
    ['a client of pg', new (driver('pg').Client)()],
  ],
  wrongConnection: 'The connection must be a Pool from pg or an instance of postgres, or a Database',
} satisfies Partial<Connections>

const notOpen = 'The transaction is not open: pass the value that your library passes'
const otherDatabase = 'belongs to another database than the journal: use a transaction of the database'

describe('the PostgreSQL journal with pg', () => {
  const { Client, Pool } = driver('pg')
  const statements: string[] = []
  class RecordingClient extends Client {
    query(query: string | { text: string }, ...others: unknown[]) {
      statements.push(typeof query === 'string' ? query : query.text)
      return super.query(query, ...others)
    }
  }
  const pool = new Pool({ connectionString: inject('postgresUrl'), max: 10, Client: RecordingClient })
  afterAll(() => pool.end())
  const aJournal = async (connection: unknown, name: string, options?: JournalOptions) => {
    const journal = createJournal(connection as PgPool, { ...options, tablePrefix: `pg_${name}` })
    await journal.migrate()
    return journal
  }
  /** Opens a pool until the end of the test. By default, it has one connection. */
  const aPool = (options: object = { max: 1 }) => {
    const opened = new Pool({ connectionString: inject('postgresUrl'), ...options })
    onTestFinished(() => opened.end())
    return opened
  }
  const aLockIsAwaited = () =>
    vi.waitFor(async () => {
      const { rows } = await pool.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)
      expect(rows).toHaveLength(1)
    })
  const database: JournalDatabase = {
    open: (name, options) => aJournal(pool, name, options),
    transact: (work) => inTransaction(pool, work),
    async pass(name, ms) {
      for (const text of passSql(`pg_${name}`, ms)) await pool.query(text)
    },
    async spoil(name, key, column, value) {
      await pool.query(`UPDATE pg_${name}operations SET ${column} = $1 WHERE key = $2`, [value, key])
    },
    write: (name, transaction) =>
      Object(transaction).query(`UPDATE pg_${name}operations SET reason = 'x' WHERE key = 'create-1'`),
    countClaims: async (name) => (await pool.query(`SELECT FROM pg_${name}claims`)).rowCount,
  }
  testJournal(database)
  testRules(database)
  testConnections({
    ...mistakes,
    database,
    openWithoutTables: () => createJournal(pool, { tablePrefix: 'missing_' }),
    wrongTransactions: [
      ['undefined', (work) => work(undefined), 'must be a client of pg that has run BEGIN'],
      ['an empty object', (work) => work({}), 'must be a client of pg that has run BEGIN'],
      ['the pool', (work) => work(pool), notOpen],
      ['another database without the tables', (work) => inTransaction(otherPool, work), otherDatabase],
      [
        'another database with the tables',
        (work, name) => withOtherTables(`pg_${name}`, () => inTransaction(otherPool, work)),
        otherDatabase,
      ],
    ],
  })

  describe('the number of SQL statements', () => {
    type Shop = Awaited<ReturnType<typeof aShop>>
    const onSettled = () => {}

    it.each<[title: string, number, (shop: Shop) => Promise<() => PromiseLike<unknown>>]>([
      ['a new payment', 16, async (shop) => () => shop.client.payments.create(shop.body())],
      [
        'a capture',
        14,
        async ({ client, authorize }) => {
          const id = await authorize()
          return () => client.payments.capture(id)
        },
      ],
      [
        'the execution of a planned refund',
        15,
        async ({ client, planRefund }) => {
          await planRefund()
          return () => client.operations.run('refund-1')
        },
      ],
      [
        'planning a refund in its own transaction',
        6,
        async (shop) => () => shop.plan({ key: 'refund-1', operation: 'payments.refund', id: 'pay_1' }),
      ],
      [
        'a refund of a payment that is not in the journal',
        20,
        async ({ client, outside, body }) => {
          const { id } = await outside.payments.create(body())
          await outside.payments.capture(id)
          return () => client.payments.refund(id)
        },
      ],
      [
        'the execution of a payment with onSettled',
        19,
        async ({ client, body, plan }) => {
          await plan({ key: 'create-1', operation: 'payments.create', body: body() })
          return () => client.operations.run('create-1', { onSettled })
        },
      ],
    ])('%s takes %i SQL statements', async (_, count, prepare) => {
      const call = await prepare(await aShop(database))
      statements.length = 0

      await call()

      expect(statements).toHaveLength(count)
    })
  })

  it('advises to reuse the key if the connection is lost after the record’s commit', async () => {
    const shop = await aShop(database)
    const id = await shop.pay()
    const connect = async () => {
      const client = await pool.connect()
      const query = async (text: string, values?: unknown[]) => {
        await client.query(text, values)
        if (text !== 'COMMIT')
          return { rows: [{ now: '0', locked: '', claim: '', record: '', creates: '', records: '1' }] }
        throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
      }
      return { query, on: () => {}, off: () => {}, release: () => client.release() }
    }
    const journal = createJournal(Object.assign(Object.create(pool), { connect, query: pool.query.bind(pool) }), {
      tablePrefix: `pg_${shop.name}`,
    })

    const error = await failureOf(shop.aClient({ journal }).payments.refund(id, { amount: 100 }))

    expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent', retry: 'same-key' })
    expect(error.message).toContain('because operations.recover may send the operation')
  })

  it('sends nothing if a returned connection has an open transaction', async () => {
    const single = aPool()
    const shop = await aShop({ ...database, open: (name) => aJournal(single, name) })
    const leaking = await single.connect()
    await leaking.query('BEGIN')
    await leaking.query('SELECT 1')
    leaking.release()

    const call = shop.client.payments.create(shop.body(), { idempotencyKey: 'create-1' })

    await expect(call).rejects.toMatchObject({
      outcome: 'not_sent',
      message: expect.stringContaining('a transaction is open on its connection'),
    })
    expect(shop.sandbox.ledger).toEqual([])
  })

  it('reports calls that wait for a connection while the pool is exhausted', async () => {
    const busy = aPool({ max: 1, connectionTimeoutMillis: 500 })
    const shop = await aShop({ ...database, open: (name) => aJournal(busy, name) })
    const used = await busy.connect()
    onTestFinished(() => used.release())

    const call = shop.client.payments.create(shop.body())

    await expect(call).rejects.toMatchObject({
      outcome: 'not_sent',
      message: expect.stringContaining('too many calls wait for a connection'),
    })
  })

  it('writes a record to disk before sending, even if synchronous_commit is off', async () => {
    const fast = aPool({ options: '-c synchronous_commit=off' })
    const shop = await aShop({ ...database, open: (name) => aJournal(fast, name) })
    const { id } = await shop.outside.payments.create(shop.body())
    await fast.query(`
      CREATE TABLE pg_${shop.name}writes (state text, has_before boolean, level text);
      CREATE FUNCTION pg_${shop.name}log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO pg_${shop.name}writes
        VALUES (NEW.state, NEW.payment_before IS NOT NULL, current_setting('synchronous_commit'));
        RETURN NEW;
      END $$;
      CREATE TRIGGER log AFTER INSERT OR UPDATE ON pg_${shop.name}operations
      FOR EACH ROW EXECUTE FUNCTION pg_${shop.name}log()`)

    await shop.client.payments.capture(id)

    expect((await fast.query(`SELECT * FROM pg_${shop.name}writes`)).rows).toEqual([
      { state: 'sent', has_before: false, level: 'on' },
      { state: 'sent', has_before: true, level: 'on' },
      { state: 'succeeded', has_before: true, level: 'on' },
    ])
    expect((await fast.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }])
  })

  it.each([
    ['a journal', (pool: PgPool, options: object) => createJournal(pool, options)],
    ['a webhook store', (pool: PgPool, options: object) => createWebhookStore(pool, options)],
  ])('migrates the tables of %s without waiting for transactions of other processes', async (_, create) => {
    const { name } = await aShop(database)
    const options = { tablePrefix: `pg_${name}` }
    const impatient = aPool({ options: '-c lock_timeout=1000' })
    await createWebhookStore(pool as PgPool, options).migrate()
    const other = await pool.connect()
    await other.query('BEGIN')
    await other.query(`LOCK TABLE pg_${name}operations, pg_${name}claims, pg_${name}webhooks IN ROW EXCLUSIVE MODE`)

    await expect(create(impatient, options).migrate()).resolves.toBeUndefined()

    await other.query('ROLLBACK')
    other.release()
  })

  it('operations.recover finishes an operation after a short claim of another process', async () => {
    const shop = await aShop(database)
    const ids = [await shop.pay(), await shop.pay()]
    for (const id of ids) await shop.plan({ key: `refund-${id}`, operation: 'payments.refund', id })
    const claims = `pg_${shop.name}claims`
    const other = await pool.connect()
    await other.query('BEGIN')
    await other.query(`UPDATE ${claims} SET owner = 'other', expires_at = expires_at + 60000 WHERE resource = $1`, [
      `payment:${ids[0]}`,
    ])
    const onSettled = async ({ id }: { id?: string }) => {
      if (id === ids[1]) await pool.query(`UPDATE ${claims} SET owner = NULL WHERE owner = 'other'`)
    }

    const settled = shop.client.operations.recover({ onSettled, concurrency: 1 })
    await aLockIsAwaited()
    await other.query('COMMIT')
    other.release()

    // The results of both payments and of their captures are handed over, too.
    expect(await settled).toEqual({ finished: 6, open: 0, needsReview: 0 })
  })

  it('keeps connections free for onSettled while many operations end at once', async () => {
    const small = aPool({ max: 3, connectionTimeoutMillis: 10_000 })
    const shop = await aShop({ ...database, open: (name) => aJournal(small, name) })
    const keys = Array.from({ length: 12 }, (_, index) => `create-${index}`)
    for (const key of keys) await shop.plan({ key, operation: 'payments.create', body: shop.body(key) })
    const onSettled = () => small.query('SELECT 1')

    await Promise.all(keys.map((key) => shop.client.operations.run(key, { onSettled })))

    const records = await shop.client.operations.list()
    expect(records.filter(({ acknowledgedAt }) => acknowledgedAt !== undefined)).toHaveLength(keys.length)
  })

  it('migrate adds columns that tables of earlier versions lack', async () => {
    for (const sql of oldTables('pg_old_', 'bigint').split(';\n')) await pool.query(sql)
    const journal = await aJournal(pool, 'old_')
    const shop = await aShop({ ...database, open: async () => journal })

    expect(await shop.client.operations.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })
    expect(await shop.get('old-1')).toMatchObject({ state: 'not_executed' })
    expect(await shop.client.payments.create(shop.body())).toMatchObject({ status: 'AUTHORIZED' })
  })

  it.each(['repeatable read', 'serializable'])('runs operations if transactions are %s by default', async (level) => {
    const strict = aPool({ options: `-c default_transaction_isolation=${level.replace(' ', '\\ ')}` })
    const shop = await aShop({ ...database, open: (name) => aJournal(strict, name) })
    const id = await shop.pay()
    const keys = Array.from({ length: 20 }, (_, index) => `refund-${index}`)
    for (const key of keys) await shop.plan({ key, operation: 'payments.refund', id, body: { amount: 10 } })

    const reports = await Promise.all([1, 2, 3].map(() => shop.client.operations.recover()))

    expect(reports.reduce((sum, { finished }) => sum + finished, 0)).toBe(20)
    for (const key of keys) expect(shop.effects(key)).toHaveLength(1)
  })

  it('plan accepts a transaction whose query resolves to rows', async () => {
    const shop = await aShop(database)
    await inTransaction(pool, async (client) => {
      const query = async (text: string, values: unknown[]) => (await Object(client).query(text, values)).rows
      await shop.client.operations.plan({ query } as never, {
        key: 'refund-1',
        operation: 'payments.refund',
        id: 'pay_1',
      })
    })

    expect(await shop.stateOf('refund-1')).toBe('planned')
  })

  it('plan of a second payment of an order waits for the transaction of the first', async () => {
    const shop = await aShop(database)
    const first = await pool.connect()
    await first.query('BEGIN')
    const body = shop.body()
    await shop.client.operations.plan(first, { key: 'create-1', operation: 'payments.create', body })
    const second = failureOf(shop.plan({ key: 'create-2', operation: 'payments.create', body }))
    await aLockIsAwaited()

    await first.query('COMMIT')
    first.release()

    expect(await second).toMatchObject({ code: 'ERR_OPERATION', openKey: 'create-1' })
    expect(await shop.client.operations.list()).toHaveLength(1)
  })

  it('prune does not wait for a transaction that plans an operation', async () => {
    const shop = await aShop(database)
    await shop.client.payments.create(shop.body())
    await shop.pass(91 * 86_400_000)
    const other = await pool.connect()
    await other.query('BEGIN')
    await shop.client.operations.plan(other, { key: 'create-2', operation: 'payments.create', body: shop.body() })

    expect(await shop.journal.prune()).toBe(1)

    await other.query('COMMIT')
    other.release()
    expect(await shop.stateOf('create-2')).toBe('planned')
  })

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'plan rejects a second payment of an order in a %s transaction',
    async (level) => {
      const shop = await aShop(database)
      const intent = { operation: 'payments.create', body: shop.body() } as const
      const other = await pool.connect()
      await other.query(`BEGIN ISOLATION LEVEL ${level}`)
      await other.query('SELECT 1')
      await shop.plan({ ...intent, key: 'create-1' })

      const planning = shop.client.operations.plan(other, { ...intent, key: 'create-2' })
      const error = await planning.catch((error: unknown) => error)
      await other.query('COMMIT')
      other.release()

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })
      expect(Object(error).cause).toMatchObject({ code: '40001' })
      expect(await shop.client.operations.list()).toMatchObject([{ key: 'create-1' }])
    },
  )

  it('runs operations after a column is added to a journal table', async () => {
    const shop = await aShop(database)
    await shop.client.payments.create(shop.body('one'))
    await pool.query(`ALTER TABLE pg_${shop.name}operations ADD COLUMN note text`)

    await shop.client.payments.create(shop.body('two'))

    expect(await shop.client.operations.list()).toHaveLength(2)
  })

  it('operations.plan works in a transaction on the pool’s only, wrapped connection', async () => {
    const single = aPool()
    const journal = await aJournal(single, 'single_')
    const { operations } = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.example', journal })
    const refund = { operation: 'payments.refund', id: 'pay_1' } as const
    const client = await single.connect()
    await client.query('BEGIN')
    await operations.plan(client, { ...refund, key: 'refund-1' })
    const wrapper = { query: (text: string, values: unknown[]) => client.query(text, values) }
    await operations.plan(wrapper as never, { ...refund, key: 'refund-2' })
    await client.query('COMMIT')
    client.release()

    expect(await operations.list()).toMatchObject([{ key: 'refund-1' }, { key: 'refund-2' }])
  })

  it('operations.plan works in a transaction of another pool on the same database', async () => {
    const shop = await aShop(database)
    await inTransaction(aPool(), (transaction) =>
      shop.client.operations.plan(transaction, { key: 'refund-1', operation: 'payments.refund', id: 'pay_1' }),
    )

    expect(await shop.stateOf('refund-1')).toBe('planned')
  })

  it('rejects operations.planSync, which requires SQLite', () => {
    const journal = createJournal(pool as PgPool)
    const { operations } = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.example', journal })

    const plan = () => operations.planSync({} as never, { key: 'refund-1', operation: 'payments.refund', id: 'pay_1' })

    expect(plan).toThrow('planSync requires a journal in SQLite or in memory: await operations.plan instead')
  })
})

describe('the PostgreSQL journal with postgres', () => {
  const sql = driver('postgres')(inject('postgresUrl'), { max: 10, onnotice: () => {} })
  afterAll(() => sql.end({ timeout: 1 }))
  const database: JournalDatabase = {
    async open(name, options) {
      const journal = createJournal(sql as PostgresSql, { ...options, tablePrefix: `postgres_${name}` })
      await journal.migrate()
      return journal
    },
    transact: (work) => sql.begin(async (transaction: unknown) => work(transaction)),
    async pass(name, ms) {
      for (const text of passSql(`postgres_${name}`, ms)) await sql.unsafe(text)
    },
    countClaims: async (name) => (await sql.unsafe(`SELECT FROM postgres_${name}claims`)).length,
  }
  if (isTestedFully('postgres')) testJournal(database)
  const otherSql = driver('postgres')(otherUrl.href)
  afterAll(() => otherSql.end({ timeout: 1 }))
  testConnections({
    ...mistakes,
    database,
    openWithoutTables: () => createJournal(sql as PostgresSql, { tablePrefix: 'missing_' }),
    wrongTransactions: [
      ['undefined', (work) => work(undefined), 'must be the sql that sql.begin passes to its function'],
      ['the instance itself', (work) => work(sql), notOpen],
      ['another database without the tables', (work) => otherSql.begin(work), otherDatabase],
      [
        'another database with the tables',
        (work, name) => withOtherTables(`postgres_${name}`, () => otherSql.begin(work)),
        otherDatabase,
      ],
    ],
  })

  it.each<[name: string, transform: unknown]>([
    ['renames columns', driver('postgres').camel],
    ['reads null as undefined', { value: { from: (value: unknown) => value ?? undefined } }],
  ])('runs operations if the connection %s', async (_, transform) => {
    const changed = driver('postgres')(inject('postgresUrl'), { max: 2, onnotice: () => {}, transform })
    onTestFinished(() => changed.end())
    const open = async (name: string) => {
      const journal = createJournal(changed as PostgresSql, { tablePrefix: `changed_${name}` })
      await journal.migrate()
      return journal
    }
    const shop = await aShop({ open, transact: (work) => changed.begin(work), pass: async () => {} })
    await shop.planRefund({ amount: 5 })

    await shop.run('refund-1')

    expect(await shop.get('refund-1')).toMatchObject({ state: 'succeeded', firstSentAt: expect.any(Date) })
  })

  it('rejects calls if the connection capitalizes columns', async () => {
    const transform = driver('postgres').pascal
    const changed = driver('postgres')(inject('postgresUrl'), { max: 2, onnotice: () => {}, transform })
    onTestFinished(() => changed.end())
    const journal = createJournal(changed as PostgresSql)
    const { payments } = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.example', journal })

    const error = await failureOf(payments.refund('pay_1'))

    expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })
    expect(error.message).toContain('its columns are renamed: remove the option transform')
  })

  it('operations.plan works in a transaction that holds the pool’s only connection', async () => {
    const single = driver('postgres')(inject('postgresUrl'), { max: 1, onnotice: () => {} })
    onTestFinished(() => single.end())
    const journal = createJournal(single as PostgresSql, { tablePrefix: 'postgres_single_' })
    await journal.migrate()
    const { operations } = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.example', journal })

    await single.begin(async (transaction: PostgresSql) => {
      await operations.plan(transaction, { key: 'refund-1', operation: 'payments.refund', id: 'pay_1' })
    })

    expect(await operations.list()).toMatchObject([{ key: 'refund-1', state: 'planned' }])
  })
})
