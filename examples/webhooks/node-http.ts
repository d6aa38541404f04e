// node:http: receive webhooks without a framework.
import { createServer } from 'node:http'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const receive = createHandler({
  secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  on: {
    'PAYMENT.STATUS': async ({ payment }) => console.log(`${payment.id} is ${payment.status}`),
  },
  onError: (error) => console.error(String(error)),
})

const server = createServer(toNodeListener(receive))
server.listen(Number(process.env['PORT'] ?? 3000), () => console.log('listening on', server.address()))
