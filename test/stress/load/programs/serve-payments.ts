/** Serves a sandbox with the given number of payments over HTTP, and prints its environment variables as JSON. */
import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())
const count = Number(process.argv[2])
for (let number = 0; number < count; number++) {
  const orderId = `order-${number}`
  await client.payments.create({ paymentMethodToken: sandbox.tokens.card, orderId, currencyCode: 'EUR', amount: 700 })
}
const { url } = await sandbox.listen()
console.log(JSON.stringify({ PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY: sandbox.apiKey }))
