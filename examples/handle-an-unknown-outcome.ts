// The connection breaks after the payment was made, and before the answer arrives. What now?
import { PaymentsClient, PaymentsError } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
// Retries are off to show the worst case; with the default of 2 the client would find out by itself.
const client = new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
const order = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }

sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
const since = new Date()
let idempotencyKey: string | undefined
try {
  await client.payments.create(order)
} catch (error) {
  if (!(error instanceof PaymentsError)) throw error
  console.log(error.code, error.outcome) //=> 'ERR_CONNECTION' 'unknown'
  idempotencyKey = error.idempotencyKey
}

// One way: send the same again under the same key. If the first try took effect, its answer comes.
const payment = await client.payments.create(order, { idempotencyKey })
console.log(payment.status) //=> 'AUTHORIZED'

// Another way, for when the key is lost: look for the order. A new payment may be missing from the list for up to
// a minute, so within that minute an empty list proves nothing, and the answer is `not_found_yet`.
const found = await client.payments.reconcile({ orderId: 'order-17', since })
console.log(found.status) //=> 'found'
const missing = await client.payments.reconcile({ orderId: 'order-18', since })
console.log(missing.status) //=> 'not_found_yet'

// Whatever was tried, the customer paid once.
console.log(sandbox.ledger.map(({ operation, amount }) => `${operation} ${amount}`)) //=> [ 'payments.create 5000' ]

// With retries on, none of this shows.
sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
const patient = client.withOptions({ maxRetries: 2 })
const { response } = await patient.payments.create({ ...order, orderId: 'order-19' }).withResponse()
console.log(response.attempts.map(({ status, code }) => status ?? code)) //=> [ 'ECONNRESET', 200 ]
