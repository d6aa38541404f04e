import { DatabaseSync } from 'node:sqlite'
import { PaymentsClient } from 'payments-client'
import type { Order } from 'payments-client/orders'
import { type ExploreOptions, explore } from 'payments-client/sandbox'
import { describe, expect, it } from 'vitest'
import { createShop } from '../../examples/orders/sqlite.js'

const budget = Number(process.env['RUNS'] ?? 200)

interface Storage {
  database?: DatabaseSync
  toJSON?: () => unknown
}

interface Process {
  readonly shop: Awaited<ReturnType<typeof createShop>>
  /** Repeats a call, as a customer or a queue does, until its result is as wanted. Ignores errors. */
  until(call: () => Promise<Order>, isDone: (order: Order) => boolean): Promise<void>
}

const rowsOf = ({ database }: Storage, sql: string) => (database?.prepare(sql).all() ?? []) as Record<string, unknown>[]

/** Explores the example's shop with a declined card, parcels, returns, two devices and a cancellation. */
function explorationOf(): ExploreOptions<Process, Storage> {
  return {
    async start({ clientOptions, storage, webhookSecret, receive, clock }) {
      storage.database ??= new DatabaseSync(':memory:')
      const { database } = storage
      storage.toJSON ??= () => rowsOf(storage, 'SELECT * FROM payments_client_orders')
      // Makes SQLite return the virtual time.
      database.function('unixepoch', { varargs: true }, () => clock.now() / 1000)
      const shop = await createShop(database, { ...clientOptions, maxRetries: 0, timeout: 10_000, webhookSecret })
      receive(shop.webhooks)
      const wait = () => new Promise<void>((resolve) => void clock.setTimeout(resolve, 2_000))
      return {
        shop,
        async until(call, isDone) {
          for (let tries = 0; tries < 15; tries++) {
            const order = await call().catch(() => undefined)
            if (order && isDone(order)) return
            await wait()
          }
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
      await until(() => shop.packParcel('17', 'parcel-1', 2000), hasSucceeded)
      await until(() => shop.packParcel('17', 'parcel-2', 3000), hasSucceeded)
      await until(
        () => shop.acceptReturn('17', 'return-1', 1000),
        () => true,
      )
      await until(() => shop.orders.refund('17', { id: 'return-2', amount: 500 }), hasSucceeded)
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
          expect([key, outcome, effects]).toEqual([
            key,
            effects === 1 ? 'succeeded' : expect.not.stringMatching(/^(succeeded|planned|sent|unknown)$/),
            effects,
          ])
        }
        for (const stored of order.payments) {
          const { status, processor } = await client.payments.get(stored.id)
          expect(stored).toMatchObject({ status, captured: processor?.amountCaptured ?? 0 })
        }
      }
      const stored = rowsOf(storage, 'SELECT id FROM payments_client_payments').map(({ id }) => id)
      for (const { operation, resourceId } of ledger) {
        if (operation === 'payments.create') expect(stored).toContain(resourceId)
      }
    },
  }
}

describe('a shop that uses orders', () => {
  it('stays correct after faults and crashes', async () => {
    const report = await explore({ ...explorationOf(), budget })

    expect(report.failures.map(({ rule, message, replay }) => ({ rule, message, replay }))).toEqual([])
  })
})
