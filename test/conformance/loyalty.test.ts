import { expect, it } from 'vitest'
import type { CreateLoyaltyTransactionBody } from '../../src/core/schemas/loyalty.js'
import { loyaltyTransaction } from '../support/responses/loyalty.js'
import { refusal } from '../support/start-sandbox.js'
import { describeService, type Start } from './service.js'

const connectionId = 'connection-1'
const redemption = { connectionId, customerId: 'member-1', orderId: 'order-17', value: 30 }

async function startWithPoints(start: Start) {
  const service = await start()
  service.sandbox.loyalty.setBalance(connectionId, 'member-1', 1000)
  const balance = async () => (await service.client.loyalty.customers.get('member-1', { connectionId })).balance
  return { ...service, transactions: service.client.loyalty.transactions, balance }
}

/** Starts a sandbox with five redemptions of 1 to 5 points. The second and fourth belong to another order. */
async function startWithTransactions(start: Start) {
  const started = await startWithPoints(start)
  for (const value of [1, 2, 3, 4, 5]) {
    await started.transactions.create({ ...redemption, value, orderId: value % 2 ? 'order-17' : 'order-18' })
  }
  return started
}

describeService('Loyalty transaction (beta)', (start) => {
  it.each<[title: string, expected: object]>([
    ['the service returns a unique id for each loyalty transaction', { id: expect.any(String) }],
    ['the service returns every field of the request for a loyalty transaction', redemption],
    [
      'the service returns the creation time of a loyalty transaction in UTC',
      { date: expect.stringMatching(/^2026-01-31T12:00:00[.0]*$/) },
    ],
    [
      'the service returns the loyalty provider’s transaction id and name',
      { connectionTransactionId: expect.any(String), connectionName: expect.any(String) },
    ],
  ])('%s', async (_, expected) => {
    const { transactions } = await startWithPoints(start)

    const created = await transactions.create(redemption)
    const other = await transactions.create(redemption)

    expect(created).toMatchObject(expected)
    expect(Object.keys(created).sort()).toEqual(Object.keys(loyaltyTransaction).sort())
    expect(new Set([created.id, other.id, created.connectionTransactionId, other.connectionTransactionId]).size).toBe(4)
  })

  it('the service accepts loyalty transactions of the types REDEMPTION and REFUND', async () => {
    const { transactions, ask } = await startWithPoints(start)

    const types = [
      await transactions.create({ ...redemption, type: 'REDEMPTION' }),
      await transactions.create({ ...redemption, type: 'REFUND' }),
      await transactions.create(redemption),
    ].map(({ type }) => type)
    const other = await ask('POST', '/loyalty-transactions', { ...redemption, type: 'GIFT' })

    expect(types).toEqual(['REDEMPTION', 'REFUND', 'REDEMPTION'])
    expect(other).toMatchObject({ status: 400, fields: ['$.type'] })
  })
})

describeService('POST /loyalty-transactions (beta)', (start) => {
  it('the service subtracts redeemed points and adds refunded points', async () => {
    const { transactions, balance } = await startWithPoints(start)

    await transactions.create({ ...redemption, type: 'REDEMPTION' })
    const after = await balance()
    await transactions.create({ ...redemption, value: 20, type: 'REFUND' })

    expect([after, await balance()]).toEqual([970, 990])
  })

  it('the service requires a connection, a customer, an order and a number of points', async () => {
    const { transactions, ask, balance } = await startWithPoints(start)
    const names = Object.keys(redemption)

    const rejected = await Promise.all(
      names.map(async (name) => {
        const body = { ...redemption, [name]: undefined } as unknown as CreateLoyaltyTransactionBody
        const error = await refusal(transactions.create(body))
        const asked = await ask('POST', '/loyalty-transactions', body)
        return [error.outcome, asked.fields]
      }),
    )

    expect(rejected).toEqual(names.map((name) => ['not_sent', [`$.${name}`]]))
    expect(await balance()).toBe(1000)
  })
})

describeService('GET /loyalty-transactions (beta)', (start) => {
  it('the service filters loyalty transactions by connection, customer and order', async () => {
    const { transactions } = await startWithTransactions(start)
    const find = async (params: object) => (await transactions.list(params)).data.map(({ value }) => value)

    expect(await find({ connectionId })).toEqual([1, 2, 3, 4, 5])
    expect(await find({ connectionId: 'connection-2' })).toEqual([])
    expect(await find({ customerId: 'member-1', orderId: 'order-18' })).toEqual([2, 4])
    expect(await find({ customerId: 'member-2' })).toEqual([])
  })

  it('the service accepts an offset and a limit for a list of loyalty transactions', async () => {
    const { transactions, requests } = await startWithTransactions(start)

    const page = await transactions.list({ limit: 2, offset: 1 })
    const { search } = new URL(requests.at(-1)?.url ?? '')
    const all = await transactions.list({ limit: 2 }).toArray({ limit: 100 })

    expect(page.data.map(({ value }) => value)).toEqual([2, 3])
    expect(search).toBe('?limit=2&offset=1')
    expect(all.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5])
  })

  it('the service returns the total, the limit and the offset with each page', async () => {
    const { ask } = await startWithTransactions(start)

    const { json } = await ask('GET', '/loyalty-transactions?orderId=order-17&limit=1&offset=1')

    expect(json).toEqual({ items: [expect.objectContaining({ value: 3 })], total: 3, limit: 1, offset: 1 })
  })
})

describeService('GET /loyalty-customers/:id (beta)', (start) => {
  it('the service returns a customer’s points balance', async () => {
    const { client } = await startWithPoints(start)

    const customer = await client.loyalty.customers.get('member-1', { connectionId })

    expect(customer).toEqual({ id: 'member-1', connectionId, connectionName: expect.any(String), balance: 1000 })
  })

  it('the service requires a connection id, and returns that connection’s balance', async () => {
    const { client, ask, requests, sandbox } = await startWithPoints(start)
    sandbox.loyalty.setBalance('connection-2', 'member-1', 7)

    const { balance } = await client.loyalty.customers.get('member-1', { connectionId: 'connection-2' })
    const asked = await ask('GET', '/loyalty-customers/member-1')

    expect(balance).toBe(7)
    expect(new URL(requests.at(-1)?.url ?? '').search).toBe('?connectionId=connection-2')
    expect(asked).toMatchObject({ status: 400, fields: ['$.connectionId'] })
  })
})
