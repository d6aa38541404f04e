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

describe('payments.cancel', () => {
  it.each([
    ['pending', 'PENDING'],
    ['requires3ds', 'PENDING'],
    ['card', 'AUTHORIZED'],
  ] as const)('voids a payment made with %s, which is %s', async (scenario, status) => {
    const { client, sandbox, sentStatuses } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))

    const payment = await client.payments.cancel(id, { reason: 'The customer changed their mind' })

    expect(payment.status).toBe('CANCELLED')
    expect(payment.requiredAction).toBeUndefined()
    expect(await sentStatuses()).toEqual([status, 'CANCELLED'])
  })

  it('voids what is still settling, captured or not', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    await client.payments.capture(id, { amount: 1000 })

    const payment = await client.payments.cancel(id)

    expect(payment).toMatchObject({ status: 'CANCELLED', processor: { amountCaptured: 0 } })
    expect((await refusal(client.payments.refund(id))).status).toBe(409)
  })

  it('refuses a payment that is settled', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    await client.payments.capture(id)

    const error = await refusal(client.payments.cancel(id))

    expect(error).toMatchObject({ status: 409, errorId: 'InvalidPaymentStatus' })
    expect((await client.payments.get(id)).status).toBe('SETTLED')
  })

  it.each(['declined', 'failed'] as const)('refuses a %s payment', async (scenario) => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))

    expect((await refusal(client.payments.cancel(id))).status).toBe(409)
  })

  it('refuses a payment that was cancelled', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    await client.payments.cancel(id)

    expect((await refusal(client.payments.cancel(id))).status).toBe(409)
  })

  it('refuses a payment of which something was refunded', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    await client.payments.capture(id)
    await client.payments.refund(id, { amount: 1 })

    const error = await refusal(client.payments.cancel(id))

    expect(error).toMatchObject({ status: 409, errorId: 'PaymentAlreadyRefunded' })
  })

  it('leaves the payment alone when the processor does not accept the void', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.cancelFails }))

    const error = await refusal(client.payments.cancel(id))

    expect(error).toMatchObject({ status: 422, errorId: 'VoidRefused' })
    expect((await client.payments.get(id)).status).toBe('AUTHORIZED')
  })
})
