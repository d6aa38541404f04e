// Uses API version 2.1, in which a cart consists of `lineItems` and `orderDetails`. The option `apiVersion` selects the
// types and the validation.
import { isPaymentsError, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions({ apiVersion: '2.1' }))

// A session requires line items. The service computes the amount from them.
const session = await client.clientSessions.create({
  orderId: 'order-17',
  currencyCode: 'EUR',
  lineItems: [{ name: 'Teapot', amount: 3500, quantity: 1 }],
  orderDetails: { countryCode: 'GB', shipping: { amount: 490 } },
})

// Pass only the token, or the token with `orderId`, `currencyCode` and `amount`.
const payment = await client.payments.create({
  paymentMethodToken: sandbox.tokenize({ clientToken: session.clientToken }),
})
console.log(payment.amount, payment.lineItems?.at(0)?.name) //=> 3990 'Teapot'
console.log(payment.orderDetails) //=> { countryCode: 'GB', shipping: { amount: 490 } }

// Fields of the other version do not compile. At run time, the client rejects them before sending.
try {
  // @ts-expect-error
  await client.payments.capture(payment.id, { order: { countryCode: 'GB' } })
} catch (error) {
  if (isPaymentsError(error)) console.log(error.issues?.[0]?.message)
}
//=> 'exists only in version 2021-09-27: use orderDetails and lineItems'

// To migrate step by step, use a copy of the client with the other version. The copy shares the connections.
const old = client.withOptions({ apiVersion: '2021-09-27' })
console.log((await old.payments.get(payment.id)).order?.lineItems?.at(0)?.name) //=> 'Teapot'
