import { describe, expect, it } from 'vitest'
import { leastExternalPayment } from '../support/external-payment.js'
import { aPayment, refusal, send, startSandbox } from '../support/start-sandbox.js'

describe('observability.payments.create', () => {
  it('records a payment made elsewhere', async () => {
    const { client, sandbox } = startSandbox()

    const payment = await client.observability.payments.create({
      ...leastExternalPayment,
      status: 'SETTLED',
      metadata: { a: 1 },
    })

    expect(payment).toEqual({ ...leastExternalPayment, status: 'SETTLED', metadata: { a: 1 } })
    expect(sandbox.ledger).toMatchObject([
      { operation: 'observability.payments.create', resourceId: 'external-1', amount: 5000 },
    ])
  })

  it('refuses a paymentId that was recorded before', async () => {
    const { client, sandbox } = startSandbox()
    await client.observability.payments.create(leastExternalPayment)

    const error = await refusal(client.observability.payments.create({ ...leastExternalPayment, amount: 1 }))

    expect(error).toMatchObject({ status: 409, errorId: 'ExternalPaymentAlreadyExists' })
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('refuses payments that were made here', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment())

    const error = await refusal(client.observability.payments.create({ ...leastExternalPayment, paymentId: id }))

    expect(error).toMatchObject({ status: 409, errorId: 'PaymentMadeHere', paymentId: id })
  })

  it.each(Object.keys(leastExternalPayment))('needs %s', async (field) => {
    const { sandbox } = startSandbox()

    const { status, json } = await send(sandbox, 'POST', '/observability/payments', {
      body: { ...leastExternalPayment, [field]: undefined },
    })

    expect(status).toBe(400)
    expect(json.error.validationErrors[0].errors[0].path).toBe(`$.${field}`)
  })
})

describe('observability.payments.update', () => {
  it('changes what is passed, nested fields on their own, and returns the whole record', async () => {
    const { client } = startSandbox()
    await client.observability.payments.create({ ...leastExternalPayment, metadata: { a: 1, b: 2 } })

    const payment = await client.observability.payments.update('external-1', {
      processor: { name: 'ANOTHER' },
      metadata: { b: 3 },
      status: 'DECLINED',
    })

    expect(payment).toEqual({
      ...leastExternalPayment,
      processor: { name: 'ANOTHER' },
      metadata: { a: 1, b: 3 },
      status: 'DECLINED',
    })
    expect(await client.observability.payments.update('external-1', {})).toEqual(payment)
  })

  it('is the same in both versions', async () => {
    const { client, client21 } = startSandbox()

    const payment = await client21.observability.payments.create(leastExternalPayment)

    expect(payment).toEqual(leastExternalPayment)
    expect(await client.observability.payments.update('external-1', {})).toEqual(leastExternalPayment)
  })

  it('refuses to change when the payment was made', async () => {
    const { client, sandbox } = startSandbox()
    await client.observability.payments.create(leastExternalPayment)

    const { status, json } = await send(sandbox, 'PATCH', '/observability/payments/external-1', {
      body: { createdAt: leastExternalPayment.createdAt },
    })

    expect(status).toBe(400)
    expect(json.error.validationErrors[0].errors[0].path).toBe('$.createdAt')
  })

  it('can rename a record, but not to a name that is taken', async () => {
    const { client } = startSandbox()
    await client.observability.payments.create(leastExternalPayment)
    await client.observability.payments.create({ ...leastExternalPayment, paymentId: 'external-2' })

    const taken = await refusal(client.observability.payments.update('external-1', { paymentId: 'external-2' }))
    const renamed = await client.observability.payments.update('external-1', { paymentId: 'external-3' })
    const gone = await refusal(client.observability.payments.update('external-1', {}))

    expect(taken.status).toBe(409)
    expect(renamed.paymentId).toBe('external-3')
    expect(gone).toMatchObject({ status: 404, errorId: 'ExternalPaymentNotFound' })
  })

  it('does not know the payments that were made here', async () => {
    const { client } = startSandbox()
    const { id } = await client.payments.create(aPayment())

    expect((await refusal(client.observability.payments.update(id, {}))).status).toBe(404)
  })
})
