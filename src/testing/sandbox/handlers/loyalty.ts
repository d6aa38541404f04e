import type * as operations from '../../../core/contract/index.js'
import type { Handlers } from '../domain/context.js'
import { zoneless } from '../internal/clock.js'
import { invalidField, ServiceError } from '../internal/exchange.js'
import { balanceKey } from '../store/store.js'

const connectionName = 'Sandbox Loyalty'
const defaultLimit = 100

export const loyalty: Handlers<typeof operations.loyalty> = {
  transactions: {
    create({ body, recordEffect }, { store, clock, random }) {
      const { connectionId, customerId, value, type = 'REDEMPTION' } = body
      if (value < 1) throw invalidField('value', 'must be at least 1')
      const key = balanceKey(connectionId, customerId)
      const balance = store.loyaltyBalances.get(key) ?? 0
      if (type === 'REDEMPTION' && value > balance) {
        throw new ServiceError(422, 'InsufficientLoyaltyBalance', `The customer has only ${balance} points`)
      }
      const transaction = {
        id: random.id('loyalty'),
        date: zoneless(clock.now()),
        ...body,
        type,
        connectionTransactionId: random.id('provider'),
        connectionName,
      }
      store.loyaltyBalances.set(key, type === 'REFUND' ? balance + value : balance - value)
      store.loyaltyTransactions.set(transaction.id, transaction)
      recordEffect(transaction.id, value)
      return transaction
    },

    list({ query: { connectionId, customerId, orderId, limit = defaultLimit, offset = 0 } }, { store }) {
      const matching = store.loyaltyTransactions
        .rows()
        .filter(
          (transaction) =>
            (connectionId === undefined || transaction.connectionId === connectionId) &&
            (customerId === undefined || transaction.customerId === customerId) &&
            (orderId === undefined || transaction.orderId === orderId),
        )
      return { items: matching.slice(offset, offset + limit), total: matching.length, limit, offset }
    },
  },

  customers: {
    get({ params, query: { connectionId } }, { store }) {
      const balance = store.loyaltyBalances.get(balanceKey(connectionId, params.id))
      if (balance === undefined) {
        throw new ServiceError(404, 'LoyaltyCustomerNotFound', 'The loyalty provider has no customer with this ID')
      }
      return { id: params.id, connectionId, connectionName, balance }
    },
  },
}
