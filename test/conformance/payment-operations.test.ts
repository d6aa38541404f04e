import { expect, it } from 'vitest'
import { latestRefund } from '../../src/index.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService, type Start } from './service.js'

async function startWith(start: Start, scenario: 'card' | 'pending' | 'requires3ds', changes = {}) {
  const service = await start()
  const paymentMethodToken = service.sandbox.tokens[scenario]
  const payment = await service.client.payments.create(aPayment({ paymentMethodToken, ...changes }))
  return { ...service, id: payment.id }
}

async function startWithCapture(start: Start, amount: number) {
  const started = await startWith(start, 'card')
  await started.client.payments.capture(started.id, { amount })
  return started
}

describeService('POST /payments/:id/authorize', (start) => {
  it('the service authorizes a payment with the given processor', async () => {
    const { client, id } = await startWith(start, 'pending')
    const processor = { name: 'OTHER', processorMerchantId: 'merchant-b' }

    expect(await client.payments.authorize(id, { processor })).toMatchObject({ status: 'AUTHORIZED', processor })
  })

  it('the service requires the merchant ID of the processor that authorizes a payment', async () => {
    const { ask, id } = await startWith(start, 'pending')

    const asked = await ask('POST', `/payments/${id}/authorize`, { processor: { name: 'OTHER' } })

    expect(asked).toMatchObject({ status: 400, fields: ['$.processor.processorMerchantId'] })
  })

  it('the service requires the processor’s name if processors share a merchant ID', async () => {
    const { client, sandbox, id } = await startWith(start, 'pending')
    const shared = { processorMerchantId: 'shared-merchant' }

    const error = await refusal(client.payments.authorize(id, { processor: shared }))
    const payment = await client.payments.authorize(id, { processor: { ...shared, name: 'OTHER' } })
    const { id: other } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))
    const unshared = await client.payments.authorize(other, { processor: { processorMerchantId: 'merchant-b' } })

    expect(error.validationErrors).toMatchObject([{ errors: [{ path: '$.processor.name' }] }])
    expect([payment, unshared].map(({ status }) => status)).toEqual(['AUTHORIZED', 'AUTHORIZED'])
  })
})

describeService('POST /payments/:id/capture', (start) => {
  it('the service captures an authorized payment in parts or in full', async () => {
    const { client, id } = await startWith(start, 'card')
    const other = await client.payments.create(aPayment())

    await client.payments.capture(id, { amount: 2000 })
    const parts = await client.payments.capture(id, { amount: 1000 })
    const whole = await client.payments.capture(other.id, { amount: 5000 })

    expect([parts, whole].map(({ processor }) => processor?.amountCaptured)).toEqual([3000, 5000])
  })

  it('the service captures the full amount if the request has no body', async () => {
    const { client, requests, id } = await startWith(start, 'card')

    const { processor } = await client.payments.capture(id)

    expect(processor?.amountCaptured).toBe(5000)
    expect(requests[1]?.body).toBeNull()
  })

  it('the service captures the rest by default, and rejects more than the rest', async () => {
    const { client, sandbox, id } = await startWith(start, 'card', { currencyCode: 'JPY' })

    await client.payments.capture(id, { amount: 2000 })
    const error = await refusal(client.payments.capture(id, { amount: 3001 }))
    const { processor, currencyCode } = await client.payments.capture(id, {})

    expect(error.outcome).toBe('rejected')
    expect({ processor, currencyCode }).toMatchObject({ processor: { amountCaptured: 5000 }, currencyCode: 'JPY' })
    expect(
      sandbox.ledger.flatMap(({ amount = 0, operation }) => (operation.endsWith('capture') ? [amount] : [])),
    ).toEqual([2000, 3000])
  })

  it('the service rejects captures after a capture with final: true', async () => {
    const { client, id } = await startWith(start, 'card')
    await client.payments.capture(id, { amount: 1000, final: false })
    await client.payments.capture(id, { amount: 1000, final: true })

    const error = await refusal(client.payments.capture(id, { amount: 1000 }))

    expect(error.outcome).toBe('rejected')
    expect((await client.payments.get(id)).processor?.amountCaptured).toBe(2000)
  })

  it('the service stores the order of a capture in the payment', async () => {
    const { client, id } = await startWith(start, 'card')
    const order = { lineItems: [{ itemId: 'a', amount: 1000 }], shipping: { amount: 50 } }

    const payment = await client.payments.capture(id, { amount: 1050, order })

    expect(payment.order).toEqual(order)
  })
})

