// Authorize an estimate, say for groceries sold by weight, and adjust it when the amount is known.
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

// The amount to charge in the end. This operation takes no idempotency key, so the client never repeats it:
// after an unknown outcome read the payment, and look at its amount.
const adjusted = await client.payments.adjustAuthorization(estimate.id, { amount: 8640 })
console.log(adjusted.status, adjusted.amount) //=> 'AUTHORIZED' 8640

const captured = await client.payments.capture(estimate.id)
console.log(captured.processor?.amountCaptured) //=> 8640
