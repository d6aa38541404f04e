import { type OperationRecord, PaymentsClient } from 'payments-client'
import { createOrders, type Order } from 'payments-client/orders'
import { createJournal, type PgPool } from 'payments-client/postgres'
import { type ExploreOptions, type ExploreReport, explore } from 'payments-client/sandbox'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { inVirtualTime } from '../../examples/recipes/virtual-pool.js'
import { type ExploredEngine, explorationOf, type Shop, type ShopOptions } from '../orders/exploration.js'
import { evaluate } from '../support/snippets.js'
import { driver, inTransaction } from './drivers.js'
import { exampleShops } from './programs.js'

// The driver is a dependency of this folder, so its types are not visible here.
// biome-ignore lint/suspicious/noExplicitAny: values of a package without types.
type Pool = any

const budget = Number(process.env['RUNS'] ?? 4)
const concurrency = 4

type AcceptReturn = (transaction: unknown, id: string, number: string, amount: number) => Promise<Order>
const { createShop } = (await evaluate(exampleShops['shop-postgres.ts'] ?? '')) as {
  createShop(pool: Pool, options: ShopOptions): Promise<Omit<Shop, 'acceptReturn'> & { acceptReturn: AcceptReturn }>
}

/** The databases of finished runs. Another run uses them again, because creating a database takes long. */
const unused: Pool[] = []
const pools: Pool[] = []
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
})

async function openDatabase(): Promise<Pool> {
  const emptied = unused.pop()
  if (emptied) return emptied
  const url = new URL(inject('postgresUrl'))
  const server: Pool = new (driver('pg').Pool)({ connectionString: url.href })
  url.pathname = `explore_${pools.length}`
  const pool: Pool = new (driver('pg').Pool)({ connectionString: url.href })
  // Each simulated process adds a listener.
  pool.setMaxListeners(0)
  pools.push(pool)
  await server.query(`CREATE DATABASE ${url.pathname.slice(1)}`)
  await server.end()
  return pool
}

async function closeDatabase(pool: Pool): Promise<void> {
  const { rows } = await pool.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
  for (const { name } of rows) await pool.query(`DELETE FROM ${name}`)
  unused.push(pool)
}

const ordersEngine: ExploredEngine<Pool> = {
  open: openDatabase,
  async start(database, options, clock) {
    const pool = inVirtualTime(database, clock)
    const { acceptReturn, ...shop } = await createShop(pool, options)
    return {
      ...shop,
      async acceptReturn(id, number, amount) {
        await inTransaction(pool, (transaction) => acceptReturn(transaction, id, number, amount))
        return (await shop.orders.get(id)) as Order
      },
    }
  },
  query: async (database, sql) => (await database.query(sql)).rows,
  close: closeDatabase,
}

/** Explores a shop that plans, runs and recovers operations. */
const operations: ExploreOptions<
  { run(): Promise<void>; recover(): Promise<void> },
  { pool: Pool; toJSON?: () => unknown }
