// The connection breaks after the payment was made, and before the answer arrives. What now?
import { ApiError, type Payment, PaymentsClient, PaymentsError } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

// Some services answer a used key as they did the first time; others, like this one, with a conflict.
const sandbox = createSandbox({ idempotency: 'conflict' })
// Retries are off to show the worst case; with the default of 2 the client would find out by itself.
const client = new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
const order = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
const idempotencyKey = 'pay-order-17-1' // stored before the call, so that it survives a crash

sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
const since = new Date() // before the call …
let until = since
try {
  await client.payments.create(order, { idempotencyKey })
} catch (error) {
  if (!(error instanceof PaymentsError)) throw error
  until = new Date() // … and after it, for a call may go on trying for two minutes
  console.log(error.code, error.outcome) //=> 'ERR_CONNECTION' 'unknown'
}

// One way: send the same again under the same key.
async function again(): Promise<Payment> {
  try {
    return await client.payments.create(order, { idempotencyKey })
  } catch (error) {
    if (!(error instanceof ApiError && error.errorId?.endsWith('IdempotencyKeyAlreadyExists'))) throw error
    // Rejected, because an earlier call with this key took effect. One with a new key would charge a second time.
    console.log(error.status, error.outcome) //=> 409 'rejected'
    if (error.paymentId === undefined) throw error // not named: look for the order, as below
    return client.payments.get(error.paymentId)
  }
}
const payment = await again()
console.log(payment.status) //=> 'AUTHORIZED'

// Another way, for when the key is lost: look for the order. A new payment may be missing from the list for up to
// a minute, so within a minute after the last try an empty list proves nothing, and the answer is `not_found_yet`.
const found = await client.payments.reconcile({ orderId: 'order-17', since, until })
console.log(found.status) //=> 'found'
const missing = await client.payments.reconcile({ orderId: 'order-18', since, until })
console.log(missing.status) //=> 'not_found_yet'

// Whatever was tried, the customer paid once.
console.log(sandbox.ledger.map(({ operation, amount }) => `${operation} ${amount}`)) //=> [ 'payments.create 5000' ]

// With retries on, none of this shows: the client sends it again, and reads the payment that the conflict names.
sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
const patient = client.withOptions({ maxRetries: 2 })
const { response } = await patient.payments.create({ ...order, orderId: 'order-19' }).withResponse()
console.log(response.attempts.map(({ status, code }) => status ?? code)) //=> [ 'ECONNRESET', 409, 200 ]
