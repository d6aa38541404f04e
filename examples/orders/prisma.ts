// A shop with Prisma. Its own model `Sale` is updated only in `onChange`.
import type { Prisma, PrismaClient } from '@prisma/client'
import { type ClientOptions, PaymentsClient } from 'payments-client'
import { createOrders, type Order } from 'payments-client/orders'
import { fromPrisma } from 'payments-client/postgres'

export async function createShop(
  prisma: PrismaClient,
  { webhookSecret, ...options }: ClientOptions & { webhookSecret: string },
) {
  const orders = createOrders({
    client: new PaymentsClient(options),
    database: fromPrisma(prisma),
    // Runs in the transaction that stores the change.
    async onChange({ id, state, captured, mayShip }: Order, { transaction }) {
      const sale = { state, captured, mayShip }
      await transaction.sale.upsert({ where: { id }, create: { id, ...sale }, update: sale })
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
    acceptReturn: (transaction: Prisma.TransactionClient, id: string, number: string, amount: number) =>
      orders.refund(id, { id: number, amount }, { transaction }),

    /** Call this function every 30 seconds. */
    async jobs() {
      await orders.recover()
      await orders.sync()
    },
  }
}