> = {
  createStorage: async () => ({ pool: await openDatabase() }),
  async start({ clientOptions, storage, clock }) {
    const pool = inVirtualTime(storage.pool, clock)
    const journal = createJournal(pool as PgPool)
    await journal.migrate()
    await pool.query('CREATE TABLE IF NOT EXISTS results (key text PRIMARY KEY, state text, payment_id text)')
    const client = new PaymentsClient({ ...clientOptions, journal, maxRetries: 0, timeout: 10_000 })
    const onSettled = async ({ key, state, paymentId }: OperationRecord, on: unknown) =>
      (on as Pool).query('INSERT INTO results VALUES ($1, $2, $3)', [key, state, paymentId])
    const perform = async (intent: { key: string; operation: string; id?: string; body: object }) => {
      for (let tries = 0; tries < 15; tries++) {
        try {
          await inTransaction(pool, (transaction) => client.operations.plan(transaction as never, intent as never))
          const { payment } = await client.operations.run(intent.key, { onSettled })
          return payment.id
        } catch {
          await new Promise<void>((resolve) => void clock.setTimeout(resolve, 2_000))
        }
      }
      throw new Error(`${intent.key} failed`)
    }
    return {
      async run() {
        const order = { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
        const body = { paymentMethodToken: 'tok_card', ...order }
        const id = await perform({ key: 'create-17', operation: 'payments.create', body })
        for (const part of [1, 2]) {
          await perform({ key: `capture-17-${part}`, operation: 'payments.capture', id, body: { amount: 2500 } })
        }
        await perform({ key: 'refund-17', operation: 'payments.refund', id, body: { amount: 700 } })
      },
      async recover() {
        await client.operations.recover({ onSettled })
        // `explore` settles a shop until its storage no longer changes.
        const { rows } = await pool.query('SELECT * FROM payments_client_operations ORDER BY key')
        storage.toJSON = () => rows
      },
    }
  },
  scenario: (shop) => shop.run(),
  settle: (shop) => shop.recover(),
  disposeStorage: ({ pool }) => closeDatabase(pool),
  async check({ ledger, storage: { pool } }) {
    const { rows: records } = await pool.query('SELECT key, state FROM payments_client_operations ORDER BY key')
    for (const { key, state } of records) {
      const effects = ledger.filter(({ idempotencyKey }) => idempotencyKey === key).length
      expect(['succeeded', 'rejected', 'not_executed']).toContain(state)
      expect([key, effects]).toEqual([key, Number(state === 'succeeded')])
    }
    expect((await pool.query('SELECT key, state FROM results ORDER BY key')).rows).toEqual(records)
  },
}

/** Names the failures in the first line of the error. */
function expectNoFailure({ failures }: ExploreReport): void {
  const [first] = failures
  expect(failures, `${first?.message} (${first?.replay})`).toEqual([])
}

describe('explore with PostgreSQL', () => {
  it('finds no failure of the shop that the orders guide shows', async () => {
    const createStorage = async () => ({ database: await openDatabase() })
    const report = await explore({ ...explorationOf(ordersEngine), createStorage, budget, concurrency })

    expectNoFailure(report)
    expect(report.runs).toBe(budget)
  })

  it('stops the virtual time while a webhook waits for the transaction of a call', async () => {
    const hourMs = 3_600_000
    let handledAt = Number.POSITIVE_INFINITY
    const report = await explore({
      budget: 1,
      createStorage: openDatabase,
      async start({ clientOptions, storage, clock, receive, webhookSecret }) {
        const client = new PaymentsClient(clientOptions)
        // The hook takes so long that the other transaction is attempted several times.
        const onChange = (_: Order, { transaction }: { transaction: Pool }) => transaction.query('SELECT pg_sleep(0.2)')
        const orders = createOrders({ client, database: inVirtualTime(storage, clock), onChange })
        await orders.migrate()
        const handle = orders.webhooks({ secret: webhookSecret })
        const handled = new Promise<void>((resolve) => {
          receive(async (request) => {
            const response = await handle(request)
            handledAt = clock.now()
            resolve()
            return response
          })
        })
        return { orders, clock, handled }
      },
      async scenario({ orders, clock, handled }, { sandbox }) {
        const startedAt = clock.now()
        clock.setTimeout(() => {}, hourMs)
        await orders.pay('17', { paymentMethodToken: sandbox.tokens.card, amount: 5000, currencyCode: 'EUR' })
        await handled
        handledAt -= startedAt
      },
      disposeStorage: closeDatabase,
    })

    expectNoFailure(report)
    expect(handledAt).toBeLessThan(hourMs)
  })

  it('finds no failure of a shop that uses a journal', async () => {
    const report = await explore({ ...operations, budget, concurrency })

    expectNoFailure(report)
    expect(report.runs).toBe(budget)
  })
})
