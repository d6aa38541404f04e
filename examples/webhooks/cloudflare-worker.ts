// Cloudflare Workers: secrets are in `env`, so the first request creates the handler.
import { createHandler, type WebhookHandler } from 'payments-client/webhooks'

interface Env {
  PAYMENTS_WEBHOOK_SECRET: string
}

let receive: WebhookHandler | undefined

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    receive ??= createHandler({
      secret: env.PAYMENTS_WEBHOOK_SECRET,
      on: {
        'PAYMENT.STATUS': async ({ payment }) => console.log(`${payment.id} is ${payment.status}`),
      },
      onError: (error) => console.error(String(error)),
    })
    return receive(request)
  },
}
