import { DatabaseSync } from 'node:sqlite'
import { type ClientOptions, PaymentsClient } from 'payments-client'
import { createOrders, type Order } from 'payments-client/orders'
import { type ExploreOptions, explore } from 'payments-client/sandbox'
import { describe, expect, it } from 'vitest'
import { createShop } from '../../examples/orders/sqlite.js'

const budget = Number(process.env['RUNS'] ?? 20)

/** Mistakes in `onChange` and in callers that every run shows. */
const obviousMistakes = [
  'onChange ignores webhooks',
  'onChange stores only the first state',
  'onChange is missing',
  'onChange adds captured amounts',
  'onChange ships as soon as the order is paid',
  'each retry has a new order ID',
] as const
/** Mistakes that only some faults and crashes show. */
const hiddenMistakes = [
  'onChange ignores recover',
  'onChange swallows its errors',
  'recover is never called',
  'sync is never called',
  'each retry has a new parcel',
  'each retry has a new return',
] as const
type Mistake = (typeof obviousMistakes | typeof hiddenMistakes)[number]

type Shop = Awaited<ReturnType<typeof createShop>>

/** Does the same as the example's shop, but with a mistake. */
async function createWrongShop(
  database: DatabaseSync,
  { webhookSecret, ...options }: ClientOptions & { webhookSecret: string },
  mistake: Mistake,
): Promise<Shop> {
  database.exec(
    'CREATE TABLE IF NOT EXISTS sales (id TEXT PRIMARY KEY, state TEXT, captured INTEGER, may_ship INTEGER)',
  )
  const adds = mistake === 'onChange adds captured amounts'
  const save = database.prepare(`INSERT INTO sales VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    state = excluded.state, captured = ${adds ? 'sales.captured + ' : ''}excluded.captured, may_ship = excluded.may_ship`)
  let changes = 0
  const orders = createOrders({
    client: new PaymentsClient(options),
    database,
    onChange({ id, state, captured, mayShip }, { cause }) {
      changes++
      if (mistake === 'onChange ignores webhooks' && cause === 'webhook') return
      if (mistake === 'onChange ignores recover' && cause === 'recover') return
      if (
        mistake === 'onChange stores only the first state' &&
        rowsOf({ database }, `SELECT * FROM sales WHERE id = '${id}'`)[0]
      )
        return
      if (mistake === 'onChange swallows its errors' && changes % 3 === 0) return
      const ships = mistake === 'onChange ships as soon as the order is paid' ? state === 'paid' : mayShip
      if (mistake !== 'onChange is missing') save.run(id, state, captured, Number(ships))
    },
  })
  await orders.migrate()
  let retries = 0
  const unique = (id: string, when: Mistake) => (mistake === when ? `${id}-${retries++}` : id)
  const { pay } = orders
  orders.pay = (id, ...others) => pay.call(orders, unique(id, 'each retry has a new order ID'), ...others)
  return {
    orders,
    webhooks: orders.webhooks({ secret: webhookSecret }),
    checkout: async () => 'pending',
    packParcel: (id, parcel, amount) =>
      orders.capture(id, { id: unique(parcel, 'each retry has a new parcel'), amount }),
    acceptReturn: (id, number, amount) => orders.refund(id, { id: number, amount }),
    async jobs() {
      if (mistake !== 'recover is never called') await orders.recover()
      if (mistake !== 'sync is never called') await orders.sync()
    },
  }
}

interface Storage {
  database?: DatabaseSync
  toJSON?: () => unknown
}

interface Process {
  readonly shop: Shop
  /** Repeats a call, as a customer or a queue does, until its result is as wanted. Ignores errors. */
  until(call: () => Promise<Order>, isDone: (order: Order) => boolean): Promise<void>
  /** Returns the ID of a return. */
  toReturn(): string
}

const rowsOf = ({ database }: Storage, sql: string) => (database?.prepare(sql).all() ?? []) as Record<string, unknown>[]

