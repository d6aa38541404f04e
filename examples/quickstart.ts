// Runs a shop that uses the sandbox over HTTP: a checkout, captures, a refund, a saved card, a broken connection and
// webhooks.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formatAmount, latestRefund, type PaymentMethodData, PaymentsClient, webhooks } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const euros = (amount = 0) => formatAmount(amount, 'EUR')
const cardOf = (data?: PaymentMethodData) => `${data?.network} ending in ${data?.last4Digits}`
const print = (label: string, value: string) => console.log(label.padEnd(10) + value)

const sandbox = createSandbox({ seed: 'quickstart', now: new Date('2026-03-02T09:00:00Z') })
const service = await sandbox.listen()
const client = new PaymentsClient({ apiKey: sandbox.apiKey, baseUrl: service.url })

// The shop receives webhooks and records the events.
const events: string[] = []
const receiver = webhooks.createHandler({
  secret: sandbox.webhooks.secret,
  on: {
    'PAYMENT.STATUS': ({ payment }) => events.push(`${payment.orderId} is ${payment.status}`),
    'PAYMENT.REFUND': ({ payment }) =>
      events.push(`${payment.orderId} refund is ${latestRefund(payment)?.processorStatus}`),
  },
})
const shop = createServer(webhooks.toNodeListener(receiver))
await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening))
sandbox.webhooks.subscribe(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/webhooks`)

console.log('A shop and the payments sandbox over HTTP\n')

// The shop creates a client session. Its token initializes the checkout in the customer's browser.
const session = await client.clientSessions.create({
  orderId: 'order-1001',
  currencyCode: 'EUR',
  customerId: 'ada',
  order: {
    lineItems: [
      { name: 'teapot', amount: 3500 },
      { name: 'tin of tea', amount: 1250, quantity: 2 },
    ],
    shipping: { amount: 490 },
  },
  paymentMethod: { vaultOnSuccess: true },
})
for (const { name, amount, quantity = 1 } of session.order?.lineItems ?? []) {
  print('Cart', `${quantity} × ${name} at ${euros(amount)}`)
}
print('Session', `${session.orderId} for ${euros(session.amount)}, shipping included`)

// The customer enters a card, and the checkout creates a payment method token.
const paymentMethodToken = sandbox.tokenize({ clientToken: session.clientToken })
const { id, amount, status, paymentMethod } = await client.payments.create({ paymentMethodToken })
print('Payment', `${euros(amount)} is ${status}, ${cardOf(paymentMethod?.paymentMethodData)}`)

// The teapot ships today and the tea tomorrow. The customer returns one tin.
const first = await client.payments.capture(id, { amount: 3500 + 490 })
print('Capture', `${euros(first.processor?.amountCaptured)} of ${euros(amount)}`)
const rest = await client.payments.capture(id, { final: true })
print('Capture', `${euros(rest.processor?.amountCaptured)} of ${euros(amount)}, now ${rest.status}`)
const returned = await client.payments.refund(id, { amount: 1250, reason: 'dented' })
print('Refund', `${euros(latestRefund(returned)?.amount)} is ${latestRefund(returned)?.processorStatus}`)
sandbox.processor.finishRefund(id, 'SETTLED')

// Next month, the shop charges the saved card. The service creates the payment, but the connection breaks before the
// response. The client retries with the same idempotency key, so the customer pays once.
const [saved] = await client.paymentInstruments.list({ customerId: 'ada' })
print('Saved', cardOf(saved?.paymentMethodData))
const refill = { orderId: 'order-1002', currencyCode: 'EUR', amount: 1250, customerId: 'ada' } as const
sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
const charge = client.payments.create({ ...refill, paymentMethodToken: saved!.token })
const { data, response } = await charge.withResponse()
const created = sandbox.ledger.filter(({ idempotencyKey }) => idempotencyKey === response.idempotencyKey)
const result = `${response.attempts.length} attempts, ${created.length} payment`
print('Payment', `${euros(data.amount)} is ${data.status}, after a broken connection: ${result}`)

// If the card is declined, `create` does not throw. It returns a payment with the status DECLINED.
const order = { ...refill, orderId: 'order-1003', paymentMethodToken: sandbox.tokens.declined }
const declined = await client.payments.create(order)
print('Payment', `${euros(declined.amount)} is ${declined.status}: ${declined.statusReason?.message}`)

console.log('\nPayments')
for await (const row of client.payments.list({ currencyCode: 'EUR' })) {
  console.log(`  ${row.orderId}  ${euros(row.amount).padStart(7)}  ${row.status}`)
}

await sandbox.webhooks.flush()
console.log('\nWebhooks')
for (const event of events) console.log(`  ${event}`)

shop.close()
await service.close()
