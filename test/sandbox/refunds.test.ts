import { describe, expect, it } from 'vitest'
import { latestRefund, remainingRefundable } from '../../src/index.js'
import { aPayment, refusal, startSandbox } from '../support/start-sandbox.js'

async function startWithCapture(amountCaptured: number, scenario: 'card' | 'refundFails' | 'instantRefund' = 'card') {
  const started = startSandbox()
  const { client, sandbox } = started
  const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))
  await client.payments.capture(id, { amount: amountCaptured })
  return { ...started, id }
}

describe('payments.refund', () => {
  it('refunds everything that was captured when no amount is given', async () => {
    const { client, id } = await startWithCapture(3000)

    const payment = await client.payments.refund(id, { orderId: 'return-1', reason: 'Returned' })

    expect(payment).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 3000, amountRefunded: 3000 } })
    expect(latestRefund(payment)).toMatchObject({
      transactionType: 'REFUND',
      amount: 3000,
      currencyCode: 'EUR',
      processorStatus: 'PENDING',
    })
    expect(payment.transactions).toHaveLength(2)
  })

  it('refunds in parts, by default what remains', async () => {
    const { client, id } = await startWithCapture(3000)

    await client.payments.refund(id, { amount: 1000 })
    const payment = await client.payments.refund(id)

    expect(latestRefund(payment)?.amount).toBe(2000)
    expect(remainingRefundable(payment)).toBe(0)
  })

  it('is possible as soon as a part was captured', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    await client.payments.capture(id, { amount: 10 })

    const payment = await client.payments.refund(id)

    expect(payment).toMatchObject({ status: 'SETTLING', processor: { amountRefunded: 10 } })
  })

  it('never refunds more than was captured, pending refunds included', async () => {
    const { client, id, sandbox } = await startWithCapture(3000)
    await client.payments.refund(id, { amount: 2500 })

    const tooMuch = await refusal(client.payments.refund(id, { amount: 501 }))
    await client.payments.refund(id, { amount: 500 })
    const nothingLeft = await refusal(client.payments.refund(id))

    expect(tooMuch).toMatchObject({ status: 422, errorId: 'RefundExceedsCapturedAmount', paymentId: id })
    expect(nothingLeft.status).toBe(422)
    expect(sandbox.ledger.filter(({ operation }) => operation === 'payments.refund')).toHaveLength(2)
  })

  it('refuses to refund nothing', async () => {
    const { client, id } = await startWithCapture(3000)

    expect((await refusal(client.payments.refund(id, { amount: 0 }))).status).toBe(400)
  })

  it('refuses a payment of which nothing was captured', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment())

    expect(await refusal(client.payments.refund(id))).toMatchObject({ status: 409, errorId: 'InvalidPaymentStatus' })
  })

  it('ends when the processor says so, and tells of it', async () => {
    const { client, id, sandbox, sentEvents } = await startWithCapture(3000)
    await client.payments.refund(id)
    const before = (await sentEvents()).map(({ eventType }) => eventType)

    sandbox.processor.finishRefund(id, 'SETTLED')

    const event = (await sentEvents()).at(-1)
    expect(before).not.toContain('PAYMENT.REFUND')
    expect(event).toMatchObject({ eventType: 'PAYMENT.REFUND', payment: { id, status: 'SETTLED' } })
    const refund = latestRefund(await client.payments.get(id))
    expect(refund?.processorStatus).toBe('SETTLED')
    expect(refund).not.toHaveProperty('processorStatusReason')
  })

  it('stays pending when the payment moves', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    await client.payments.capture(id)
    await client.payments.refund(id)

    sandbox.processor.settle(id)

    expect(await client.payments.get(id)).toMatchObject({
      status: 'SETTLED',
      transactions: [{ processorStatus: 'SETTLED' }, { transactionType: 'REFUND', processorStatus: 'PENDING' }],
    })
  })

  it('gives the amount free again when it fails', async () => {
    const { client, id, sandbox } = await startWithCapture(3000)
    await client.payments.refund(id)

    sandbox.processor.finishRefund(id, 'FAILED')

    const payment = await client.payments.get(id)
    expect(latestRefund(payment)).toMatchObject({ processorStatus: 'FAILED', processorStatusReason: { code: 'ERROR' } })
    expect(payment.processor?.amountRefunded).toBe(0)
    expect((await client.payments.refund(id)).processor?.amountRefunded).toBe(3000)
  })

  it('ends one after the other, and each event has its own refund as the most recent one', async () => {
    const { client, id, sandbox, sentEvents } = await startWithCapture(3000)
    await client.payments.refund(id, { amount: 1 })
    await client.payments.refund(id, { amount: 2 })

    sandbox.processor.finishRefund(id, 'SETTLED')
    sandbox.processor.finishRefund(id, 'FAILED')

    const refunds = (await sentEvents()).flatMap((event) =>
      event.eventType === 'PAYMENT.REFUND' ? [latestRefund(event.payment)] : [],
    )
    expect(refunds).toMatchObject([
      { amount: 1, processorStatus: 'SETTLED' },
      { amount: 2, processorStatus: 'FAILED' },
    ])
  })

  it.each([
    ['instantRefund', 'SETTLED', 3000],
    ['refundFails', 'FAILED', 0],
  ] as const)('ends at once with %s', async (scenario, processorStatus, amountRefunded) => {
    const { client, id, sentEvents } = await startWithCapture(3000, scenario)

    const payment = await client.payments.refund(id)

    expect(latestRefund(payment)?.processorStatus).toBe(processorStatus)
    expect(payment.processor?.amountRefunded).toBe(amountRefunded)
    expect((await sentEvents()).at(-1)?.eventType).toBe('PAYMENT.REFUND')
  })

  it('cannot end when none is pending, or none any more', async () => {
    const { client, id, sandbox } = await startWithCapture(3000)

    expect(() => sandbox.processor.finishRefund(id, 'SETTLED')).toThrow('The payment has no pending refund')
    await client.payments.refund(id)
    sandbox.processor.finishRefund(id, 'SETTLED')
    expect(() => sandbox.processor.finishRefund(id, 'SETTLED')).toThrow('The payment has no pending refund')
  })
})
