import { expect, it } from 'vitest'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService } from './service.js'

describeService('States and transitions', (start) => {
  it('the service returns payments in all seven statuses', async () => {
    const { client, sandbox } = await start()
    const create = (scenario: keyof typeof sandbox.tokens) =>
      client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))

    const payments = [
      await create('pending'),
      await create('card'),
      await client.payments.capture((await create('slowSettlement')).id),
      await client.payments.capture((await create('card')).id),
      await create('declined'),
      await create('failed'),
      await client.payments.cancel((await create('card')).id),
    ]

    const statuses = ['PENDING', 'AUTHORIZED', 'SETTLING', 'SETTLED', 'DECLINED', 'FAILED', 'CANCELLED']
    expect(payments.map(({ status }) => status)).toEqual(statuses)
    expect((await client.payments.list({ status: statuses })).data).toHaveLength(7)
  })

  it('the service reports pending, settled and failed transactions', async () => {
    const { client, sandbox } = await start()
    const { id } = await client.payments.create(aPayment())
    await client.payments.capture(id)

    await client.payments.refund(id, { amount: 1 })
    sandbox.processor.finishRefund(id, 'FAILED')
    const { transactions = [] } = await client.payments.refund(id, { amount: 2 })

    expect(transactions.map(({ processorStatus }) => processorStatus)).toEqual(['SETTLED', 'FAILED', 'PENDING'])
  })

  it('the service cancels a payment in every status before SETTLED', async () => {
    const { client, sandbox } = await start()
    const { pending, requires3ds, card, slowSettlement } = sandbox.tokens
    const tokens = [pending, requires3ds, card, slowSettlement]
    const payments = await Promise.all(
      tokens.map((paymentMethodToken) => client.payments.create(aPayment({ paymentMethodToken }))),
    )
    const before = payments.map(({ status }) => status)
    const settling = await client.payments.capture(payments[3]?.id as string)

    const cancelled = await Promise.all(payments.map(({ id }) => client.payments.cancel(id)))

    expect([...before, settling.status]).toEqual(['PENDING', 'PENDING', 'AUTHORIZED', 'AUTHORIZED', 'SETTLING'])
    expect(cancelled.map(({ status }) => status)).toEqual(Array(4).fill('CANCELLED'))
  })

  it('the service rejects the cancellation of a settled payment', async () => {
    const { client } = await start()
    const { id } = await client.payments.create(aPayment())
    await client.payments.capture(id)

    expect(await refusal(client.payments.cancel(id))).toMatchObject({ outcome: 'rejected', paymentId: id })
    expect((await client.payments.get(id)).status).toBe('SETTLED')
  })

  it('the service keeps the payment’s status if the processor rejects the cancellation', async () => {
    const { client, sandbox } = await start()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.cancelFails }))

    expect(await refusal(client.payments.cancel(id))).toMatchObject({ outcome: 'rejected', paymentId: id })
    expect((await client.payments.get(id)).status).toBe('AUTHORIZED')
  })

  it('the service resets the captured amount to 0 after a cancellation', async () => {
    const { client, sandbox } = await start()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.slowSettlement }))
    await client.payments.capture(id, { amount: 1000 })

    const { processor, transactions } = await client.payments.cancel(id)

    expect(processor).toMatchObject({ amountCaptured: 0 })
    expect(transactions).toMatchObject([{ transactionType: 'SALE', processorStatus: 'CANCELLED' }])
    expect(await refusal(client.payments.capture(id))).toMatchObject({ outcome: 'rejected' })
    expect(await refusal(client.payments.refund(id))).toMatchObject({ outcome: 'rejected' })
  })

  it('the service settles captured card payments immediately, and other payments later', async () => {
    const { client, sandbox } = await start()
    const [card, klarna] = [
      await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.card })),
      await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.klarna })),
    ]

    const captures = [
      await client.payments.capture(card.id),
      await client.payments.capture(klarna.id, { amount: 1000 }),
    ]

    expect(captures.map(({ status }) => status)).toEqual(['SETTLED', 'SETTLING'])
  })

  it('the service allows partial captures only if the processor supports them', async () => {
    const { client, sandbox } = await start()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.fullCaptureOnly }))

    const error = await refusal(client.payments.capture(id, { amount: 1000 }))
    const captured = await client.payments.capture(id)

    expect(error).toMatchObject({ outcome: 'rejected', paymentId: id })
    expect(captured).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 5000 } })
  })

  it('the service settles an authorized payment when the processor confirms', async () => {
    const { client, sandbox, statuses } = await start()
    const { id } = await client.payments.create(aPayment())

    sandbox.processor.settle(id)

    expect(await client.payments.get(id)).toMatchObject({ status: 'SETTLED', processor: { amountCaptured: 5000 } })
    expect(await statuses()).toEqual(['AUTHORIZED', 'SETTLED'])
  })

  it('the service sends the events of status changes in order', async () => {
    const { client, sandbox, statuses } = await start()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.pending }))

    sandbox.processor.authorize(id)
    sandbox.processor.settle(id)

    expect(await statuses()).toEqual(['PENDING', 'AUTHORIZED', 'SETTLED'])
  })

  it('the service returns a status reason for a declined or failed payment', async () => {
    const { client, sandbox, events } = await start()
    const reason = { type: expect.any(String), message: expect.any(String) }

    const declined = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.declined }))
    const failed = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.failed }))

    expect([declined, failed]).toMatchObject([
      { status: 'DECLINED', statusReason: reason },
      { status: 'FAILED', statusReason: reason },
    ])
    expect(await events()).toMatchObject(Array(2).fill({ payment: { statusReason: reason } }))
  })
})
