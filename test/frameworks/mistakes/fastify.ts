// Two usual mistakes: Fastify's own JSON parser consumes the raw bytes, and no error handler exists.
import fastify from 'fastify'
import { PaymentsClient } from 'payments-client'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const client = new PaymentsClient()
const receive = createHandler({
  secret: process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  onError: (error) => console.error(String(error)),
})

const app = fastify()
app.post('/webhooks', toNodeListener(receive))
app.get<{ Params: { id: string } }>('/payments/:id', (request) => client.payments.get(request.params.id))
await app.listen({ port: Number(process.env['PORT']) })
console.log('listening on', app.server.address())
