import { describe, expect, it } from 'vitest'
import { leastExternalPayment } from '../../support/external-payment.js'
import { aPayment, refusal, send, startSandbox } from '../../support/start-sandbox.js'

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

  it('creates a balance with the first refund, and lists 100 transactions by default', async () => {
    const { move, balance, sandbox } = startWithBalance()
    for (let count = 0; count < 101; count++) await move(1, 'REFUND')

    const { json } = await send(sandbox, 'GET', '/loyalty-transactions')

    expect(json).toMatchObject({ total: 101, limit: 100, offset: 0 })
    expect(json.items).toHaveLength(100)
    expect(await balance()).toBe(101)
  })

  it('rejects a balance that is not an integer', () => {
    const { sandbox } = startWithBalance()

    expect(() => sandbox.loyalty.setBalance(connectionId, customerId, 1.5)).toThrow(
      new TypeError('points must be an integer'),
    )
  })
})

describe('observability.payments', () => {
  it('changes a record’s id unless another record already has the new id', async () => {
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
