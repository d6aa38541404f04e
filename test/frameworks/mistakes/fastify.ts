// The usual mistake: Fastify's own JSON parser consumes the raw bytes.
import fastify from 'fastify'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const receive = createHandler({
  secret: process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  onError: (error) => console.error(String(error)),
})

const app = fastify()
app.post('/webhooks', toNodeListener(receive))
await app.listen({ port: Number(process.env['PORT']) })
console.log('listening on', app.server.address())
