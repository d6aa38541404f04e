import { DatabaseSync } from 'node:sqlite'
import { PaymentsClient } from 'payments-client'
import { createOrders } from 'payments-client/orders'
import { createSandbox } from 'payments-client/sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { startTelemetry } from '../support/telemetry.js'

/** Starts a shop whose order 17 has a pending payment. */
async function aShop() {
  const sandbox = createSandbox()
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  const client = new PaymentsClient(sandbox.clientOptions({ logLevel: 'off' }))
  const orders = createOrders({ client, database })
  await orders.migrate()
  const request = { paymentMethodToken: sandbox.tokens.pending, amount: 5000, currencyCode: 'EUR' }
  const { payment } = await orders.pay('17', request)
  return { sandbox, client, orders, request, id: String(payment?.id) }
}

async function metricOf({ points }: ReturnType<typeof startTelemetry>, name: string) {
  return (await points()).find((point) => point.name === `payments.client.orders.${name}`)?.value
}

it('payments.client.orders.synced counts the payments that changed before a sync', async () => {
  const telemetry = startTelemetry()
  const { sandbox, orders, id } = await aShop()
  sandbox.processor.authorize(id)

  await orders.sync()
  await orders.sync()

  expect(await metricOf(telemetry, 'synced')).toBe(1)
})

it('payments.client.orders.review counts the orders that need a review', async () => {
  const telemetry = startTelemetry()
  const { client, orders, request } = await aShop()
  await orders.recover()
  expect(await metricOf(telemetry, 'review')).toBe(0)

  // Another payment of the order, which has not failed either.
  await client.payments.create({ ...request, orderId: '17' })
  await orders.sync()

  expect(await metricOf(telemetry, 'review')).toBe(1)
})

it('payments.client.orders.review adds the orders of all databases', async () => {
  const telemetry = startTelemetry()
  for (let shop = 0; shop < 2; shop++) {
    const { client, orders, request } = await aShop()
    await client.payments.create({ ...request, orderId: '17' })
    await orders.sync()
    await orders.sync()
  }

  expect(await metricOf(telemetry, 'review')).toBe(2)
})

it('payments-client:orders publishes the number of changed payments, not the tables', async () => {
  const { messages } = startTelemetry()
  const { orders } = await aShop()

  await orders.sync()

  const published = messages.filter(({ message }) => message.startsWith('orders '))
  expect(published).toEqual([
    { message: 'orders start', method: 'sync' },
    { message: 'orders asyncEnd', method: 'sync', changed: 0, result: { checked: 1, changed: 0 } },
  ])
})
