// Take a payment when the customer orders, and capture it when the parcel ships.
import { formatAmount, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())

// The amount is in minor units: 5000 cents.
const payment = await client.payments.create({
  paymentMethodToken: sandbox.tokens.card,
  orderId: 'order-17',
  currencyCode: 'EUR',
  amount: 5000,
})

// A declined card is no error: the payment exists, and its status says what happened.
if (payment.status !== 'AUTHORIZED') throw new Error(`Not paid: ${payment.statusReason?.message}`)
console.log(payment.orderId, payment.status) //=> 'order-17' 'AUTHORIZED'

// Later, when the parcel ships. Without an amount everything authorized is captured.
const captured = await client.payments.capture(payment.id)
console.log(captured.status) //=> 'SETTLED'
console.log(formatAmount(captured.processor?.amountCaptured ?? 0, 'EUR')) //=> '€50.00'

// What a customer who changed their mind in time would get instead: the hold is released.
const other = await client.payments.create({
  paymentMethodToken: sandbox.tokens.card,
  orderId: 'order-18',
  currencyCode: 'EUR',
  amount: 1200,
})
const cancelled = await client.payments.cancel(other.id, { reason: 'The customer changed their mind' })
console.log(cancelled.status) //=> 'CANCELLED'
