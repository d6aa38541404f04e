// Take a payment that waits for the customer to pass 3-D Secure.
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

// Give `payment.requiredAction.clientToken` to the checkout. The customer passes the check there, and the checkout
// hands over a resume token. Here the sandbox plays both.
const resumeToken = sandbox.completeAction(payment.id)

const resumed = await client.payments.resume(payment.id, { resumeToken })
console.log(resumed.status) //=> 'AUTHORIZED'

// A customer who fails the check is declined.
const failing = await client.payments.create({
  paymentMethodToken: sandbox.tokens.fails3ds,
  orderId: 'order-18',
  currencyCode: 'EUR',
  amount: 5000,
})
const refused = await client.payments.resume(failing.id, { resumeToken: sandbox.completeAction(failing.id) })
console.log(refused.status, refused.statusReason?.declineType) //=> 'DECLINED' 'SOFT_DECLINE'
