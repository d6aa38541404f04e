import { describe, expect, it } from 'vitest'
import { aPayment, refusal, startSandbox } from '../support/start-sandbox.js'

describe('payments.capture', () => {
  it('captures everything authorized when no amount is given', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment({ amount: 700 }))

    const payment = await client.payments.capture(id)

    expect(payment).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 700 } })
  })

  it('leaves the payment settling where the payment method takes its time', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))

    const captured = await client.payments.capture(id)
    sandbox.processor.settle(id)

    expect(captured).toMatchObject({ status: 'SETTLING', processor: { amountCaptured: 5000 } })
    expect(await client.payments.get(id)).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 5000 } })
  })

  it('captures in parts until nothing is left', async () => {
    const { client, sentStatuses } = startSandbox()
    const { id } = await client.payments.create(aPayment({ amount: 5000 }))

    const first = await client.payments.capture(id, { amount: 2000 })
    const rest = await client.payments.capture(id)
    const tooMuch = await refusal(client.payments.capture(id, { amount: 1 }))

    expect(first).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 2000 } })
    expect(rest).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 5000 } })
    expect(tooMuch).toMatchObject({ status: 409, errorId: 'FinalCaptureAlreadyMade', paymentId: id })
    expect(await sentStatuses()).toEqual(['AUTHORIZED', 'SETTLED'])
  })

  it('allows no capture after the final one', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ amount: 5000 }))
    await client.payments.capture(id, { amount: 2000, final: true })

    const error = await refusal(client.payments.capture(id, { amount: 100 }))

    expect(error).toMatchObject({ status: 409, errorId: 'FinalCaptureAlreadyMade', outcome: 'rejected' })
    expect(sandbox.ledger.filter(({ operation }) => operation === 'payments.capture')).toHaveLength(1)
  })

  it('never captures more than was authorized', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment({ amount: 5000 }))
    await client.payments.capture(id, { amount: 3000 })

    const error = await refusal(client.payments.capture(id, { amount: 2001 }))

    expect(error).toMatchObject({ status: 422, errorId: 'CaptureExceedsAuthorizedAmount' })
    expect((await client.payments.get(id)).processor?.amountCaptured).toBe(3000)
  })

  it('refuses to capture nothing', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment())

    const error = await refusal(client.payments.capture(id, { amount: 0 }))

    expect(error.status).toBe(400)
  })

  it('captures a payment of 0', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment({ amount: 0 }))

    const payment = await client.payments.capture(id)

    expect(payment).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 0 } })
  })

  it('lets only those processors capture in part that support it', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.fullCaptureOnly }))

    const error = await refusal(client.payments.capture(id, { amount: 1 }))
    const payment = await client.payments.capture(id)

    expect(error).toMatchObject({ status: 422, errorId: 'PartialCaptureNotSupported' })
    expect(payment.status).toBe('SETTLED')
  })

  it('may fail at the processor', async () => {
    const { client, sandbox, sentStatuses } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.failsOnCapture }))

    const payment = await client.payments.capture(id)

    expect(payment).toMatchObject({
      status: 'FAILED',
      statusReason: { type: 'APPLICATION_ERROR' },
      processor: { amountCaptured: 0 },
    })
    expect(await sentStatuses()).toEqual(['AUTHORIZED', 'FAILED'])
  })

  it('takes over what the capture says about the order', async () => {
    const { client, client21 } = startSandbox()
    const order = { countryCode: 'DE', lineItems: [{ itemId: 'a', amount: 5000 }] }
    const { id } = await client.payments.create(aPayment({ order }))

    await client.payments.capture(id, { amount: 1, order: { shipping: { amount: 3 } } })
    const payment = await client21.payments.capture(id, { amount: 1, lineItems: [{ itemId: 'b' }] })

    expect(payment).toMatchObject({
      lineItems: [{ itemId: 'b' }],
      orderDetails: { countryCode: 'DE', shipping: { amount: 3 } },
    })
  })

  it.each(['declined', 'failed', 'pending', 'requires3ds'] as const)('refuses a %s payment', async (scenario) => {
    const { client, sandbox } = startSandbox()
    const payment = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))

    const error = await refusal(client.payments.capture(payment.id))

    expect(error).toMatchObject({ status: 409, errorId: 'InvalidPaymentStatus', paymentId: payment.id })
    expect(await client.payments.get(payment.id)).toEqual(payment)
  })
})
