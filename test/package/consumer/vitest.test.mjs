import { PaymentsClient } from 'payments-client'
import { createSandbox, explore } from 'payments-client/sandbox'
import { PaymentSchema } from 'payments-client/schemas'
import { sign, verify } from 'payments-client/webhooks'
import { expect, it } from 'vitest'
import { takePayment } from './payment-flow.mjs'

it('takes a payment', async () => {
  const result = await takePayment({ PaymentsClient, createSandbox, PaymentSchema, sign, verify })

  expect(result).toEqual({ eventType: 'PAYMENT.STATUS', status: 'SETTLED' })
})

it('explores a program', async () => {
  const { failures } = await explore({
    start: ({ clientOptions }) => new PaymentsClient(clientOptions),
    scenario: (client) => client.payments.list().catch(() => {}),
    budget: 20,
  })

  expect(failures).toEqual([])
})
