// Capture a payment in parts as an order ships, then refund one of the items.
import { latestRefund, PaymentsClient, remainingCapturable, remainingRefundable } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())

const { id } = await client.payments.create({
  paymentMethodToken: sandbox.tokens.card,
  orderId: 'order-17',
  currencyCode: 'EUR',
  amount: 7000,
})

const first = await client.payments.capture(id, { amount: 5000 })
console.log(remainingCapturable(first)) //=> 2000

// `final` says that nothing more will be captured; the rest of the authorization is given up.
const last = await client.payments.capture(id, { amount: 1500, final: true })
console.log(last.processor?.amountCaptured) //=> 6500

// One item comes back. A refund is a transaction of its own, and takes its time at the processor.
const refunding = await client.payments.refund(id, { amount: 1500, reason: 'Wrong size' })
console.log(latestRefund(refunding)?.processorStatus) //=> 'PENDING'

// The processor confirms, and the service sends a PAYMENT.REFUND event.
sandbox.processor.finishRefund(id, 'SETTLED')
const refunded = await client.payments.get(id)
console.log(latestRefund(refunded)?.processorStatus, remainingRefundable(refunded)) //=> 'SETTLED' 5000

// Without an amount, all that is left is refunded.
await client.payments.refund(id)
sandbox.processor.finishRefund(id, 'SETTLED')
console.log(remainingRefundable(await client.payments.get(id))) //=> 0
