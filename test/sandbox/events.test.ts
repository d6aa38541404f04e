import { describe, expect, it } from 'vitest'
import { aPayment, send, startSandbox } from '../support/start-sandbox.js'

describe('PAYMENT.STATUS', () => {
  it('has the state at the time of the change', async () => {
    const { client, sandbox, sentEvents } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    await sandbox.clock.advance('1m')
    await client.payments.capture(id)

    expect(await sentEvents()).toMatchObject([
      { date: '2026-01-31T12:00:00.000Z', payment: { status: 'AUTHORIZED', processor: { amountCaptured: 0 } } },
      { date: '2026-01-31T12:01:00.000Z', payment: { status: 'SETTLED', dateUpdated: '2026-01-31T12:01:00.000000' } },
    ])
  })
})

describe('the version of an event', () => {
  it.each(['2021-09-27', '2.1', '2030-01-01'])('is %s if that version created the payment', async (apiVersion) => {
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
  })
})

describe('DISPUTE.STATUS', () => {
  it('is sent when a dispute is opened and when it changes', async () => {
    const { client, sandbox, sentEvents } = startSandbox()
    const payment = await client.payments.create(aPayment())
    await client.payments.capture(payment.id)

    const id = sandbox.disputes.open(payment.id, { type: 'RETRIEVAL', amount: 100 })
    sandbox.disputes.move(id, 'WON')

    const disputes = (await sentEvents()).filter(({ eventType }) => eventType === 'DISPUTE.STATUS')
    expect(disputes).toEqual([
      {
        eventType: 'DISPUTE.STATUS',
        version: '2021-09-27',
        type: 'RETRIEVAL',
        status: 'OPEN',
        primerAccountId: 'sandbox-account',
        transactionId: payment.transactions?.[0]?.processorTransactionId,
        orderId: 'order-17',
        paymentId: payment.id,
        paymentMethod: { paymentMethodType: 'PAYMENT_CARD', paymentMethodData: { network: 'Visa' } },
        processor: 'SANDBOX',
        processorDisputeId: id,
        receivedAt: '2026-01-31T12:00:00.000Z',
        challengeRequiredBy: '2026-02-14T12:00:00.000Z',
        reason: 'FRAUDULENT',
        reasonCode: '10.4',
        processorReason: 'Other fraud: card-absent environment',
        amount: 100,
        currency: 'EUR',
        merchantId: 'sandbox-merchant',
      },
      expect.objectContaining({ status: 'WON', processorDisputeId: id, amount: 100 }),
    ])
  })

  it('concerns the full amount by default and can change its type', async () => {
    const { client, sandbox, sentEvents } = startSandbox()
    const { id: paymentId } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.paypal }))

    const id = sandbox.disputes.open(paymentId)
    await sandbox.clock.advance('1h')
    sandbox.disputes.move(id, 'LOST', { type: 'PRE_ARBITRATION', amount: 1 })

    const disputes = (await sentEvents()).filter(({ eventType }) => eventType === 'DISPUTE.STATUS')
    expect(disputes).toMatchObject([
      {
        type: 'DISPUTE',
        amount: 5000,
        receivedAt: '2026-01-31T12:00:00.000Z',
        paymentMethod: { paymentMethodType: 'PAYPAL' },
      },
      { type: 'PRE_ARBITRATION', status: 'LOST', amount: 1, receivedAt: '2026-01-31T13:00:00.000Z', paymentId },
    ])
  })

  it('rejects unknown and invalid fields', async () => {
    const { client, sandbox, sentEvents } = startSandbox()
    const { id } = await client.payments.create(aPayment())

    expect(() => sandbox.disputes.open(id, { motive: 'none' } as object)).toThrow('Invalid fields of a dispute: motive')
    expect(() => sandbox.disputes.open(id, { amount: 1.5 })).toThrow('amount must be an integer')
    expect(await sentEvents()).toHaveLength(1)
  })

  it('requires a status', async () => {
    const { client, sandbox, sentEvents } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    const disputeId = sandbox.disputes.open(id)

    expect(() => sandbox.disputes.move(disputeId, '')).toThrow('A dispute needs a status, for example OPEN or WON')
    expect(() => sandbox.disputes.move(disputeId, undefined as unknown as string)).toThrow('needs a status')
    expect(() => sandbox.disputes.move(disputeId, 5 as unknown as string)).toThrow('status must be a string')
    expect(await sentEvents()).toHaveLength(2)
  })

  it('requires an existing payment and dispute', () => {
    const { sandbox } = startSandbox()

    expect(() => sandbox.disputes.open('pay_unknown')).toThrow('There is no payment with this id')
    expect(() => sandbox.disputes.move('dispute_unknown', 'WON')).toThrow('There is no dispute with this id')
  })
})
