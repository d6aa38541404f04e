// Retries a payment while the customer waits. The customer pays once, although responses are lost and processes crash.
// After about a minute, do not retry. Search for the payment instead, as in handle-an-unknown-outcome.ts.
import { isPaymentsError, type Payment, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox({ idempotency: 'conflict' })

// These variables represent the shop's database, which survives crashes.
const order = { id: 'order-17', amount: 5000, card: sandbox.tokens.declined, attempt: 1 }
const keys = new Map<string, string>()

/** Creates the client for a new process. Its retries are off, so that the example shows every failure. */
function startProcess(): PaymentsClient {
  const idempotencyStore = {
    // The client calls this function before it sends the request.
    claim(key: string, fingerprint: string) {
      if (!keys.has(key)) keys.set(key, fingerprint)
      return keys.get(key) as string
    },
  }
  return new PaymentsClient(sandbox.clientOptions({ maxRetries: 0, idempotencyStore }))
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

// A new process retries with the same key, but the service is overloaded. The service rejected only this call, and the
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

// By mistake, the shop changes the amount, but not the attempt number. The store detects the reused key, so the client
// sends nothing.
order.amount = 9000
await takePayment(startProcess()).catch((error) => console.log(error.name))
//=> 'ERR_REQUEST_VALIDATION' 'not_sent' 'no'
//=> 'RequestValidationError'

// The service created one payment per card. The customer paid once.
console.log(sandbox.ledger.map(({ operation, idempotencyKey }) => `${operation} ${idempotencyKey}`))
//=> [ 'payments.create pay-order-17-1', 'payments.create pay-order-17-2' ]
