// A merchant's day, offline. The sandbox serves the payments service over HTTP, and this program is the shop.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formatAmount, latestRefund, type PaymentMethodData, PaymentsClient, webhooks } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const euros = (amount = 0) => formatAmount(amount, 'EUR')
const cardOf = (data?: PaymentMethodData) => `${data?.network} ending in ${data?.last4Digits}`
const say = (what: string, text: string) => console.log(what.padEnd(10) + text)

const sandbox = createSandbox({ seed: 'quickstart', now: new Date('2026-03-02T09:00:00Z') })
const service = await sandbox.listen()
const client = new PaymentsClient({ apiKey: sandbox.apiKey, baseUrl: service.url })

// The shop's receiver of webhooks.
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

console.log('A shop and the payments sandbox, talking over HTTP\n')

// A cart becomes a client session, and its token starts the checkout in the customer's browser.
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
  say('Cart', `${quantity} × ${name} at ${euros(amount)}`)
}
say('Session', `${session.orderId} for ${euros(session.amount)}, shipping included`)

// The customer enters a card there, which the checkout turns into a token.
const paymentMethodToken = sandbox.tokenize({ clientToken: session.clientToken })
const { id, amount, status, paymentMethod } = await client.payments.create({ paymentMethodToken })
say('Payment', `${euros(amount)} is ${status}, ${cardOf(paymentMethod?.paymentMethodData)}`)

// The teapot ships today, the rest tomorrow, and one tin comes back.
const first = await client.payments.capture(id, { amount: 3500 + 490 })
say('Capture', `${euros(first.processor?.amountCaptured)} of ${euros(amount)}`)
const rest = await client.payments.capture(id, { final: true })
say('Capture', `${euros(rest.processor?.amountCaptured)} of ${euros(amount)}, now ${rest.status}`)
const returned = await client.payments.refund(id, { amount: 1250, reason: 'dented' })
say('Refund', `${euros(latestRefund(returned)?.amount)} is ${latestRefund(returned)?.processorStatus}`)
sandbox.processor.finishRefund(id, 'SETTLED')

// Next month the saved card pays. The payment is made, but the connection breaks before the shop hears of it.
const [saved] = await client.paymentInstruments.list({ customerId: 'ada' })
say('Saved', cardOf(saved?.paymentMethodData))
const refill = { orderId: 'order-1002', currencyCode: 'EUR', amount: 1250, customerId: 'ada' } as const
sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
const charge = client.payments.create({ ...refill, paymentMethodToken: saved!.token })
const { data, response } = await charge.withResponse()
const made = sandbox.ledger.filter(({ idempotencyKey }) => idempotencyKey === response.idempotencyKey)
const tries = `${response.attempts.length} attempts, ${made.length} payment`
say('Payment', `${euros(data.amount)} is ${data.status}, although the connection broke: ${tries}`)

// Another card is declined, which is an answer and no error.
const declined = { ...refill, orderId: 'order-1003', paymentMethodToken: sandbox.tokens.declined }
const refused = await client.payments.create(declined)
say('Payment', `${euros(refused.amount)} is ${refused.status}: ${refused.statusReason?.message}`)

console.log('\nThe books')
for await (const row of client.payments.list({ currencyCode: 'EUR' })) {
  console.log(`  ${row.orderId}  ${euros(row.amount).padStart(7)}  ${row.status}`)
}

await sandbox.webhooks.flush()
console.log('\nWebhooks received, their signatures verified')
for (const event of events) console.log(`  ${event}`)

shop.close()
await service.close()
