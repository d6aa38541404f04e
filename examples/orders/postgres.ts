// A shop with PostgreSQL and `pg`. Its own table `sales` is updated only in `onChange`.
import { type ClientOptions, PaymentsClient } from 'payments-client'
import { createOrders, type Order } from 'payments-client/orders'
import type { Pool, PoolClient } from 'pg'

export async function createShop(pool: Pool, { webhookSecret, ...options }: ClientOptions & { webhookSecret: string }) {
  await pool.query(
    'CREATE TABLE IF NOT EXISTS sales (id text PRIMARY KEY, state text, captured bigint, may_ship boolean)',
  )

  const orders = createOrders({
    client: new PaymentsClient(options),
    database: pool,
    // Runs in the transaction that stores the change.
    async onChange({ id, state, captured, mayShip }: Order, { transaction }) {
      await transaction.query(
        `INSERT INTO sales VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO UPDATE SET
           state = excluded.state, captured = excluded.captured, may_ship = excluded.may_ship`,
        [id, state, captured, mayShip],
      )
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

    /** Decides to refund a return in your own transaction. `jobs` sends the refund after the commit. */
    acceptReturn: (transaction: PoolClient, id: string, number: string, amount: number) =>
      orders.refund(id, { id: number, amount }, { transaction }),

    /** Call this function every 30 seconds. */
    async jobs() {
      await orders.recover()
      await orders.sync()
    },
  }
}
