// Two usual mistakes: `express.json()` runs first and consumes the raw bytes, and no error handler exists.
import express from 'express'
import { PaymentsClient } from 'payments-client'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const client = new PaymentsClient()
const receive = createHandler({
  secret: process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  onError: (error) => console.error(String(error)),
})

const app = express()
app.use(express.json())
app.post('/webhooks', toNodeListener(receive))
app.get('/payments/:id', async (request, response) => {
  response.json(await client.payments.get(request.params.id))
})

const server = app.listen(Number(process.env['PORT']), () => console.log('listening on', server.address()))
