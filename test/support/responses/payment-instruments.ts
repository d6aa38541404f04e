/** Payment instrument responses, written by hand from the specification's table. */

export const savedCard = {
  token: 'tok_vaulted_1',
  tokenType: 'MULTI_USE',
  analyticsId: 'analytics_1',
  paymentMethodType: 'PAYMENT_CARD',
  paymentMethodData: {
    first6Digits: '411111',
    last4Digits: '1111',
    expirationMonth: '12',
    expirationYear: '2030',
    cardholderName: 'Zoë Müller',
    network: 'Visa',
    isNetworkTokenized: false,
  },
  customerId: 'customer-1',
  description: 'My blue card',
  default: true,
  isVerified: true,
  createdAt: '2026-03-01T09:30:00.123456',
}

export const deletedCard = { ...savedCard, default: false, deleted: true, deletedAt: '2026-03-05T09:30:00.123456' }

export const savedCards = { data: [savedCard, deletedCard] }