/** Explores a shop with a declined card, parcels, returns, two devices and a cancellation. */
function explorationOf(mistake?: Mistake): ExploreOptions<Process, Storage> {
  return {
    async start({ clientOptions, storage, webhookSecret, receive, clock }) {
      storage.database ??= new DatabaseSync(':memory:')
      const { database } = storage
      storage.toJSON ??= () => rowsOf(storage, 'SELECT * FROM payments_client_orders')
      // Makes SQLite return the virtual time.
      database.function('unixepoch', { varargs: true }, () => clock.now() / 1000)
      const options = { ...clientOptions, maxRetries: 0, timeout: 10_000, webhookSecret }
      const shop = await (mistake ? createWrongShop(database, options, mistake) : createShop(database, options))
      receive(shop.webhooks)
      const wait = () => new Promise<void>((resolve) => void clock.setTimeout(resolve, 2_000))
      let returns = 0
      return {
        shop,
        toReturn: () => (mistake === 'each retry has a new return' ? `return-2-${returns++}` : 'return-2'),
        async until(call, isDone) {
          for (let tries = 0; tries < 15; tries++) {
            const order = await call().catch(() => undefined)
            if (order && isDone(order)) return
            await wait()
          }
        },
      }
    },
    async scenario({ shop, until, toReturn }, { sandbox }) {
      const { tokens } = sandbox
      const pay = (id: string, paymentMethodToken: string) =>
        shop.orders.pay(id, { paymentMethodToken, amount: 5000, currencyCode: 'EUR' })
      const isDecided = ({ state }: Order) => state !== 'pending'
      await until(() => pay('17', tokens.declined), isDecided)
      await until(() => pay('17', tokens.card), isDecided)
      const hasSucceeded = ({ decisions }: Order) => decisions.at(-1)?.state === 'succeeded'
      await until(() => shop.packParcel('17', 'parcel-1', 1000), hasSucceeded)
      await until(() => shop.packParcel('17', 'parcel-2', 4000), hasSucceeded)
      await until(
        () => shop.acceptReturn('17', 'return-1', 1000),
        () => true,
      )
      await until(() => shop.orders.refund('17', { id: toReturn(), amount: 500 }), hasSucceeded)
      const { slowSettlement } = tokens
      for (const id of ['authorized', 'settling', 'settled']) await until(() => pay(id, slowSettlement), isDecided)
      for (const id of ['settling', 'settled']) await until(() => shop.orders.capture(id), hasSucceeded)
      const { payment } = (await shop.orders.get('settled')) ?? {}
      if (payment?.status === 'SETTLING' && sandbox.history(payment.id).at(-1)?.status === 'SETTLING') {
        sandbox.processor.settle(payment.id)
      }
      await Promise.all([
        until(() => pay('18', tokens.card), isDecided),
        until(() => pay('18', tokens.declined), isDecided),
      ])
      await until(
        () => shop.orders.cancel('18'),
        () => true,
      )
    },
    settle: ({ shop }) => shop.jobs(),
    disposeStorage: ({ database }) => database?.close(),
    async check({ sandbox, ledger, storage }) {
      const client = new PaymentsClient(sandbox.clientOptions())
      for (const row of rowsOf(storage, 'SELECT * FROM payments_client_orders')) {
        const { order } = JSON.parse(String(row['facts'])) as { order: Order }
        const [sale] = rowsOf(storage, `SELECT * FROM sales WHERE id = '${order.id}'`)
        const { state, captured, mayShip } = order
        expect(sale).toEqual({ id: order.id, state, captured, may_ship: Number(mayShip) })
        expect(order.needsReview).toBe(false)
        for (const { key, state: outcome } of order.decisions) {
          const effects = ledger.filter(({ idempotencyKey }) => idempotencyKey === key).length
          expect(['rejected', 'not_executed', 'succeeded']).toContain(outcome)
          expect([key, effects]).toEqual([key, outcome === 'succeeded' ? 1 : 0])
        }
        for (const stored of order.payments) {
          const { status, processor } = await client.payments.get(stored.id)
          expect(stored).toMatchObject({ status, captured: processor?.amountCaptured ?? 0 })
        }
      }
      const stored = rowsOf(storage, 'SELECT id FROM payments_client_payments').map(({ id }) => id)
      const amountsOf = (name: string) =>
        ledger.filter(({ operation }) => operation === name).map(({ amount }) => amount)
      expect(stored).toEqual(expect.arrayContaining(ledger.map(({ resourceId }) => resourceId)))
      expect(amountsOf('payments.capture').filter((amount) => amount === 1000).length).toBeLessThanOrEqual(1)
      expect(amountsOf('payments.refund').filter((amount) => amount === 500).length).toBeLessThanOrEqual(1)
      expect(amountsOf('payments.create').length).toBeLessThanOrEqual(6)
    },
  }
}

describe('a shop that uses orders', () => {
  it('stays correct after faults and crashes', async () => {
    const report = await explore({ ...explorationOf(), budget })

    expect(report.failures.map(({ rule, message, replay }) => ({ rule, message, replay }))).toEqual([])
  })

  const failuresOf = async (mistake: Mistake, runs: number) =>
    (await explore({ ...explorationOf(mistake), budget: runs })).failures

  it.each(obviousMistakes)('fails if %s', async (mistake) => {
    expect(await failuresOf(mistake, 4)).not.toEqual([])
  })

  it.runIf(process.env['RUNS']).each(hiddenMistakes)('fails after faults if %s', async (mistake) => {
    expect(await failuresOf(mistake, budget)).not.toEqual([])
  })
})
