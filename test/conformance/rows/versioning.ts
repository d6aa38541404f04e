import type { Rows } from '../rows.js'

export const versioning: Rows = {
  Versioning: {
    'version.header':
      'The API is versioned with the request header `X-Api-Version`. Values shown: `2021-09-27` (version 2) and `2.1`.',
    'version.sessions-of-1':
      'An earlier version 1 used `POST /auth/client-token` with fields customerCountryCode, customerId and checkout.paymentFlow; version 2 replaces it with `POST /client-session`.',
    'version.payments-of-1':
      'In version 1 payment creation, the token was in `paymentInstrument.token` and the statement description in `statementDescriptor`; in version 2 these are `paymentMethodToken` and `paymentMethod.descriptor`.',
    'version.order-details':
      'Version 2.1 changes, for client sessions and payments: … `order` object | `orderDetails` object',
    'version.line-items': '`order.lineItems` | `lineItems` as a top-level element',
    'version.session-amount':
      '`amount` on client session | removed; line items are always specified and the amount is calculated from them',
    'version.token-only':
      'In version 2.1, POST /payments accepts either a body with only `paymentMethodToken` (other values come from the client session)',
    'version.full-body':
      'or a full body with orderId, amount, currencyCode, customer, lineItems, orderDetails, metadata, paymentMethodToken and paymentMethod (descriptor, paymentType).',
    'events.version': 'Webhook payloads carry a `version` string for the payload version.',
    'version.order-shape': 'The endpoint sections of this document show the `order`-based shape.',
  },
}
