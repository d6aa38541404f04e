// Next.js 16: a route handler. `secret` is a function, so that `next build` works without secrets.
import { createHandler } from 'payments-client/webhooks'

export const POST = createHandler({
  secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  on: {
    'PAYMENT.STATUS': async ({ payment }) => console.log(`${payment.id} is ${payment.status}`),
  },
  onError: (error) => console.error(String(error)),
})
