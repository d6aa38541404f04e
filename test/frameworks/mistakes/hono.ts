// The usual mistake: the route reads the body before the webhook handler does.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createHandler } from 'payments-client/webhooks'

const receive = createHandler({
  secret: process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  onError: (error) => console.error(String(error)),
})

const app = new Hono()
app.post('/webhooks', async (context) => {
  await context.req.raw.json()
  return receive(context.req.raw)
})
serve({ fetch: app.fetch, port: Number(process.env['PORT']) }, (address) => console.log('listening on', address))
