import { type ClientOptions, PaymentsClient } from 'payments-client'
import type { Order, Orders } from 'payments-client/orders'
import type { ExploreClock, ExploreOptions } from 'payments-client/sandbox'
import { expect } from 'vitest'

/** The functions of the example shops. */
export interface Shop {
  readonly orders: Orders
  webhooks(request: Request): Promise<Response>
  packParcel(id: string, parcel: string, amount: number): Promise<Order>
  /** Decides on a refund in a transaction of the shop. */
  acceptReturn(id: string, number: string, amount: number): Promise<Order>
  jobs(): Promise<void>
}

export type ShopOptions = ClientOptions & { webhookSecret: string }

type Row = Record<string, unknown>

/** A database engine with which a shop is explored. */
export interface ExploredEngine<Database> {
  /** Opens a database for one run. */
  open(): Database | Promise<Database>
  /** Starts a process of the shop. */
  start(database: Database, options: ShopOptions, clock: ExploreClock): Promise<Shop>
  query(database: Database, sql: string): Row[] | Promise<Row[]>
  close(database: Database): unknown
}

interface Storage<Database> {
  database?: Database
  toJSON?: () => unknown
}

interface Process {
  readonly shop: Shop
  /** Repeats a call, as a customer or a queue does, until its result is as wanted. Ignores errors. */
  until(call: () => Promise<Order>, isDone: (order: Order) => boolean): Promise<void>
  /** Reads the tables, so that `explore` detects changes. */
  read(): Promise<void>
}

/**
 * Explores a shop with a declined card, parcels, returns, two devices and a cancellation.
 *
 * @param toReturn Returns the ID of the second return.
 */
export function explorationOf<Database>(
  { open, start, query, close }: ExploredEngine<Database>,
  toReturn = () => 'return-2',
): ExploreOptions<Process, Storage<Database>> {
  const ordersSql = 'SELECT facts FROM payments_client_orders ORDER BY id'
  return {
    async start({ clientOptions, storage, webhookSecret, receive, clock }) {
      storage.database ??= await clock.pause((async () => open())())
      const { database } = storage
      const shop = await start(database, { ...clientOptions, maxRetries: 0, timeout: 10_000, webhookSecret }, clock)
      receive(shop.webhooks)
      const wait = () => new Promise<void>((resolve) => void clock.setTimeout(resolve, 2_000))
      let rows: Row[] = []
      storage.toJSON = () => rows
      return {
        shop,
        async until(call, isDone) {
          for (let tries = 0; tries < 15; tries++) {
            const order = await call().catch(() => undefined)
            if (order && isDone(order)) return
            await wait()
          }
        },
        async read() {
          rows = await clock.pause((async () => query(database, ordersSql))())
        },
      }
    },
    async scenario({ shop, until }, { sandbox }) {
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
    async settle({ shop, read }) {
      await shop.jobs()
      await read()
    },
    disposeStorage: ({ database }) => database && close(database),
    async check({ sandbox, ledger, storage }) {
      const client = new PaymentsClient(sandbox.clientOptions())
      const rowsOf = (sql: string) => query(storage.database as Database, sql)
      const orders = await rowsOf(ordersSql)
      expect(orders.length).toBeLessThanOrEqual(5)
      for (const { facts } of orders) {
        const { order } = JSON.parse(String(facts)) as { order: Order }
        const [sale] = await rowsOf(`SELECT * FROM sales WHERE id = '${order.id}'`)
        const { state, captured, mayShip } = order
        expect({ ...sale, captured: Number(sale?.['captured']), may_ship: Boolean(sale?.['may_ship']) }).toEqual({
          ...{ id: order.id, state, captured, may_ship: mayShip },
        })
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
      const stored = (await rowsOf('SELECT id FROM payments_client_payments')).map(({ id }) => id)
      const amountsOf = (name: string) =>
        ledger.filter(({ operation }) => operation === name).map(({ amount }) => amount)
      expect(stored).toEqual(expect.arrayContaining(ledger.map(({ resourceId }) => resourceId)))
      expect(amountsOf('payments.capture').filter((amount) => amount === 1000).length).toBeLessThanOrEqual(1)
      expect(amountsOf('payments.refund').filter((amount) => amount === 500).length).toBeLessThanOrEqual(1)
      const isLive = (id: string) => sandbox.history(id).at(-1)?.status !== 'DECLINED'
      const created = ledger.filter(
        ({ operation, resourceId }) => operation === 'payments.create' && isLive(resourceId),
      )
      expect(created.length).toBeLessThanOrEqual(5)
    },
  }
}
