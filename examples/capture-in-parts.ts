// Captures a payment in parts as the order ships, then refunds one item. In production, pass an idempotency key to each
// call, as in take-a-payment.ts.
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

// The status is `SETTLED` after the first part, although more can be captured.
const first = await client.payments.capture(id, { amount: 5000 })
console.log(first.status, remainingCapturable(first)) //=> 'SETTLED' 2000

// `final: true` marks the last capture, so that the remaining 500 can be released. They cannot be released later,
// because a settled payment cannot be cancelled.
const last = await client.payments.capture(id, { amount: 1500, final: true })
console.log(last.processor?.amountCaptured) //=> 6500

// The customer returns one item. The refund is a separate transaction. It is pending until the processor confirms it.
const refunding = await client.payments.refund(id, { amount: 1500, reason: 'Wrong size' })
console.log(latestRefund(refunding)?.processorStatus) //=> 'PENDING'

// The processor confirms the refund, and the service sends a PAYMENT.REFUND event.
sandbox.processor.finishRefund(id, 'SETTLED')
const refunded = await client.payments.get(id)
console.log(latestRefund(refunded)?.processorStatus, remainingRefundable(refunded)) //=> 'SETTLED' 5000

// A refund without an amount refunds the full remaining amount.
await client.payments.refund(id)
sandbox.processor.finishRefund(id, 'SETTLED')
console.log(remainingRefundable(await client.payments.get(id))) //=> 0
