import type { Rows } from '../rows.js'

export const resources: Rows = {
  Payment: {
    'payment.returned': 'Returned by create, get, authorize, capture, cancel, refund, adjust-authorization and resume.',
    'payment.optional': 'All fields are optional in responses.',
    'get.payment': 'id | string | Unique payment ID; used to retrieve the payment and for downstream operations',
    'payment.date': 'date | datetime | Creation time, UTC',
    'states.values': 'status | enum | See States and transitions',
    'payment.order-id': 'orderId | string | Merchant reference for the payment',
    'payment.currency-code': 'currencyCode | enum | ISO 4217',
    'payment.amount': 'amount | integer | Amount charged, minor units',
    'payment.parts': "order | Order | … customerId | string | Merchant's customer identifier | … customer | Customer",
    'payment.metadata': 'metadata | map string to any | Data used throughout the payment lifecycle',
    'payment.payment-method': 'paymentMethod | PaymentMethod | Options given in the request plus the token used',
    'processor.fields': 'processor | Processor',
    'required-action.fields':
      'requiredAction | RequiredAction | Action needed to resume the workflow, e.g. a 3DS check',
    'states.status-reason': 'statusReason | StatusReason | Useful when status is DECLINED or FAILED',
    'transaction.fields': 'transactions | list of Transaction | A refund is a separate transaction and appears here',
    'risk-data.fields': 'riskData | RiskData',
  },
  Order: {
    'order.fields':
      'lineItems | list of LineItem | … countryCode | string | … retailerCountryCode | string | … fees | list of Fee | … shipping | object | Has `amount` (integer)',
    'payment.parts':
      'LineItem: itemId (string), name (string), description (string), amount (integer), quantity (integer), discountAmount (integer), taxAmount (integer), taxCode (string), productType (enum; PHYSICAL appears as a value), productData (object: sku, brand, color, globalTradeItemNumber, manufacturerPartNumber, weightUnit as strings; weight as number).',
    'order.fee': 'Fee: amount (integer), type (string), description (string).',
  },
  Customer: {
    'customer.fields':
      'emailAddress, mobileNumber, firstName, lastName (strings); billingAddress and shippingAddress (Address); taxId, nationalDocumentId (strings).',
    'customer.address':
      'Address: firstName, lastName, addressLine1, addressLine2, city, state, countryCode, postalCode (all strings).',
  },
  'PaymentMethod (in a payment)': {
    'create.from-session': 'descriptor | string | Description as it appears on a bank statement',
    'payment-type.values': 'paymentType | enum | See Payment types',
    'payment.payment-method': 'paymentMethodToken | string | Token used to process the payment',
    'status-event.fields': 'vaultedPaymentMethodToken | string | Appears in webhook payloads',
    'payment-method.is-vaulted': 'isVaulted | boolean',
    'payment-method.analytics-id': 'analyticsId | string',
    'payment-method.type': 'paymentMethodType | enum | PAYMENT_CARD appears as a value',
    'adjust.estimated': 'authorizationType | enum | ESTIMATED appears as a value; adjust-authorization requires it',
    'payment-method.requests':
      'In requests (create payment, client session) paymentMethod additionally carries `vaultOnSuccess` (boolean) and `options` (map keyed by payment method type; each entry may hold a `surcharge` object).',
    'payment-method.card-data':
      'paymentMethodData | object | Card data below … Card data (paymentMethodData): first6Digits, last4Digits, expirationMonth, expirationYear, cardholderName, network (strings); isNetworkTokenized (boolean); binData (object).',
    'payment-method.bin-data':
      'binData: network (enum; AMEX appears), issuerCountryCode (string), issuerName (string), issuerCurrencyCode (enum; ISO 4217), regionalRestriction (enum; DOMESTIC_USE_ONLY appears), accountNumberType (enum; PRIMARY_ACCOUNT_NUMBER appears), accountFundingType (enum; CREDIT appears), prepaidReloadableIndicator (enum; RELOADABLE appears), productUsageType (enum; CONSUMER appears), productCode (string), productName (string).',
    'payment-method.3d-secure':
      'threeDSecureAuthentication | object | Below … threeDSecureAuthentication: responseCode (enum; NOT_PERFORMED appears), reasonCode (enum; GATEWAY_UNAVAILABLE appears), reasonText (string), protocolVersion (string), challengeIssued (boolean).',
  },
  'Payment types': {
    'payment-type.values':
      'Used for recurring payments. Values of paymentType: … FIRST_PAYMENT | … ECOMMERCE | … SUBSCRIPTION | … UNSCHEDULED | … MOTO | … IN_STORE',
    'payment-type.first-payment':
      'If a SINGLE_USE token is successfully vaulted on payment creation, paymentType need not be set and the payment is flagged FIRST_PAYMENT.',
  },
  'Processor (in a payment)': {
    'processor.fields':
      'name (string), processorMerchantId (string), amountCaptured (integer), amountRefunded (integer).',
  },
  RequiredAction: {
    'required-action.fields': 'name (enum; 3DS_AUTHENTICATION appears), description (string), clientToken (string).',
  },
  StatusReason: {
    'status-reason.fields':
      'type (enum; APPLICATION_ERROR appears), declineType (enum; SOFT_DECLINE appears), code (enum; ERROR appears), message (string).',
  },
  Transaction: {
    'transaction.fields':
      'date | string | … amount | integer | … currencyCode | enum | … transactionType | enum (SALE and REFUND appear) | … processorTransactionId | string | … processorName | string | … processorMerchantId | string | … processorStatus | enum (PENDING, SETTLED, FAILED appear) | … processorStatusReason | StatusReason',
  },
  RiskData: {
    'risk-data.fields':
      '`fraudCheck` object: source (string), preAuthorizationResult (enum; ACCEPT appears), postAuthorizationResult (enum; ACCEPT appears).',
  },
  'Client session': {
    'session.token': 'clientToken | string | Returned on creation; token used to initialise the SDK on all platforms',
    'session.expiration': 'clientTokenExpirationDate | datetime | UTC with no timezone info',
    'session.get-response':
      'customerId | string | … orderId | string | … currencyCode | enum | … customer | Customer | … order | Order',
    'session.amount':
      'Calculated from line items, shipping and other amounts; a top-level amount overrides the calculated one',
    'limits.metadata': 'metadata | map string to any | Values only strings or integers',
    'session.response': 'paymentMethod | object | paymentType, options, authorizationType, vaultOnSuccess',
    'session.warnings':
      'Returned on creation: `type` (string) and `code` (string); flags missing information needed by payment methods, checkout modules and other features, or unavailable third-party services.',
    'session.tax-warning': 'A tax-service type value appears',
    'session.no-fields': 'All fields are optional.',
  },
  'Vaulted payment method': {
    'vault.saves': 'token | string | The vaulted token',
    'instrument.multi-use': 'tokenType | string | MULTI_USE: re-usable with subsequent payments',
    'instrument.facts':
      'analyticsId | string | … paymentMethodType | enum | PAYMENT_CARD appears | … customerId | string | … isVerified | boolean',
    'instrument.card-data': 'paymentMethodData | union | Card data as above when the type is PAYMENT_CARD',
    'instrument.description': 'description | string | Friendly description given by the user',
    'instrument.default': "default | boolean | Whether this is the customer's default",
    'instrument.created': 'createdAt | datetime | UTC',
    'instrument.deleted': 'deleted | boolean | Whether revoked | … deletedAt | datetime | UTC, when revoked',
    'instrument.optional': 'All fields are optional.',
  },
  'External payment (observability, beta)': {
    'external.unique': 'paymentId | string | required | Unique per record',
    'external.required':
      'currencyCode | enum | required | … processor | object | required | … amount | integer | required | … createdAt | datetime | required | … order | object | required | … paymentMethod | object | required',
    'external.processor': '`name` (enum of processors); `merchantId` (string) in responses',
    'limits.minimum-amount': 'amount | integer | required | Minimum 0',
    'external.created-at': 'ISO 8601 UTC; cannot be changed by PATCH',
    'external.order': '`id` (string); `countryCode` in responses',
    'external.payment-method': '`paymentMethodType` (enum); in responses also `data` and `threeDSecureAuthentication`',
    'external.optional':
      'status | enum | optional | … statusReason | StatusReason | optional | … paymentType | enum | optional | Payment types above | … descriptor | string | optional | Bank statement description',
    'limits.metadata': 'metadata | map string to any | optional | Values only strings or integers',
    'external.response-data':
      'Response paymentMethod.data: binData (network, issuerCountryCode, issuerName, productUsageType, accountFundingType) and first6Digits.',
    'external.3d-secure':
      'Response paymentMethod.threeDSecureAuthentication: transStatus, transStatusReason, responseCode, challengeIssued (boolean), protocolVersion, reasonCode, reasonText, eci.',
  },
  'Loyalty transaction (beta)': {
    'loyalty.id': 'id | string | Unique identifier of the transaction',
    'loyalty.date': 'date | datetime | UTC creation time',
    'loyalty.fields':
      'connectionId | string | ID of the connection configuration for the loyalty provider | … customerId | string | Customer identifier on the loyalty provider | … orderId | string | Unique identifier of the order | … value | integer | Points value',
    'loyalty.provider':
      "connectionTransactionId | string | Transaction ID on the provider's side | … connectionName | string | Name of the loyalty provider",
    'loyalty.type': 'type | enum | REDEMPTION or REFUND',
  },
  'Loyalty customer (beta)': {
    'loyalty.customer':
      'id (string; customer ID on the provider), connectionId (string), connectionName (string), balance (integer; points balance).',
  },
}
