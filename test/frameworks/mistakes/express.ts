// The usual mistake: `express.json()` runs first and consumes the raw bytes.
import express from 'express'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const receive = createHandler({
  secret: process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  onError: (error) => console.error(String(error)),
})

const app = express()
app.use(express.json())
app.post('/webhooks', toNodeListener(receive))

const server = app.listen(Number(process.env['PORT']), () => console.log('listening on', server.address()))
