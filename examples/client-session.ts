// Open a checkout with a client session, change it while the customer shops, and let it pay.
import { PaymentsClient, toDate } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox({ now: new Date('2026-03-02T09:00:00Z') })
const client = new PaymentsClient(sandbox.clientOptions())

const session = await client.clientSessions.create({
  orderId: 'order-17',
  currencyCode: 'EUR',
  order: { lineItems: [{ name: 'Teapot', amount: 3500, quantity: 1 }], shipping: { amount: 490 } },
  customer: { billingAddress: { city: 'London', countryCode: 'GB' } },
})

// Give `clientToken` to the checkout in the browser. It is good for a day.
console.log(session.amount) //=> 3990
console.log(toDate(session.clientTokenExpirationDate!).toISOString()) //=> '2026-03-03T09:00:00.000Z'

// Only what changes is sent. Lists are sent complete; `null` clears a field.
const { clientToken } = session
const updated = await client.clientSessions.update(clientToken, {
  order: { lineItems: [{ name: 'Teapot', amount: 3500, quantity: 2 }], shipping: null },
})
console.log(updated.amount) //=> 7000

// `merge` changes nested fields and keeps their neighbours, whichever way the service reads partial objects.
const merged = await client.clientSessions.merge(clientToken, {
  customer: { emailAddress: 'ada@example.com', billingAddress: { postalCode: 'W1' } },
})
console.log(merged.customer?.billingAddress) //=> { city: 'London', countryCode: 'GB', postalCode: 'W1' }

// The checkout made a token in this session, so the payment needs nothing else; what it gives takes precedence.
const payment = await client.payments.create({
  paymentMethodToken: sandbox.tokenize({ clientToken }),
  customer: { firstName: 'Ada' },
})
console.log(payment.orderId, payment.amount) //=> 'order-17' 7000
console.log(payment.customer?.firstName, payment.customer?.emailAddress) //=> 'Ada' 'ada@example.com'
