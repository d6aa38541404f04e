// A shop with SQLite. Its own table `sales` is updated only in `onChange`.
import type { DatabaseSync } from 'node:sqlite'
import { type ClientOptions, PaymentsClient } from 'payments-client'
import { createOrders, type Order } from 'payments-client/orders'

export async function createShop(
  database: DatabaseSync,
  { webhookSecret, ...options }: ClientOptions & { webhookSecret: string },
) {
  database.exec(
    'CREATE TABLE IF NOT EXISTS sales (id TEXT PRIMARY KEY, state TEXT, captured INTEGER, may_ship INTEGER)',
  )
  const save = database.prepare(`INSERT INTO sales VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, captured = excluded.captured, may_ship = excluded.may_ship`)

  const orders = createOrders({
    client: new PaymentsClient(options),
    database,
    // Runs in the transaction that stores the change. With SQLite, it must be synchronous.
    onChange({ id, state, captured, mayShip }: Order) {
      save.run(id, state, captured, Number(mayShip))
    },
  })
  await orders.migrate()

  return {
    orders,
    webhooks: orders.webhooks({ secret: webhookSecret }),

    /** Returns the next step to show in the checkout. Called again when the customer reloads the page. */
    async checkout(id: string, paymentMethodToken: string) {
      const order = await orders.pay(id, { paymentMethodToken, amount: 5000, currencyCode: 'EUR' })
      return order.payment?.requiredAction ?? order.state
    },

    /** Captures the amount of one parcel. The last parcel is final, which releases the rest. */
    packParcel: (id: string, parcel: string, amount: number, final = false) =>
      orders.capture(id, { id: parcel, amount, final }),

    /** Accepts a return and decides to refund it in one transaction. `jobs` sends the refund. */
    acceptReturn(id: string, number: string, amount: number) {
      database.exec('BEGIN IMMEDIATE')
      try {
        const decided = orders.refund(id, { id: number, amount }, { transaction: database })
        database.exec('COMMIT')
        return decided
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },

    /** Call this function every 30 seconds. */
    async jobs() {
      await orders.recover()
      await orders.sync()
    },
  }
}
