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

// Pass `payment.requiredAction.clientToken` to the checkout. When the customer has completed the check, the checkout
// returns a resume token. The sandbox simulates this step.
const resumeToken = sandbox.completeAction(payment.id)

const resumed = await client.payments.resume(payment.id, { resumeToken })
console.log(resumed.status) //=> 'AUTHORIZED'

// If the customer fails the check, the payment is declined.
const failing = await client.payments.create({
  paymentMethodToken: sandbox.tokens.fails3ds,
  orderId: 'order-18',
  currencyCode: 'EUR',
  amount: 5000,
})
const declined = await client.payments.resume(failing.id, { resumeToken: sandbox.completeAction(failing.id) })
console.log(declined.status, declined.statusReason?.declineType) //=> 'DECLINED' 'SOFT_DECLINE'
