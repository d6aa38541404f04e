// AWS Lambda: the same handler works behind API Gateway (REST or HTTP), a function URL or a load balancer.
import { createHandler, toLambdaHandler } from 'payments-client/webhooks'

export const handler = toLambdaHandler(
  createHandler({
    secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
    on: {
      'PAYMENT.STATUS': async ({ payment }) => console.log(`${payment.id} is ${payment.status}`),
    },
    onError: (error) => console.error(String(error)),
  }),
)
