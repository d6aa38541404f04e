// A job that creates an order's payment and runs again after every crash. The customer pays once.
import { ApiError, type Payment, PaymentsClient, PaymentsError } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox({ idempotency: 'conflict' })

// The shop's database. It survives crashes.
const order = { id: 'order-17', amount: 5000, card: sandbox.tokens.declined, attempt: 1 }
const keys = new Map<string, string>()

/** Creates the client of a new process. Retries are off, to show every failure. */
function startProcess(): PaymentsClient {
  const idempotencyStore = {
    // Called before the request is sent.
    claim(key: string, fingerprint: string) {
      if (!keys.has(key)) keys.set(key, fingerprint)
      return keys.get(key) as string
    },
  }
  return new PaymentsClient(sandbox.clientOptions({ maxRetries: 0, idempotencyStore }))
}

/** Returns the payment, or `retry` if the job must run again. */
async function takePayment(client: PaymentsClient): Promise<Payment | 'retry'> {
  // Derived from the order and the attempt number, so that every process uses the same key.
  const idempotencyKey = `pay-${order.id}-${order.attempt}`
  try {
    return await client.payments.create(
      { paymentMethodToken: order.card, orderId: order.id, currencyCode: 'EUR', amount: order.amount },
      { idempotencyKey },
    )
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error
    console.log(error.code, error.outcome)
    // An earlier run took effect, but its response was lost.
    if (error instanceof ApiError && error.errorId?.endsWith('IdempotencyKeyAlreadyExists') && error.paymentId) {
      return client.payments.get(error.paymentId)
    }
    if (error.outcome === 'unknown' || error.outcome === 'accepted') return 'retry'
    throw error
  }
}

// The service creates the payment, but the connection breaks before the response. Then the process dies.
sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
console.log(await takePayment(startProcess())) //=> 'ERR_CONNECTION' 'unknown'
//=> 'retry'

// Another process runs the job with the same key. The card was declined.
const declined = await takePayment(startProcess()) //=> 'ERR_API' 'rejected'
console.log(declined !== 'retry' && declined.status) //=> 'DECLINED'

// The decline has used its key. The customer tries another card, so the attempt number and the key change.
Object.assign(order, { card: sandbox.tokens.card, attempt: 2 })
const paid = await takePayment(startProcess())
console.log(paid !== 'retry' && paid.status) //=> 'AUTHORIZED'

// A mistake: the amount changes, but not the attempt number. The store detects the reused key, and nothing is sent.
order.amount = 9000
await takePayment(startProcess()).catch((error) => console.log(error.name))
//=> 'ERR_REQUEST_VALIDATION' 'not_sent'
//=> 'RequestValidationError'

// Each card was charged once, and the order was paid once.
console.log(sandbox.ledger.map(({ operation, idempotencyKey }) => `${operation} ${idempotencyKey}`))
//=> [ 'payments.create pay-order-17-1', 'payments.create pay-order-17-2' ]
