import { itSends } from '../support/requests.js'
import { loyaltyCustomer, loyaltyTransaction, loyaltyTransactionsPage } from '../support/responses/loyalty.js'

const transaction = { connectionId: 'connection-1', customerId: 'member-1', orderId: 'order-17', value: 120 }
const { value: _, ...filters } = transaction

itSends('2021-09-27', [
  [
    'redeems points',
    ({ loyalty }) => loyalty.transactions.create({ ...transaction, type: 'REDEMPTION' }),
    'POST /loyalty-transactions',
    { body: { ...transaction, type: 'REDEMPTION' }, response: loyaltyTransaction },
  ],
  [
    'lists loyalty transactions by every parameter',
    async ({ loyalty }) => {
      const { data, total, hasNextPage } = await loyalty.transactions.list({ ...filters, limit: 1000, offset: 0 })
      return { data, total, hasNextPage }
    },
    'GET /loyalty-transactions?connectionId=connection-1&customerId=member-1&orderId=order-17&limit=1000&offset=0',
    { response: loyaltyTransactionsPage, result: { data: [loyaltyTransaction], total: 1, hasNextPage: false } },
  ],
  [
    'lists all loyalty transactions by default',
    async ({ loyalty }) => (await loyalty.transactions.list()).data,
    'GET /loyalty-transactions',
    { response: loyaltyTransactionsPage, result: [loyaltyTransaction] },
  ],
  [
    'gets a loyalty customer with the id in the path and the connection in the query',
    ({ loyalty }) => loyalty.customers.get('member/1', { connectionId: 'connection-1' }),
    'GET /loyalty-customers/member%2F1?connectionId=connection-1',
    { response: loyaltyCustomer },
  ],
])

itSends('2.1', [
  [
    'redeems points without sending a default type',
    ({ loyalty }) => loyalty.transactions.create(transaction),
    'POST /loyalty-transactions',
    { body: transaction, response: loyaltyTransaction },
  ],
])
