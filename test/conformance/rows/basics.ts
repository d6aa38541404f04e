import type { Rows } from '../rows.js'

export const basics: Rows = {
  'What the service does': {
    'session.token': 'create client sessions that yield a client token, which initialises a client-side checkout',
    'payment.returned':
      'create and authorize payments from a payment method token, then capture, cancel, refund, adjust the authorized amount of, resume, retrieve and list payments',
    'instrument.deleted': 'store (vault), list, set as default and delete saved payment methods of a customer',
    'external.sent': 'send payments made outside the service to an observability store (beta)',
    'loyalty.moves-points':
      "create loyalty point transactions (redemption or refund), list them, and read a loyalty customer's points balance (beta)",
    'events.signed': 'receive signed webhook notifications about payment status changes, refunds and disputes',
    'conventions.json': 'Bodies are JSON.',
    'conventions.content-type': 'Requests with a body carry `Content-Type: application/json`.',
    'conventions.base-url': '`{base_url}` is the service base address. Paths below are relative to it.',
    'conventions.path-parameter': '`:name` in a path is a path parameter.',
    'conventions.minor-units':
      'Amounts are integers in minor units of the currency (e.g. 700 for 7 units of a currency with 2 minor digits).',
    'conventions.no-minor-units':
      'For a currency without minor units (e.g. Japanese Yen) the plain value is used with no formatting.',
    'conventions.currency-code': '`currencyCode` is a 3-letter ISO 4217 code.',
    'conventions.country-code': 'Country codes are 2-letter codes.',
    'conventions.utc': 'Datetimes are UTC.',
    'conventions.optional': "In field tables, 'optional' means the field may be omitted.",
  },
}
