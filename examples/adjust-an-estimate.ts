// Authorizes an estimated amount, for example for groceries sold by weight, and adjusts it before the capture.
import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())

const estimate = await client.payments.create({
  paymentMethodToken: sandbox.tokens.estimated,
  orderId: 'order-17',
  currencyCode: 'EUR',
  amount: 8000,
  paymentMethod: { authorizationType: 'ESTIMATED' },
})
console.log(estimate.status, estimate.amount) //=> 'AUTHORIZED' 8000

// Set the final amount. This operation takes no idempotency key, so the client never retries it after an ambiguous
// failure. If the outcome is unknown, get the payment and check its amount.
const adjusted = await client.payments.adjustAuthorization(estimate.id, { amount: 8640 })
console.log(adjusted.status, adjusted.amount) //=> 'AUTHORIZED' 8640

const captured = await client.payments.capture(estimate.id)
console.log(captured.processor?.amountCaptured) //=> 8640
