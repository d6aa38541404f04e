// Receives webhooks. The handler verifies the signature, ignores duplicates, and responds after your function has
// finished.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PaymentsClient, refundsOf, webhooks } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())

// In production, read the secret from your configuration.
const handler = webhooks.createHandler({
  secret: sandbox.webhooks.secret,
  on: {
    'PAYMENT.STATUS': async ({ payment }) => console.log(payment.orderId, payment.status),
    'PAYMENT.REFUND': async ({ payment }) => {
      for (const { amount, status } of refundsOf(payment)) console.log(payment.orderId, 'refund of', amount, status)
    },
    'DISPUTE.STATUS': async (dispute) => console.log(dispute.orderId, dispute.type, dispute.status),
  },
  onUnrecognized: ({ eventType }) => console.warn(`Unknown event ${eventType}`),
  onError: (error) => console.error(error),
})

// `toNodeListener` returns a listener for node:http, Express and Fastify.
const server = createServer(webhooks.toNodeListener(handler))
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const { unsubscribe } = sandbox.webhooks.subscribe(
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
)

const order = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
const { id } = await client.payments.create(order)
await client.payments.capture(id)
await client.payments.refund(id)
sandbox.processor.finishRefund(id, 'FAILED')
await sandbox.webhooks.flush()
//=> 'order-17' 'AUTHORIZED'
//=> 'order-17' 'SETTLED'
//=> 'order-17' 'refund of' 5000 'FAILED'
unsubscribe()
server.close()

// In frameworks whose routes receive a Fetch `Request` (Next.js, Bun, Deno, Workers), use the handler as the route:
// `export const POST = handler`. Here, the sandbox calls it.
sandbox.webhooks.subscribe(handler)
sandbox.disputes.open(id)
await sandbox.webhooks.flush()
//=> 'order-17' 'DISPUTE' 'OPEN'

// A request without a valid signature gets a 400.
const forged = new Request('https://shop.example/webhooks', { method: 'POST', body: '{"eventType":"PAYMENT.STATUS"}' })
console.log((await webhooks.createHandler({ secret: sandbox.webhooks.secret })(forged)).status) //=> 400
