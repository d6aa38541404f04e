/** A shop that uses Express and pino to take, capture and refund a payment, and to receive webhooks. */
const express = require('express')
const { PaymentsClient, webhooks } = require('payments-client')

exports.createShop = ({ apiKey, baseUrl, secret, logger }) => {
  const client = new PaymentsClient({ apiKey, baseUrl, logger })
  const events = []
  const handler = webhooks.createHandler({
    secret,
    on: {
      'PAYMENT.STATUS': async ({ payment }) => {
        logger.info({ paymentId: payment.id, status: payment.status }, 'payment changed')
        events.push(`status ${payment.status}`)
      },
      'PAYMENT.REFUND': async ({ payment }) => {
        logger.info({ paymentId: payment.id }, 'payment refunded')
        events.push('refund')
      },
    },
  })

  const app = express()
  app.post('/webhooks', webhooks.toNodeListener(handler))
  app.use(express.json())
  app.post('/checkout', async (request, response) => {
    const payment = await client.payments.create({ currencyCode: 'EUR', ...request.body })
    logger.info({ paymentId: payment.id }, 'payment created')
    response.json(payment)
  })
  app.post('/payments/:id/capture', async (request, response) => {
    response.json(await client.payments.capture(request.params.id))
  })
  app.post('/payments/:id/refund', async (request, response) => {
    response.json(await client.payments.refund(request.params.id))
  })
  return { app, events }
}
