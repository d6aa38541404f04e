// The usual mistake: the worker reads the body before the webhook handler does.
import { createHandler } from 'payments-client/webhooks'

export default {
  async fetch(request: Request, env: { PAYMENTS_WEBHOOK_SECRET: string }): Promise<Response> {
    await request.json()
    const onError = (error: unknown) => console.error(String(error))
    return createHandler({ secret: env.PAYMENTS_WEBHOOK_SECRET, onError })(request)
  },
}
