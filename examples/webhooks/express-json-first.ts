// Express 5 with a JSON parser for all routes: keep the raw bytes of the body, and raise Express's limit of 100 KB.
import express from 'express'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const receive = createHandler({
  secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  on: {
    'PAYMENT.STATUS': async ({ payment }) => console.log(`${payment.orderId} is ${payment.status}`),
  },
  onError: (error) => console.error(String(error)),
})

const app = express()
app.use(express.json({ limit: '1mb', verify: (request, _, rawBody) => Object.assign(request, { rawBody }) }))
app.post('/webhooks', toNodeListener(receive))

const server = app.listen(Number(process.env['PORT'] ?? 3000), () => console.log('listening on', server.address()))
