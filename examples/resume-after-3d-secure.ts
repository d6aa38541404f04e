// Resumes a payment after the customer completed 3-D Secure.
import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())

const payment = await client.payments.create({
  paymentMethodToken: sandbox.tokens.requires3ds,
  orderId: 'order-17',
  currencyCode: 'EUR',
  amount: 5000,
})
console.log(payment.status, payment.requiredAction?.name) //=> 'PENDING' '3DS_AUTHENTICATION'

// Pass `payment.requiredAction.clientToken` to the checkout. After the customer has completed 3-D Secure, the checkout
// returns a resume token. Here, the sandbox simulates the customer and the checkout.
const resumeToken = sandbox.completeAction(payment.id)

const resumed = await client.payments.resume(payment.id, { resumeToken })
console.log(resumed.status) //=> 'AUTHORIZED'

// If 3-D Secure fails, the payment is declined.
const failing = await client.payments.create({
  paymentMethodToken: sandbox.tokens.fails3ds,
  orderId: 'order-18',
  currencyCode: 'EUR',
  amount: 5000,
})
const declined = await client.payments.resume(failing.id, { resumeToken: sandbox.completeAction(failing.id) })
console.log(declined.status, declined.statusReason?.declineType) //=> 'DECLINED' 'SOFT_DECLINE'
