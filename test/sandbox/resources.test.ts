import { describe, expect, it } from 'vitest'
import { leastExternalPayment } from '../support/external-payment.js'
import { aPayment, refusal, send, startSandbox } from '../support/start-sandbox.js'

const connectionId = 'connection-1'
const customerId = 'customer-1'

describe('the sandbox’s loyalty endpoints', () => {
  function startWithBalance(points?: number) {
    const started = startSandbox()
    if (points !== undefined) started.sandbox.loyalty.setBalance(connectionId, customerId, points)
    const move = (value: number, type?: 'REDEMPTION' | 'REFUND') =>
      started.client.loyalty.transactions.create({ connectionId, customerId, orderId: 'a', value, type })
    const balance = async () => (await started.client.loyalty.customers.get(customerId, { connectionId })).balance
    return { ...started, move, balance }
  }

  it('redeem points by default', async () => {
    const { move, balance } = startWithBalance(100)

    expect(await move(100)).toMatchObject({
      id: expect.stringMatching(/^loyalty_/),
      date: '2026-01-31T12:00:00.000000',
      connectionTransactionId: expect.stringMatching(/^provider_/),
      connectionName: 'Sandbox Loyalty',
      type: 'REDEMPTION',
    })
    expect(await balance()).toBe(0)
  })

  it('create a customer’s balance with the first refund, and list 100 transactions by default', async () => {
    const { move, balance, sandbox } = startWithBalance()
    for (let count = 0; count < 101; count++) await move(1, 'REFUND')

    const { json } = await send(sandbox, 'GET', '/loyalty-transactions')

    expect(json).toMatchObject({ total: 101, limit: 100, offset: 0 })
    expect(json.items).toHaveLength(100)
    expect(await balance()).toBe(101)
  })

  it('reject a balance that is not an integer', () => {
    const { sandbox } = startWithBalance()

    expect(() => sandbox.loyalty.setBalance(connectionId, customerId, 1.5)).toThrow(
      new TypeError('points must be an integer'),
    )
  })
})

describe('observability.payments', () => {
  it('merges changes and returns the whole record in both API versions', async () => {
    const { client, client21 } = startSandbox()
    await client.observability.payments.create({ ...leastExternalPayment, metadata: { a: 1, b: 2 } })

    const payment = await client.observability.payments.update('external-1', {
      processor: { name: 'ANOTHER' },
      metadata: { b: 3 },
      status: 'DECLINED',
    })

    const expected = { processor: { name: 'ANOTHER' }, metadata: { a: 1, b: 3 }, status: 'DECLINED' }
    expect(payment).toEqual({ ...leastExternalPayment, ...expected })
    expect(await client21.observability.payments.update('external-1', {})).toEqual(payment)
  })

  it('changes a record’s id unless the new id is in use', async () => {
    const { client } = startSandbox()
    await client.observability.payments.create(leastExternalPayment)
    await client.observability.payments.create({ ...leastExternalPayment, paymentId: 'external-2' })
    const { id } = await client.payments.create(aPayment())

    const errors = [
      await refusal(client.observability.payments.update('external-1', { paymentId: 'external-2' })),
      await refusal(client.observability.payments.update('external-1', { paymentId: id })),
    ]
    const renamed = await client.observability.payments.update('external-1', { paymentId: 'external-3' })

    expect(errors.map(({ httpStatus }) => httpStatus)).toEqual([409, 409])
    expect(renamed.paymentId).toBe('external-3')
    expect((await refusal(client.observability.payments.update('external-1', {}))).httpStatus).toBe(404)
    expect((await refusal(client.observability.payments.update(id, {}))).httpStatus).toBe(404)
  })
})
