// Authorizes a payment when the customer orders and captures it when the order ships.
import { formatAmount, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())

// The amount is in minor units: 5000 cents. A second call with the same key does not charge the customer again.
const order = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
const payment = await client.payments.create(order, { idempotencyKey: 'pay-order-17-1' })

// `create` does not throw if the card is declined. Always check the status.
if (payment.status !== 'AUTHORIZED') throw new Error(`The payment is ${payment.status}`)
console.log(payment.orderId, payment.status) //=> 'order-17' 'AUTHORIZED'

// Capture the payment when the order ships. A capture without an amount captures the full amount.
const captured = await client.payments.capture(payment.id, {}, { idempotencyKey: 'capture-order-17-1' })
console.log(captured.status) //=> 'SETTLED'
console.log(formatAmount(captured.processor?.amountCaptured ?? 0, 'EUR')) //=> '€50.00'

// If the customer cancels the order before it ships, cancel the payment to release the hold.
const other = await client.payments.create({ ...order, orderId: 'order-18' }, { idempotencyKey: 'pay-order-18-1' })
const reason = 'The customer changed their mind'
const cancelled = await client.payments.cancel(other.id, { reason }, { idempotencyKey: 'cancel-order-18-1' })
console.log(cancelled.status) //=> 'CANCELLED'
