// A job takes the payment of an order, and is started again after every crash. The customer pays once.
import { ApiError, type Payment, PaymentsClient, PaymentsError } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox({ idempotency: 'conflict' })

// The shop's database: all that survives a crash.
const order = { id: 'order-17', amount: 5000, card: sandbox.tokens.declined, tries: 1 }
const keys = new Map<string, string>()

/** A process of the shop, with a client of its own. Retries are off, so that every mishap shows. */
function startProcess(): PaymentsClient {
  const idempotencyStore = {
    // The key, and a hash of the request that it stands for, are written before the first byte leaves.
    claim(key: string, fingerprint: string) {
      if (!keys.has(key)) keys.set(key, fingerprint)
      return keys.get(key) as string
    },
  }
  return new PaymentsClient(sandbox.clientOptions({ maxRetries: 0, idempotencyStore }))
}

/** What the job does, the first time and every other. `again`: start it again later, just as it is. */
async function takePayment(client: PaymentsClient): Promise<Payment | 'again'> {
  // Made of the order and the try, so that every process makes the same.
  const idempotencyKey = `pay-${order.id}-${order.tries}`
  try {
    return await client.payments.create(
      { paymentMethodToken: order.card, orderId: order.id, currencyCode: 'EUR', amount: order.amount },
      { idempotencyKey },
    )
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error
    console.log(error.code, error.outcome)
    // An earlier run took effect, and its answer was lost: here is its payment.
    if (error instanceof ApiError && error.errorId?.endsWith('IdempotencyKeyAlreadyExists') && error.paymentId) {
      return client.payments.get(error.paymentId)
    }
    // In doubt, or with an answer that nobody could read: the same key says which it is.
    if (error.outcome === 'unknown' || error.outcome === 'accepted') return 'again'
    // Nothing happened, and nothing will, until somebody has looked at the cause.
    throw error
  }
}

// The service makes the payment, but the connection breaks before it says so. Then the process dies.
sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
console.log(await takePayment(startProcess())) //=> 'ERR_CONNECTION' 'unknown'
//=> 'again'

// Another process does the same again, under the same key: the card was declined.
const declined = await takePayment(startProcess()) //=> 'ERR_API' 'rejected'
console.log(declined !== 'again' && declined.status) //=> 'DECLINED'

// A decline has used its key. The customer takes another card: another try, and so another key.
Object.assign(order, { card: sandbox.tokens.card, tries: 2 })
const paid = await takePayment(startProcess())
console.log(paid !== 'again' && paid.status) //=> 'AUTHORIZED'

// A slip: somebody changes the amount, but not the try. The store knows what the key stands for, and nothing is sent.
order.amount = 9000
await takePayment(startProcess()).catch((error) => console.log(error.message.includes('another request')))
//=> 'ERR_REQUEST_VALIDATION' 'not_sent'
//=> true

// What really happened: two cards were tried, once each, and the order was paid once.
console.log(sandbox.ledger.map(({ operation, idempotencyKey }) => `${operation} ${idempotencyKey}`))
//=> [ 'payments.create pay-order-17-1', 'payments.create pay-order-17-2' ]
