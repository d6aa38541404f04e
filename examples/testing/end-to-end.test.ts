// End-to-end tests: the sandbox listens on a port and delivers webhooks over HTTP. The tests advance its clock.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findNewRefund, PaymentsClient, webhooks } from 'payments-client'
import { createSandbox, type Listening } from 'payments-client/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Books, bookkeeper, pay } from './shop.js'

const sandbox = createSandbox({ now: new Date('2026-03-02T09:00:00Z') })
const books = new Map() as Books
const shop = createServer(webhooks.toNodeListener(bookkeeper(sandbox.webhooks.secret, books)))
let service: Listening
let client: PaymentsClient

beforeAll(async () => {
  service = await sandbox.listen()
  client = new PaymentsClient({ apiKey: sandbox.apiKey, baseUrl: service.url })
  await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening))
  sandbox.webhooks.subscribe(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/webhooks`)
})
beforeEach(() => {
  sandbox.reset()
  books.clear()
})
afterAll(async () => {
  shop.close()
  await service.close()
})

async function paidOrder(id: string): Promise<string> {
  await pay(client, { id, amount: 5000, paymentMethodToken: sandbox.tokens.slowSettlement })
  const [payment] = await client.payments.list({ orderId: id }).toArray({ limit: 1 })
  return payment!.id
}

describe('bookkeeper', () => {
  it('records each status until settlement', async () => {
    const paymentId = await paidOrder('order-1')
    await client.payments.capture(paymentId)
    await sandbox.webhooks.flush()
    expect(books.get(paymentId)?.status).toBe('SETTLING')

    sandbox.processor.settle(paymentId)
    await sandbox.webhooks.flush()

    expect(books.get(paymentId)?.status).toBe('SETTLED')
  })

  it('records each of several refunds', async () => {
    const paymentId = await paidOrder('order-1')
    await client.payments.capture(paymentId)
    sandbox.processor.settle(paymentId)
    const before = await client.payments.refund(paymentId, { amount: 500 })
    const after = await client.payments.refund(paymentId, { amount: 500 })
    const refund = findNewRefund(before, after, 500)

    sandbox.processor.finishRefund(paymentId, 'SETTLED')
    sandbox.processor.finishRefund(paymentId, 'FAILED')
    await sandbox.webhooks.flush()

    expect(books.get(refund?.transactionId ?? '')?.status).toBe('FAILED')
    expect([...books.values()].map(({ status }) => status).sort()).toEqual(['FAILED', 'SETTLED', 'SETTLED'])
  })

  it('records webhooks that are delivered again after an outage', async () => {
    const paymentId = await paidOrder('order-1')
    await sandbox.webhooks.flush()
    const statuses = sandbox.webhooks.deliveries.map(({ status }) => status)
    expect(statuses).toEqual([200])

    shop.removeAllListeners('request').once('request', (_, response) => response.writeHead(503).end())
    await client.payments.capture(paymentId)
    await sandbox.webhooks.flush()
    expect(books.get(paymentId)?.status).toBe('AUTHORIZED')

    shop.on('request', webhooks.toNodeListener(bookkeeper(sandbox.webhooks.secret, books)))
    await sandbox.clock.advance('5m')

    expect(books.get(paymentId)?.status).toBe('SETTLING')
  })

  it('expires a checkout after 24 hours', async () => {
    const { clientToken } = await client.clientSessions.create({ orderId: 'order-2', currencyCode: 'EUR', amount: 100 })

    await sandbox.clock.advance('24h')

    await expect(client.clientSessions.get(clientToken)).rejects.toMatchObject({ httpStatus: 404 })
  })
})
