// Version 2.1 of the service writes carts as `lineItems` and `orderDetails`. One option switches types and checks.
import { PaymentsClient, RequestValidationError } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions({ apiVersion: '2.1' }))

// A session always has lines, and its amount is calculated from them.
const session = await client.clientSessions.create({
  orderId: 'order-17',
  currencyCode: 'EUR',
  lineItems: [{ name: 'Teapot', amount: 3500, quantity: 1 }],
  orderDetails: { countryCode: 'GB', shipping: { amount: 490 } },
})

// A payment takes the token alone, or the token with orderId, currencyCode and amount.
const payment = await client.payments.create({
  paymentMethodToken: sandbox.tokenize({ clientToken: session.clientToken }),
})
console.log(payment.amount, payment.lineItems?.at(0)?.name) //=> 3990 'Teapot'
console.log(payment.orderDetails) //=> { countryCode: 'GB', shipping: { amount: 490 } }

// The shape of the other version does not compile, and is refused before anything is sent.
try {
  // @ts-expect-error
  await client.payments.capture(payment.id, { order: { countryCode: 'GB' } })
} catch (error) {
  if (error instanceof RequestValidationError) console.log(error.issues[0]?.message)
}
//=> 'is the shape of version 2021-09-27: in version 2.1 use lineItems and orderDetails'

// The same connections can serve the other version, for a step-by-step migration.
const old = client.withOptions({ apiVersion: '2021-09-27' })
console.log((await old.payments.get(payment.id)).order?.lineItems?.at(0)?.name) //=> 'Teapot'
