import { describe, expect, it } from 'vitest'
import { aClient, sent } from '../support/clients.js'
import { loyaltyCustomer, loyaltyTransaction, loyaltyTransactionsPage } from '../support/responses/loyalty.js'

describe('loyalty.transactions.create', () => {
  it('redeems points', async () => {
    const { client, requests } = aClient([loyaltyTransaction])
    const body = {
      connectionId: 'connection-1',
      customerId: 'member-1',
      orderId: 'order-17',
      value: 120,
      type: 'REDEMPTION' as const,
    }

    const transaction = await client.loyalty.transactions.create(body)

    expect(requests).toEqual([sent('POST /loyalty-transactions', { body })])
    expect(transaction).toEqual(loyaltyTransaction)
  })

  it('sends no default type, in version 2.1 too', async () => {
    const { client, requests } = aClient([loyaltyTransaction], { apiVersion: '2.1' })
    const body = { connectionId: 'connection-1', customerId: 'member-1', orderId: 'order-17', value: 120 }

    await client.loyalty.transactions.create(body)

    expect(requests).toEqual([sent('POST /loyalty-transactions', { body, version: '2.1' })])
  })
})

describe('loyalty.transactions.list', () => {
  it('sends its parameters in camel case', async () => {
    const { client, requests } = aClient([loyaltyTransactionsPage])

    const page = await client.loyalty.transactions.list({
      connectionId: 'connection-1',
      customerId: 'member-1',
      orderId: 'order-17',
      limit: 1000,
      offset: 0,
    })

    const query = 'connectionId=connection-1&customerId=member-1&orderId=order-17&limit=1000&offset=0'
    expect(requests).toEqual([sent(`GET /loyalty-transactions?${query}`)])
    expect(page.data).toEqual([loyaltyTransaction])
    expect(page.total).toBe(1)
    expect(page.hasNextPage).toBe(false)
  })

  it('requests all transactions by default', async () => {
    const { client, requests } = aClient([loyaltyTransactionsPage])

    await client.loyalty.transactions.list()

    expect(requests).toEqual([sent('GET /loyalty-transactions')])
  })
})

describe('loyalty.customers.get', () => {
  it('names the customer in the path and the connection in the query', async () => {
    const { client, requests } = aClient([loyaltyCustomer])

    const customer = await client.loyalty.customers.get('member/1', { connectionId: 'connection-1' })

    expect(requests).toEqual([sent('GET /loyalty-customers/member%2F1?connectionId=connection-1')])
    expect(customer).toEqual(loyaltyCustomer)
  })
})
