import {
  CreateLoyaltyTransactionBodySchema,
  GetLoyaltyCustomerParamsSchema,
  ListLoyaltyTransactionsParamsSchema,
  LoyaltyCustomerSchema,
  LoyaltyTransactionPageSchema,
  LoyaltyTransactionSchema,
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
  body: bothCarts(CreateLoyaltyTransactionBodySchema),
  response: bothCarts(LoyaltyTransactionSchema),
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
    schema: ListLoyaltyTransactionsParamsSchema,
    names: {
      connectionId: 'connectionId',
      customerId: 'customerId',
      orderId: 'orderId',
      limit: 'limit',
      offset: 'offset',
    },
  },
  response: bothCarts(LoyaltyTransactionPageSchema),
})

const getCustomer = defineOperation({
  name: 'loyalty.customers.get',
  summary: 'Get a loyalty customer and their points',
  method: 'GET',
  path: '/loyalty-customers/:id',
  scope: 'loyalty-transactions:read',
  class: 'safe',
  beta: true,
  query: { schema: GetLoyaltyCustomerParamsSchema, names: { connectionId: 'connectionId' } },
  response: bothCarts(LoyaltyCustomerSchema),
})

export const transactions = { create: createTransaction, list: listTransactions }
export const customers = { get: getCustomer }
