import {
  CreateLoyaltyTransactionBody,
  GetLoyaltyCustomerParams,
  ListLoyaltyTransactionsParams,
  LoyaltyCustomer,
  LoyaltyTransaction,
  LoyaltyTransactionPage,
} from '../schemas/loyalty.js'
import { bothCarts, defineOperation } from './operation.js'

const createTransaction = defineOperation({
  name: 'loyalty.transactions.create',
  summary: 'Redeem or refund loyalty points',
  method: 'POST',
  path: '/loyalty-transactions',
  scope: 'loyalty-transactions:write',
  class: 'once',
  beta: true,
  body: bothCarts(CreateLoyaltyTransactionBody),
  response: bothCarts(LoyaltyTransaction),
})

const listTransactions = defineOperation({
  name: 'loyalty.transactions.list',
  summary: 'List loyalty transactions',
  method: 'GET',
  path: '/loyalty-transactions',
  scope: 'loyalty-transactions:read',
  class: 'safe',
  beta: true,
  query: {
    schema: ListLoyaltyTransactionsParams,
    names: {
      connectionId: 'connectionId',
      customerId: 'customerId',
      orderId: 'orderId',
      limit: 'limit',
      offset: 'offset',
    },
  },
  response: bothCarts(LoyaltyTransactionPage),
})

const getCustomer = defineOperation({
  name: 'loyalty.customers.get',
  summary: 'Get a loyalty customer and their points',
  method: 'GET',
  path: '/loyalty-customers/:id',
  scope: 'loyalty-transactions:read',
  class: 'safe',
  beta: true,
  query: { schema: GetLoyaltyCustomerParams, names: { connectionId: 'connectionId' } },
  response: bothCarts(LoyaltyCustomer),
})

export const transactions = { create: createTransaction, list: listTransactions }
export const customers = { get: getCustomer }
