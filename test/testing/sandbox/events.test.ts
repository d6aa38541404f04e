import { describe, expect, it } from 'vitest'
import { aPayment, send, startSandbox } from '../../support/start-sandbox.js'

describe('the API version of a webhook event', () => {
  it.each(['2021-09-27', '2.1', '2030-01-01'])(
    'sends events of version %s for a payment created with that version',
    async (apiVersion) => {
      const { client, sandbox, sentEvents } = startSandbox()
      const isOld = apiVersion === '2021-09-27'
      const cart = isOld ? { order: { countryCode: 'DE' } } : { orderDetails: { countryCode: 'DE' } }
      const { json } = await send(sandbox, 'POST', '/payments', {
        body: { ...aPayment(), ...cart },
        headers: { 'x-api-version': apiVersion },
      })

      await client.payments.capture(json.id)
      await client.payments.refund(json.id)
      sandbox.processor.finishRefund(json.id, 'SETTLED')
      sandbox.disputes.open(json.id)

      const [status, capture, refund, dispute] = await sentEvents()
      for (const event of [status, capture, refund]) {
        expect(event).toMatchObject({ version: apiVersion, payment: cart })
        expect(event).not.toHaveProperty(isOld ? 'payment.orderDetails' : 'payment.order')
      }
      expect(dispute).toMatchObject({ eventType: 'DISPUTE.STATUS', version: apiVersion })
    },
  )
})
