// Fastify 5: register a JSON parser for the webhook route only. This parser returns the raw bytes, which the signature
// covers.
import fastify from 'fastify'
import { createHandler, toNodeListener } from 'payments-client/webhooks'

const receive = createHandler({
  secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  on: {
    'PAYMENT.STATUS': async ({ payment }) => console.log(`${payment.id} is ${payment.status}`),
  },
  onError: (error) => console.error(String(error)),
})

const app = fastify()
app.register(async (scope) => {
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.post('/webhooks', toNodeListener(receive))
})

await app.listen({ port: Number(process.env['PORT'] ?? 3000) })
console.log('listening on', app.server.address())
