import { describe, expect, it } from 'vitest'
import { aPayment, refusal, startSandbox } from '../support/start-sandbox.js'

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

  it('voids a payment of which nothing could be refunded', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    await client.payments.capture(id)
    await client.payments.refund(id)
    sandbox.processor.finishRefund(id, 'FAILED')

    expect((await client.payments.cancel(id)).status).toBe('CANCELLED')
  })

  it('leaves the payment alone when the processor does not accept the void', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.cancelFails }))

    const error = await refusal(client.payments.cancel(id))

    expect(error).toMatchObject({ status: 422, errorId: 'VoidRefused' })
    expect((await client.payments.get(id)).status).toBe('AUTHORIZED')
  })
})
