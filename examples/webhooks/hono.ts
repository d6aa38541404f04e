// Hono 4: pass the raw request, because Hono's context is not a `Request`.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createHandler } from 'payments-client/webhooks'

const receive = createHandler({
  secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  on: {
    'PAYMENT.STATUS': async ({ payment }) => console.log(`${payment.id} is ${payment.status}`),
  },
  onError: (error) => console.error(String(error)),
})

const app = new Hono()
app.post('/webhooks', (context) => receive(context.req.raw))

serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) }, (address) =>
  console.log('listening on', address),
)
