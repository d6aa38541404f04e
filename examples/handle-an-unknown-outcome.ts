// Shows two ways to find a payment that the service created, although the connection broke before the response arrived.
import { isPaymentsError, type Payment, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

// If a key was already used, some services return the first response, and others respond with a conflict. This sandbox
// responds with a conflict.
const sandbox = createSandbox({ idempotency: 'conflict' })
// Retries are off to show the worst case. With retries, the client finds the payment itself.
const client = new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
const order = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
const idempotencyKey = 'pay-order-17-1' // In production, store the key before the call. Then it survives a crash.

sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
const since = sandbox.clock.now() // In production: `new Date()`, before the call.
try {
  await client.payments.create(order, { idempotencyKey })
} catch (error) {
  if (!isPaymentsError(error)) throw error
  console.log(error.code, error.outcome, error.retry) //=> 'ERR_CONNECTION' 'unknown' 'same-key'
}

// 1. While the customer waits, retry with the same key and the same body.
async function retry(): Promise<Payment> {
  try {
    return await client.payments.create(order, { idempotencyKey })
  } catch (error) {
    if (!isPaymentsError(error) || !error.errorId?.endsWith('IdempotencyKeyAlreadyExists')) throw error
    // The service rejected this call because an earlier call with this key took effect. A call with a new key would
    // charge the customer a second time.
    console.log(error.httpStatus, error.outcome, error.retry) //=> 409 'rejected' 'same-key'
    if (error.paymentId === undefined) throw error // Call `reconcile`, as below.
    return client.payments.get(error.paymentId)
  }
}
const payment = await retry()
console.log(payment.status) //=> 'AUTHORIZED'

// 2. Later, do not send the payment again, because the customer may have left. Search for the order's payments. A new
// payment can be missing from the service's list for one minute. During this time, the result for an order without
// payments is `not_found_yet`. A request may take effect up to 90 seconds after it was sent, so `until` is 90 seconds
// after the end of the last call.
const until = new Date(sandbox.clock.now().getTime() + 90_000)
const found = await client.payments.reconcile({ orderId: 'order-17', since, until })
console.log(found.status) //=> 'found'
const missing = await client.payments.reconcile({ orderId: 'order-18', since, until })
console.log(missing.status) //=> 'not_found_yet'

// The customer paid once.
console.log(sandbox.ledger.map(({ operation, amount }) => `${operation} ${amount}`)) //=> [ 'payments.create 5000' ]

// With retries, the client retries the call, receives the conflict, and fetches the payment whose ID the conflict
// contains.
sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
const retrying = client.withOptions({ maxRetries: 2 })
const { response } = await retrying.payments.create({ ...order, orderId: 'order-19' }).withResponse()
console.log(response.attempts.map(({ status, code }) => status ?? code)) //=> [ 'ECONNRESET', 409, 200 ]
