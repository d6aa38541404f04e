/** Loyalty responses, written by hand from the specification's tables. */

export const loyaltyTransaction = {
  id: 'loyalty_1',
  date: '2026-03-01T09:30:00.123456',
  connectionId: 'connection-1',
  customerId: 'member-1',
  orderId: 'order-17',
  connectionTransactionId: 'provider-1',
  connectionName: 'Stars',
  type: 'REDEMPTION',
  value: 120,
}

export const loyaltyTransactionsPage = { items: [loyaltyTransaction], total: 1, limit: 20, offset: 0 }

export const loyaltyCustomer = { id: 'member-1', connectionId: 'connection-1', connectionName: 'Stars', balance: 880 }
