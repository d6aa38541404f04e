// Express 5: register the receiver before `express.json()`, because the signature covers the raw bytes of the body.
import express from 'express'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const receive = createHandler({
  secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  on: {
    'PAYMENT.STATUS': async ({ payment }) => console.log(`${payment.id} is ${payment.status}`),
  },
  onError: (error) => console.error(String(error)),
})

const app = express()
app.post('/webhooks', toNodeListener(receive))
app.use(express.json())

const server = app.listen(Number(process.env['PORT'] ?? 3000), () => console.log('listening on', server.address()))
