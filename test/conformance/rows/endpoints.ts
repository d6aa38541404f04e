import type { Rows } from '../rows.js'

export const endpoints: Rows = {
  Endpoints: {
    'authentication.header': 'All endpoints require the API key header (see Authentication).',
    'endpoints.bodies': 'Request bodies are JSON objects.',
    'endpoints.table': 'Method | Path | Purpose',
    'create.authorizes': 'POST | /payments | Create and authorize a payment',
    'get.payment': 'GET | /payments/:id | Get a payment',
    'list.optional': 'GET | /payments | Search and list payments',
    'authorize.processor': 'POST | /payments/:id/authorize | Manually authorize with a given processor',
    'capture.parts': 'POST | /payments/:id/capture | Capture funds',
    'cancel.voids': 'POST | /payments/:id/cancel | Cancel (void)',
    'refund.default': 'POST | /payments/:id/refund | Refund',
    'adjust.amount': 'POST | /payments/:id/adjust-authorization | Adjust the authorized amount',
    'resume.workflow': 'POST | /payments/:id/resume | Resume a paused workflow',
    'session.created': 'POST | /client-session | Create a client session',
    'session.details': 'GET | /client-session | Retrieve a client session',
    'update.only-changes': 'PATCH | /client-session | Update a client session',
    'vault.saves': 'POST | /payment-instruments/:paymentMethodToken/vault | Save a payment method token',
    'instrument.default':
      'POST | /payment-instruments/:paymentMethodToken/default | Set the default saved payment method',
    'instrument.list': 'GET | /payment-instruments | List saved payment methods',
    'instrument.deleted': 'DELETE | /payment-instruments/:paymentMethodToken | Delete a saved payment method',
    'external.sent': 'POST | /observability/payments | Create an external payment (beta)',
    'external.changes': 'PATCH | /observability/payments/:paymentId | Update an external payment (beta)',
    'loyalty.moves-points': 'POST | /loyalty-transactions | Create a loyalty transaction (beta)',
    'loyalty.page': 'GET | /loyalty-transactions | List loyalty transactions (beta)',
    'loyalty.customer': 'GET | /loyalty-customers/:id | Get loyalty customer balance (beta)',
    'payment.returned': 'Unless stated, a payment-operation response is a Payment.',
  },
  'Idempotency header': {
    'idempotency.optional': '`X-Idempotency-Key` (optional string header)',
    'idempotency.once': 'makes a request idempotent',
    'idempotency.operations': 'It is accepted on POST /payments, authorize, capture, cancel and refund.',
  },
  'POST /payments': {
    'create.authorizes': 'Creates and authorizes a payment.',
    'create.no-card-data': 'A payment method token should be passed to avoid PCI implications.',
    'create.token': 'paymentMethodToken | string | yes | Token used to authorize',
    'create.optional-fields': 'orderId | string | no | … currencyCode | enum | no | … amount | integer | no',
    'limits.minimum-amount': 'amount | integer | no | Minimum 0',
    'payment.parts': 'order | Order | no | … customer | Customer | no',
    'create.vault-customer': 'customerId | string | no | Required when paymentMethod.vaultOnSuccess is true',
    'limits.metadata': 'metadata | map string to any | no | Values only strings or integers',
    'create.vault-on-success': 'paymentMethod | object | no | Options such as vaultOnSuccess',
    'create.required':
      'amount, currencyCode and orderId are required for payment creation; each may come from the request or from the associated client session.',
    'create.from-session':
      'When only the token is passed, amount, currency and other values come from the client session.',
    'create.precedence': "Fields in the request take precedence over those of the client session's order.",
    'create.merge':
      'Fields absent from the request are taken from the previously created client session and merged, including nested ones (e.g. customer.billingAddress from the session and customer.emailAddress from the request are both used).',
    'payment.returned': 'Response: Payment.',
  },
  'GET /payments/:id': {
    'get.payment': 'Path: id (string). Response: Payment.',
  },
  'GET /payments': {
    'list.summaries': 'Returns summarized payments (not all attributes present).',
    'list.delay': 'Payments are available within a minute of creation.',
    'list.optional': 'Query parameters (all optional)',
    'list.status': 'status | enum (array; comma-separated) | Filter by status',
    'list.payment-method-type': 'payment_method_type | enum | Filter by payment method type',
    'list.processor': 'processor | string | Filter by processor',
    'list.currency-code': 'currency_code | string | Filter by currency',
    'list.from-date': 'from_date | datetime | Payments from this date, inclusive',
    'list.to-date': 'to_date | datetime | Payments up to this date, inclusive',
    'list.order-id': 'order_id | string | Payments of this order',
    'list.min-amount': 'min_amount | integer | Minimum amount, inclusive',
    'list.max-amount': 'max_amount | integer | Maximum amount, inclusive',
    'list.customer-id': 'customer_id | string | Customer who made the payment',
    'list.merchant-id': 'merchant_id | string | Merchant involved',
    'list.customer-email-address': "customer_email_address | string | Customer's e-mail address",
    'list.last-4-digits': 'last_4_digits | string | Last 4 card digits',
    'list.partnera-email': 'partnera_email | string | E-mail of a first third-party wallet account on the payment',
    'list.partnerb-email': 'partnerb_email | string | E-mail of a second third-party account on the payment',
    'list.limit': 'limit | integer | Maximum payments per page',
    'list.cursor': 'cursor | string | Value of nextCursor from the current result to get the next page',
    'list.combined': 'Multiple parameters are combined with `&`.',
    'list.comma': 'Any array-typed parameter may be given as a comma-separated list.',
    'list.response': 'Response: `data` (list of objects), `nextCursor` (string), `prevCursor` (string).',
    'list.back': 'Use nextCursor as cursor for the next page and prevCursor to go back.',
  },
  'POST /payments/:id/authorize': {
    'authorize.processor': 'Manually authorizes a payment with a given processor (without a workflow action).',
    'authorize.merchant-id':
      'Path: id. Body: `processor` object with `processorMerchantId` (string; the merchant ID of the processor)',
    'authorize.name':
      '`name` (optional string; mandatory when the account has several processors sharing the same merchant IDs)',
    'payment.returned': 'Response: Payment.',
  },
  'POST /payments/:id/capture': {
    'capture.parts': 'Captures fully or partially an authorized payment.',
    'capture.no-body': 'Body is optional; with no body the full authorized amount is captured.',
    'capture.amount': 'amount | integer | Minor units; currency of the authorization; defaults to the full amount',
    'capture.final': 'final | boolean | True marks the final capture; after it no further captures are allowed',
    'capture.order': 'order | Order',
  },
  'POST /payments/:id/cancel': {
    'cancel.voids': 'Voids the payment; see States and transitions.',
    'cancel.reason': "Body optional: `reason` (string, for the merchant's records).",
  },
  'POST /payments/:id/refund': {
    'refund.default': 'Refunds the full remaining amount by default.',
    'refund.no-body': 'Body (all optional)',
    'refund.amount':
      'amount (integer, minor units, default the remaining non-refunded amount; a lesser amount gives a partial refund)',
    'refund.order-id': 'orderId (string, default the original orderId of the payment)',
    'refund.reason': "reason (string, for the merchant's records)",
  },
  'POST /payments/:id/adjust-authorization': {
    'adjust.estimated':
      'Only possible when paymentMethod.authorizationType was ESTIMATED at creation and the payment method supports it.',
    'adjust.amount': 'Body: `amount` (integer, required; the final amount to charge, minor units).',
  },
  'POST /payments/:id/resume': {
    'resume.workflow':
      'Resumes a workflow paused for more customer information or an asynchronous third-party response.',
    'resume.token': 'Body: `resumeToken` (string, required; carries information sent back from the checkout).',
  },
  'POST /client-session': {
    'session.created': 'Creates a client session and a client token.',
    'session.no-fields': 'No field is required.',
    'session.body':
      'Body fields (all optional): orderId, currencyCode, amount, order, customerId, customer, metadata, paymentMethod (types as in Resources).',
    'create.required':
      'A currencyCode, an orderId and at least one of amount or line items are expected before payment; missing ones can be supplied at payment creation.',
    'session.amount': 'A top-level amount overrides any amount computed from line items, shipping and other amounts.',
    'create.vault-customer':
      "Giving customerId lets the client SDK retrieve and manage the customer's saved payment methods and save new ones.",
    'session.response':
      'Response: clientToken, clientTokenExpirationDate, and the session fields (orderId, currencyCode, amount, order, customerId, customer, metadata, paymentMethod, warnings).',
  },
  'GET /client-session': {
    'session.query': 'Query: clientToken (string).',
    'session.details': 'Returns all session details; fields with empty values are omitted.',
    'session.get-response':
      'Response fields: customerId, orderId, currencyCode, amount, metadata, customer, order, paymentMethod.',
  },
  'PATCH /client-session': {
    'update.token':
      'Body: clientToken (string; the only required field) plus any of customerId, orderId, currencyCode, amount, metadata, customer, order, paymentMethod.',
    'update.only-changes': 'Only fields to change are sent.',
    'update.lists': 'A field that is an array must be sent complete, with the modified items.',
    'update.nested':
      'A nested field may be updated by sending its parent with only that field (e.g. customer with only emailAddress).',
    'update.null': "Passing null clears a field's value.",
    'update.whole-objects':
      'metadata, customer, order and paymentMethod are each replaced in their entirety by the object provided (the previous content is overwritten) when given at that level.',
    'update.payment-method':
      'paymentMethod.vaultOnSuccess may be updated; paymentMethod.options cannot be updated through PATCH.',
    'update.response': 'The response contains all fields of the client session, including changed ones.',
  },
  'POST /payment-instruments/:paymentMethodToken/vault': {
    'vault.saves': 'Saves a SINGLE_USE token for later use.',
    'vault.customer': 'Body: customerId (string, required)',
    'vault.verify': 'verify (boolean, optional; verify before vaulting). If verification fails nothing is vaulted.',
    'vault.twice': 'Vaulting an already vaulted token returns the existing vaulted token.',
    'instrument.returned': 'Response: Vaulted payment method.',
  },
  'POST /payment-instruments/:paymentMethodToken/default': {
    'instrument.default': "Makes the saved payment method the customer's default.",
    'default.no-body': 'No body.',
    'instrument.returned': 'Response: Vaulted payment method.',
  },
  'GET /payment-instruments': {
    'instrument.list-customer': 'Query: customer_id (string, required).',
    'instrument.list': 'Response: `data` (list of Vaulted payment method).',
  },
  'DELETE /payment-instruments/:paymentMethodToken': {
    'instrument.deleted': 'Deletes a saved payment method.',
    'instrument.returned': 'Response: Vaulted payment method.',
  },
  'POST /observability/payments (beta)': {
    'external.sent': 'Sends an external payment to populate insight dashboards',
    'external.own-payments':
      'payments made through the payments endpoints are added automatically and must not be sent',
    'scope.observability-payments-write': 'Requires an API key with scope observability-payments:write.',
    'external.unique': 'Each record needs a unique paymentId.',
    'external.required': 'Body and response: External payment (required fields per the table in Resources).',
  },
  'PATCH /observability/payments/:paymentId (beta)': {
    'external.update-path': 'Path: paymentId (string). Updates an external payment.',
    'external.changes':
      'Body fields are those of creation, all optional per the reference; only the fields to change are passed, including nested ones (e.g. processor.name alone).',
    'external.created-at': 'createdAt cannot be updated.',
    'external.update-response': 'Response: the full external payment including changed fields.',
  },
  'POST /loyalty-transactions (beta)': {
    'loyalty.moves-points': 'Creates a points redemption or refund.',
    'scope.loyalty-transactions-write': 'Requires scope loyalty-transactions:write.',
    'loyalty.required':
      'Body: connectionId (string, required), customerId (string, required), orderId (string, required), value (integer, required; points)',
    'loyalty.type': 'type (optional enum REDEMPTION or REFUND)',
    'loyalty.fields': 'Response: Loyalty transaction.',
  },
  'GET /loyalty-transactions (beta)': {
    'scope.loyalty-transactions-read': 'Requires scope loyalty-transactions:read.',
    'loyalty.filters': 'Query (all optional): connectionId (recommended filter), customerId, orderId',
    'loyalty.pages': 'limit (integer), offset (integer; items to skip)',
    'loyalty.page': 'Response: items (list of Loyalty transaction), total (integer; total available), limit, offset.',
  },
  'GET /loyalty-customers/:id (beta)': {
    'scope.loyalty-transactions-read': 'Requires scope loyalty-transactions:read.',
    'loyalty.customer': 'Path: id (customer on the provider).',
    'loyalty.connection': 'Query: connectionId (string, required). Response: Loyalty customer.',
  },
}
