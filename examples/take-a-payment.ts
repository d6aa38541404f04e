// Authorizes a payment when the customer orders and captures it when the order ships.
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

// A declined card does not throw. Check the status.
if (payment.status !== 'AUTHORIZED') throw new Error(`Not paid: ${payment.statusReason?.message}`)
console.log(payment.orderId, payment.status) //=> 'order-17' 'AUTHORIZED'

// Later, when the order ships. Without an amount, the full amount is captured.
const captured = await client.payments.capture(payment.id)
console.log(captured.status) //=> 'SETTLED'
console.log(formatAmount(captured.processor?.amountCaptured ?? 0, 'EUR')) //=> '€50.00'

// If the customer cancels the order before it ships, cancel the payment to release the hold.
const other = await client.payments.create({
  paymentMethodToken: sandbox.tokens.card,
  orderId: 'order-18',
  currencyCode: 'EUR',
  amount: 1200,
})
const cancelled = await client.payments.cancel(other.id, { reason: 'The customer changed their mind' })
console.log(cancelled.status) //=> 'CANCELLED'
