// Retries a payment while the customer waits. The customer pays once, even if responses are lost and processes crash.
// After about a minute, do not retry. Search for the payment instead, as in handle-an-unknown-outcome.ts.
import { isPaymentsError, type Payment, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox({ idempotency: 'conflict' })

// This variable represents the shop's database, which survives crashes.
const order = { id: 'order-17', amount: 5000, card: sandbox.tokens.declined, attempt: 1 }

/** Creates the client for a new process. Its retries are off, so that the example shows every failure. */
function startProcess(): PaymentsClient {
  return new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
}

/** Returns the payment, or `retry` if the caller must call this function again. */
async function takePayment(client: PaymentsClient): Promise<Payment | 'retry'> {
  // Every process derives the same key from the order and the attempt number.
  const idempotencyKey = `pay-${order.id}-${order.attempt}`
  try {
    return await client.payments.create(
      { paymentMethodToken: order.card, orderId: order.id, currencyCode: 'EUR', amount: order.amount },
      { idempotencyKey },
    )
  } catch (error) {
    if (!isPaymentsError(error)) throw error
    console.log(error.code, error.outcome, error.retry)
    // An earlier call created the payment, but its response was lost.
    if (error.errorId?.endsWith('IdempotencyKeyAlreadyExists') && error.paymentId) {
      return client.payments.get(error.paymentId)
    }
    if (error.retry === 'same-key') return 'retry'
    throw error
  }
}

// The service creates the payment, but the connection breaks before the response arrives. Then the process crashes.
sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
console.log(await takePayment(startProcess())) //=> 'ERR_CONNECTION' 'unknown' 'same-key'
//=> 'retry'

// A new process retries with the same key, but the service is overloaded. The service rejected only this call, but the
// first call may have created the payment.
sandbox.faults.add({ operation: 'payments.create', status: 429 })
console.log(await takePayment(startProcess())) //=> 'ERR_API' 'rejected' 'same-key'
//=> 'retry'

// The next retry finds that the card was declined.
const declined = await takePayment(startProcess()) //=> 'ERR_API' 'rejected' 'same-key'
console.log(declined !== 'retry' && declined.status) //=> 'DECLINED'

// A key cannot be used again after a decline. The customer tries another card, so the attempt number and the key change.
Object.assign(order, { card: sandbox.tokens.card, attempt: 2 })
const paid = await takePayment(startProcess())
console.log(paid !== 'retry' && paid.status) //=> 'AUTHORIZED'

// The service created one payment per card. The customer paid once.
console.log(sandbox.ledger.map(({ operation, idempotencyKey }) => `${operation} ${idempotencyKey}`))
//=> [ 'payments.create pay-order-17-1', 'payments.create pay-order-17-2' ]
