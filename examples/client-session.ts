// Creates a client session for a checkout, updates the session, and creates the payment.
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

// Pass `clientToken` to the checkout in the browser. The token is valid for 24 hours.
console.log(session.amount) //=> 3990
console.log(toDate(session.clientTokenExpirationDate!).toISOString()) //=> '2026-03-03T09:00:00.000Z'

// Send only the fields to change. An array replaces the whole old array, and `null` clears a field.
const { clientToken } = session
const updated = await client.clientSessions.update(clientToken, {
  order: { lineItems: [{ name: 'Teapot', amount: 3500, quantity: 2 }], shipping: null },
})
console.log(updated.amount) //=> 7000

// `merge` changes single nested fields and keeps the other fields.
const merged = await client.clientSessions.merge(clientToken, {
  customer: { emailAddress: 'ada@example.com', billingAddress: { postalCode: 'W1' } },
})
console.log(merged.customer?.billingAddress) //=> { city: 'London', countryCode: 'GB', postalCode: 'W1' }

// The payment method token belongs to the session, so the payment takes its values from the session. Values in the
// request take precedence.
const payment = await client.payments.create({
  paymentMethodToken: sandbox.tokenize({ clientToken }),
  customer: { firstName: 'Ada' },
})
console.log(payment.orderId, payment.amount) //=> 'order-17' 7000
console.log(payment.customer?.firstName, payment.customer?.emailAddress) //=> 'Ada' 'ada@example.com'
