import { describe, expect, it } from 'vitest'
import { refusal, send, startSandbox } from '../support/start-sandbox.js'

const connectionId = 'connection-1'
const customerId = 'customer-1'

function startWithBalance(points: number) {
  const started = startSandbox()
  started.sandbox.loyalty.setBalance(connectionId, customerId, points)
  const balance = async () => (await started.client.loyalty.customers.get(customerId, { connectionId })).balance
  return { ...started, balance }
}

describe('loyalty.transactions.create', () => {
  it('redeems points', async () => {
    const { client, balance, sandbox } = startWithBalance(100)

    const transaction = await client.loyalty.transactions.create({
      connectionId,
      customerId,
      orderId: 'order-17',
      value: 30,
      type: 'REDEMPTION',
    })

    expect(transaction).toMatchObject({
      id: expect.any(String),
      date: '2026-01-31T12:00:00.000000',
      connectionId,
      customerId,
      orderId: 'order-17',
      connectionTransactionId: expect.any(String),
      connectionName: expect.any(String),
      type: 'REDEMPTION',
      value: 30,
    })
    expect(await balance()).toBe(70)
    expect(sandbox.ledger).toMatchObject([
      { operation: 'loyalty.transactions.create', resourceId: transaction.id, amount: 30 },
    ])
  })

  it('gives points back', async () => {
    const { client, balance } = startWithBalance(100)

    await client.loyalty.transactions.create({ connectionId, customerId, orderId: 'a', value: 5, type: 'REFUND' })

    expect(await balance()).toBe(105)
  })

  it('redeems when it is not told which', async () => {
    const { client, balance } = startWithBalance(100)

    const { type } = await client.loyalty.transactions.create({ connectionId, customerId, orderId: 'a', value: 100 })

    expect(type).toBe('REDEMPTION')
    expect(await balance()).toBe(0)
  })

  it('opens an account with the first points that a customer gets', async () => {
    const { client } = startSandbox()
    const body = { connectionId, customerId, orderId: 'a', value: 5 }

    const error = await refusal(client.loyalty.transactions.create({ ...body, type: 'REDEMPTION' }))
    await client.loyalty.transactions.create({ ...body, type: 'REFUND' })

    expect(error.status).toBe(422)
    expect((await client.loyalty.customers.get(customerId, { connectionId })).balance).toBe(5)
  })

  it('refuses to redeem more points than there are', async () => {
    const { client, balance } = startWithBalance(100)

    const error = await refusal(
      client.loyalty.transactions.create({ connectionId, customerId, orderId: 'a', value: 101 }),
    )

    expect(error).toMatchObject({ status: 422, errorId: 'InsufficientLoyaltyBalance' })
    expect(await balance()).toBe(100)
  })

  it.each([
    [{ value: 0 }, '$.value'],
    [{ value: -5 }, '$.value'],
    [{ type: 'GIFT' }, '$.type'],
  ])('refuses %j', async (changes, path) => {
    const { sandbox, balance } = startWithBalance(100)

    const { status, json } = await send(sandbox, 'POST', '/loyalty-transactions', {
      body: { connectionId, customerId, orderId: 'a', value: 1, ...changes },
    })

    expect(status).toBe(400)
    expect(json.error.validationErrors[0].errors[0].path).toBe(path)
    expect(await balance()).toBe(100)
  })
})

describe('loyalty.transactions.list', () => {
  async function startWithTransactions() {
    const started = startWithBalance(1000)
    started.sandbox.loyalty.setBalance('connection-2', customerId, 1000)
    for (const [number, connection] of [connectionId, connectionId, 'connection-2', connectionId].entries()) {
      await started.client.loyalty.transactions.create({
        connectionId: connection,
        customerId,
        orderId: `order-${number % 2}`,
        value: number + 1,
      })
    }
    return started
  }

  it('pages by offset, and counts what matches', async () => {
    const { sandbox } = await startWithTransactions()

    const { json } = await send(sandbox, 'GET', `/loyalty-transactions?connectionId=${connectionId}&limit=2&offset=1`)

    expect(json).toMatchObject({ items: [{ value: 2 }, { value: 4 }], total: 3, limit: 2, offset: 1 })
  })

  it('begins with the first hundred unless told otherwise', async () => {
    const { sandbox } = await startWithTransactions()

    const { json } = await send(sandbox, 'GET', '/loyalty-transactions')

    expect(json).toMatchObject({ items: Array(4).fill({ connectionName: 'Sandbox Loyalty' }), total: 4 })
    expect(json).toMatchObject({ limit: 100, offset: 0 })
  })

  it('filters by connection, customer and order', async () => {
    const { client } = await startWithTransactions()
    const values = async (params: object) =>
      (await client.loyalty.transactions.list(params)).data.map(({ value }) => value)

    expect(await values({})).toEqual([1, 2, 3, 4])
    expect(await values({ connectionId: 'connection-2' })).toEqual([3])
    expect(await values({ orderId: 'order-1' })).toEqual([2, 4])
    expect(await values({ customerId: 'customer-2' })).toEqual([])
  })

  it('is read to its end by the client', async () => {
    const { client } = await startWithTransactions()

    const all = await client.loyalty.transactions.list({ limit: 3 }).toArray({ limit: 100 })

    expect(all.map(({ value }) => value)).toEqual([1, 2, 3, 4])
  })
})

describe('loyalty.customers.get', () => {
  it('returns the balance at the connection', async () => {
    const { client } = startWithBalance(7)

    expect(await client.loyalty.customers.get(customerId, { connectionId })).toEqual({
      id: customerId,
      connectionId,
      connectionName: 'Sandbox Loyalty',
      balance: 7,
    })
    expect(await refusal(client.loyalty.customers.get(customerId, { connectionId: 'connection-2' }))).toMatchObject({
      status: 404,
      errorId: 'LoyaltyCustomerNotFound',
    })
  })

  it('needs the connection', async () => {
    const { sandbox } = startWithBalance(7)

    const { status, json } = await send(sandbox, 'GET', `/loyalty-customers/${customerId}`)

    expect(status).toBe(400)
    expect(json.error.validationErrors[0].errors[0].path).toBe('$.connectionId')
  })
})

describe('sandbox.loyalty.setBalance', () => {
  it('takes whole points only', () => {
    const { sandbox } = startSandbox()

    expect(() => sandbox.loyalty.setBalance(connectionId, customerId, 1.5)).toThrow(
      new TypeError('points must be an integer'),
    )
  })
})
