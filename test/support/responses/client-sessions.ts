/** Client session responses, written by hand from the specification's tables. */

const sessionCore = {
  customerId: 'customer-1',
  orderId: 'order-17',
  currencyCode: 'EUR',
  metadata: { basket: 'b-1', visits: 3 },
  customer: {
    emailAddress: 'zoe@example.com',
    billingAddress: { city: 'Berlin', countryCode: 'DE' },
  },
  paymentMethod: {
    paymentType: 'FIRST_PAYMENT',
    options: { PAYMENT_CARD: { surcharge: { amount: 140 } } },
    authorizationType: 'ESTIMATED',
    vaultOnSuccess: true,
  },
}

const lineItems = [
  { itemId: 'item_1', name: 'Kettle', amount: 2300, quantity: 2 },
  { itemId: 'item_2', name: 'Cup', amount: 200, quantity: 2 },
]

const token = {
  clientToken: 'client_token_1',
  clientTokenExpirationDate: '2026-03-02T09:30:00.123456',
  warnings: { type: 'TAX_SERVICE', code: 'SERVICE_UNAVAILABLE' },
}

/** A client session in API version 2021-09-27. */
export const session = {
  ...sessionCore,
  amount: 5000,
  order: { lineItems, countryCode: 'DE', fees: [{ amount: 50, type: 'SURCHARGE' }], shipping: { amount: 450 } },
}

/** The same session in API version 2.1, in which the service computes the amount from the items. */
export const sessionV21 = {
  ...sessionCore,
  lineItems,
  orderDetails: { countryCode: 'DE', fees: [{ amount: 50, type: 'SURCHARGE' }], shipping: { amount: 450 } },
}

export const createdSession = { ...token, ...session }

export const createdSessionV21 = { ...token, ...sessionV21 }