describeService('POST /payments/:id/cancel', (start) => {
  it('the service cancels an authorized payment', async () => {
    const { client, id, statuses } = await startWith(start, 'card')

    const { status } = await client.payments.cancel(id)

    expect(status).toBe('CANCELLED')
    expect(await statuses()).toEqual(['AUTHORIZED', 'CANCELLED'])
  })

  it('the service accepts a cancellation with a reason, or without a body', async () => {
    const { client, requests, id } = await startWith(start, 'card')
    const other = await client.payments.create(aPayment())

    const cancelled = [
      await client.payments.cancel(id, { reason: 'The customer changed their mind' }),
      await client.payments.cancel(other.id),
    ]

    expect(cancelled.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED'])
    expect(await requests[2]?.json()).toEqual({ reason: 'The customer changed their mind' })
    expect(requests[3]?.body).toBeNull()
  })
})

describeService('POST /payments/:id/refund', (start) => {
  it('the service refunds the remaining amount by default', async () => {
    const { client, id } = await startWithCapture(start, 3000)
    await client.payments.refund(id, { amount: 1000 })

    const payment = await client.payments.refund(id)

    expect(latestRefund(payment)?.amount).toBe(2000)
    expect(payment.processor?.amountRefunded).toBe(3000)
  })

  it('the service accepts a refund with an empty body, or without a body', async () => {
    const { client, requests, id } = await startWithCapture(start, 3000)
    const other = await client.payments.create(aPayment())
    await client.payments.capture(other.id)

    const refunds = [await client.payments.refund(id, {}), await client.payments.refund(other.id)]

    expect(refunds.map(({ processor }) => processor?.amountRefunded)).toEqual([3000, 5000])
    expect(requests.at(-1)?.body).toBeNull()
  })

  it('the service allows a partial refund, and rejects a refund that exceeds the rest', async () => {
    const { client, id } = await startWithCapture(start, 3000)

    const payment = await client.payments.refund(id, { amount: 2500 })
    const error = await refusal(client.payments.refund(id, { amount: 501 }))

    expect(latestRefund(payment)?.amount).toBe(2500)
    expect(error).toMatchObject({ outcome: 'rejected', paymentId: id })
  })

  it('the service accepts an order id for a refund, and keeps the payment’s order id', async () => {
    const { client, requests, id } = await startWithCapture(start, 3000)

    const own = await client.payments.refund(id, { amount: 1, orderId: 'return-1' })
    const sent = await requests.at(-1)?.json()
    const original = await client.payments.refund(id, { amount: 1 })

    expect([own, original].map(({ orderId }) => orderId)).toEqual(['order-17', 'order-17'])
    expect(sent).toEqual({ amount: 1, orderId: 'return-1' })
  })

  it('the service accepts a refund reason for the merchant’s records', async () => {
    const { client, requests, id } = await startWithCapture(start, 3000)

    const { processor } = await client.payments.refund(id, { reason: 'Returned' })

    expect(processor?.amountRefunded).toBe(3000)
    expect(await requests.at(-1)?.json()).toEqual({ reason: 'Returned' })
  })
})

describeService('POST /payments/:id/adjust-authorization', (start) => {
  it('the service adjusts an estimated amount if the payment method supports it', async () => {
    const { client, sandbox } = await start()
    const { estimated, card } = sandbox.tokens
    const paymentMethod = { authorizationType: 'ESTIMATED' }
    const payments = [
      await client.payments.create(aPayment({ paymentMethodToken: estimated, paymentMethod })),
      await client.payments.create(aPayment({ paymentMethodToken: estimated })),
      await client.payments.create(aPayment({ paymentMethodToken: card, paymentMethod })),
    ]

    const outcomes = payments.map(({ id }) =>
      client.payments.adjustAuthorization(id, { amount: 700 }).then(
        ({ amount }) => amount,
        ({ outcome }) => outcome,
      ),
    )

    expect(await Promise.all(outcomes)).toEqual([700, 'rejected', 'rejected'])
  })

  it('the service requires the adjusted amount, and the next capture charges it', async () => {
    const { client, sandbox, ask } = await start()
    const paymentMethod = { authorizationType: 'ESTIMATED' }
    const body = aPayment({ paymentMethodToken: sandbox.tokens.estimated, paymentMethod })
    const { id } = await client.payments.create(body)

    const adjusted = await client.payments.adjustAuthorization(id, { amount: 6200 })
    const captured = await client.payments.capture(id)
    const asked = await ask('POST', `/payments/${id}/adjust-authorization`, {})

    expect(adjusted.amount).toBe(6200)
    expect(captured.processor?.amountCaptured).toBe(6200)
    expect(asked).toMatchObject({ status: 400, fields: ['$.amount'] })
  })
})

describeService('POST /payments/:id/resume', (start) => {
  it('the service resumes a payment after the customer’s action', async () => {
    const { client, sandbox, id, statuses } = await startWith(start, 'requires3ds')

    const payment = await client.payments.resume(id, { resumeToken: sandbox.completeAction(id) })

    expect(payment.status).toBe('AUTHORIZED')
    expect(await statuses()).toEqual(['PENDING', 'AUTHORIZED'])
  })

  it('the service requires the resume token from the checkout', async () => {
    const { client, ask, id } = await startWith(start, 'requires3ds')

    const asked = await ask('POST', `/payments/${id}/resume`, {})
    const invented = await refusal(client.payments.resume(id, { resumeToken: 'resume_unknown' }))

    expect(asked).toMatchObject({ status: 400, fields: ['$.resumeToken'] })
    expect(invented.outcome).toBe('rejected')
    expect((await client.payments.get(id)).status).toBe('PENDING')
  })
})
