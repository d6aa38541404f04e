// biome-ignore-all lint/suspicious/noAssignInExpressions: each field is read once, in one expression.
// Written by `npm run guards` from the schemas beside it: do not edit.

/** Whether a value is what its schema says. A `null` in an optional field becomes `undefined` on the way. */
export type Guard = (value: unknown) => boolean

type Fields = { [Name in FieldName]?: unknown }

type FieldName =
  | 'accountFundingType'
  | 'accountNumberType'
  | 'addressLine1'
  | 'addressLine2'
  | 'amount'
  | 'amountCaptured'
  | 'amountRefunded'
  | 'analyticsId'
  | 'authorizationType'
  | 'balance'
  | 'billingAddress'
  | 'binData'
  | 'brand'
  | 'cardholderName'
  | 'challengeIssued'
  | 'challengeRequiredBy'
  | 'city'
  | 'clientToken'
  | 'clientTokenExpirationDate'
  | 'code'
  | 'color'
  | 'connectionId'
  | 'connectionName'
  | 'connectionTransactionId'
  | 'countryCode'
  | 'createdAt'
  | 'currency'
  | 'currencyCode'
  | 'customer'
  | 'customerId'
  | 'data'
  | 'date'
  | 'dateUpdated'
  | 'declineType'
  | 'default'
  | 'deleted'
  | 'deletedAt'
  | 'description'
  | 'descriptor'
  | 'discountAmount'
  | 'eci'
  | 'emailAddress'
  | 'eventType'
  | 'expirationMonth'
  | 'expirationYear'
  | 'fees'
  | 'first6Digits'
  | 'firstName'
  | 'fraudCheck'
  | 'globalTradeItemNumber'
  | 'id'
  | 'isNetworkTokenized'
  | 'isVaulted'
  | 'isVerified'
  | 'issuerCountryCode'
  | 'issuerCurrencyCode'
  | 'issuerName'
  | 'itemId'
  | 'items'
  | 'last4Digits'
  | 'lastName'
  | 'limit'
  | 'lineItems'
  | 'manufacturerPartNumber'
  | 'merchantId'
  | 'message'
  | 'metadata'
  | 'mobileNumber'
  | 'name'
  | 'nationalDocumentId'
  | 'network'
  | 'nextCursor'
  | 'notificationConfig'
  | 'offset'
  | 'options'
  | 'order'
  | 'orderDetails'
  | 'orderId'
  | 'payment'
  | 'paymentId'
  | 'paymentMethod'
  | 'paymentMethodData'
  | 'paymentMethodToken'
  | 'paymentMethodType'
  | 'paymentType'
  | 'postAuthorizationResult'
  | 'postalCode'
  | 'preAuthorizationResult'
  | 'prepaidReloadableIndicator'
  | 'prevCursor'
  | 'primerAccountId'
  | 'processor'
  | 'processorDisputeId'
  | 'processorMerchantId'
  | 'processorName'
  | 'processorReason'
  | 'processorStatus'
  | 'processorStatusReason'
  | 'processorTransactionId'
  | 'productCode'
  | 'productData'
  | 'productName'
  | 'productType'
  | 'productUsageType'
  | 'protocolVersion'
  | 'quantity'
  | 'reason'
  | 'reasonCode'
  | 'reasonText'
  | 'receivedAt'
  | 'regionalRestriction'
  | 'requiredAction'
  | 'responseCode'
  | 'retailerCountryCode'
  | 'riskData'
  | 'shipping'
  | 'shippingAddress'
  | 'signedAt'
  | 'sku'
  | 'source'
  | 'state'
  | 'status'
  | 'statusReason'
  | 'taxAmount'
  | 'taxCode'
  | 'taxId'
  | 'threeDSecureAuthentication'
  | 'token'
  | 'tokenType'
  | 'total'
  | 'transStatus'
  | 'transStatusReason'
  | 'transactionId'
  | 'transactionType'
  | 'transactions'
  | 'type'
  | 'value'
  | 'vaultOnSuccess'
  | 'vaultedPaymentMethodToken'
  | 'version'
  | 'warnings'
  | 'weight'
  | 'weightUnit'

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function every(values: unknown, guard: Guard): boolean {
  if (!Array.isArray(values)) return false
  for (let index = 0; index < values.length; index++) if (!guard(values[index])) return false
  return true
}

function absent(fields: Fields, key: FieldName): true {
  fields[key] = undefined
  return true
}

function asBoolean(fields: Fields, key: FieldName): boolean {
  const value = fields[key]
  if (value !== 'true' && value !== 'false') return false
  fields[key] = value === 'true'
  return true
}

export function readPayment(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    typeof v.id === 'string' &&
    ((x = v.date) === undefined || typeof x === 'string' || (x === null && absent(v, 'date'))) &&
    ((x = v.dateUpdated) === undefined || typeof x === 'string' || (x === null && absent(v, 'dateUpdated'))) &&
    ((x = v.status) === undefined || typeof x === 'string' || (x === null && absent(v, 'status'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.customer) === undefined || readCustomer(x) || (x === null && absent(v, 'customer'))) &&
    ((x = v.metadata) === undefined || isObject(x) || (x === null && absent(v, 'metadata'))) &&
    ((x = v.paymentMethod) === undefined || readPaymentMethod(x) || (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.processor) === undefined || readProcessor(x) || (x === null && absent(v, 'processor'))) &&
    ((x = v.requiredAction) === undefined || readRequiredAction(x) || (x === null && absent(v, 'requiredAction'))) &&
    ((x = v.statusReason) === undefined || readStatusReason(x) || (x === null && absent(v, 'statusReason'))) &&
    ((x = v.transactions) === undefined || every(x, readTransaction) || (x === null && absent(v, 'transactions'))) &&
    ((x = v.riskData) === undefined || readRiskData(x) || (x === null && absent(v, 'riskData'))) &&
    ((x = v.order) === undefined || readOrder(x) || (x === null && absent(v, 'order')))
  )
}

function readCustomer(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.emailAddress) === undefined || typeof x === 'string' || (x === null && absent(v, 'emailAddress'))) &&
    ((x = v.mobileNumber) === undefined || typeof x === 'string' || (x === null && absent(v, 'mobileNumber'))) &&
    ((x = v.firstName) === undefined || typeof x === 'string' || (x === null && absent(v, 'firstName'))) &&
    ((x = v.lastName) === undefined || typeof x === 'string' || (x === null && absent(v, 'lastName'))) &&
    ((x = v.billingAddress) === undefined || readAddress(x) || (x === null && absent(v, 'billingAddress'))) &&
    ((x = v.shippingAddress) === undefined || readAddress(x) || (x === null && absent(v, 'shippingAddress'))) &&
    ((x = v.taxId) === undefined || typeof x === 'string' || (x === null && absent(v, 'taxId'))) &&
    ((x = v.nationalDocumentId) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'nationalDocumentId')))
  )
}

function readAddress(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.firstName) === undefined || typeof x === 'string' || (x === null && absent(v, 'firstName'))) &&
    ((x = v.lastName) === undefined || typeof x === 'string' || (x === null && absent(v, 'lastName'))) &&
    ((x = v.addressLine1) === undefined || typeof x === 'string' || (x === null && absent(v, 'addressLine1'))) &&
    ((x = v.addressLine2) === undefined || typeof x === 'string' || (x === null && absent(v, 'addressLine2'))) &&
    ((x = v.city) === undefined || typeof x === 'string' || (x === null && absent(v, 'city'))) &&
    ((x = v.state) === undefined || typeof x === 'string' || (x === null && absent(v, 'state'))) &&
    ((x = v.countryCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'countryCode'))) &&
    ((x = v.postalCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'postalCode')))
  )
}

function readPaymentMethod(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.descriptor) === undefined || typeof x === 'string' || (x === null && absent(v, 'descriptor'))) &&
    ((x = v.paymentType) === undefined || typeof x === 'string' || (x === null && absent(v, 'paymentType'))) &&
    ((x = v.paymentMethodToken) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'paymentMethodToken'))) &&
    ((x = v.vaultedPaymentMethodToken) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'vaultedPaymentMethodToken'))) &&
    ((x = v.isVaulted) === undefined ||
      typeof x === 'boolean' ||
      asBoolean(v, 'isVaulted') ||
      (x === null && absent(v, 'isVaulted'))) &&
    ((x = v.analyticsId) === undefined || typeof x === 'string' || (x === null && absent(v, 'analyticsId'))) &&
    ((x = v.paymentMethodType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'paymentMethodType'))) &&
    ((x = v.paymentMethodData) === undefined ||
      readPaymentMethodData(x) ||
      (x === null && absent(v, 'paymentMethodData'))) &&
    ((x = v.threeDSecureAuthentication) === undefined ||
      readThreeDSecureAuthentication(x) ||
      (x === null && absent(v, 'threeDSecureAuthentication'))) &&
    ((x = v.authorizationType) === undefined || typeof x === 'string' || (x === null && absent(v, 'authorizationType')))
  )
}

function readPaymentMethodData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.first6Digits) === undefined || typeof x === 'string' || (x === null && absent(v, 'first6Digits'))) &&
    ((x = v.last4Digits) === undefined || typeof x === 'string' || (x === null && absent(v, 'last4Digits'))) &&
    ((x = v.expirationMonth) === undefined || typeof x === 'string' || (x === null && absent(v, 'expirationMonth'))) &&
    ((x = v.expirationYear) === undefined || typeof x === 'string' || (x === null && absent(v, 'expirationYear'))) &&
    ((x = v.cardholderName) === undefined || typeof x === 'string' || (x === null && absent(v, 'cardholderName'))) &&
    ((x = v.network) === undefined || typeof x === 'string' || (x === null && absent(v, 'network'))) &&
    ((x = v.isNetworkTokenized) === undefined ||
      typeof x === 'boolean' ||
      asBoolean(v, 'isNetworkTokenized') ||
      (x === null && absent(v, 'isNetworkTokenized'))) &&
    ((x = v.binData) === undefined || readBinData(x) || (x === null && absent(v, 'binData')))
  )
}

function readBinData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.network) === undefined || typeof x === 'string' || (x === null && absent(v, 'network'))) &&
    ((x = v.issuerCountryCode) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'issuerCountryCode'))) &&
    ((x = v.issuerName) === undefined || typeof x === 'string' || (x === null && absent(v, 'issuerName'))) &&
    ((x = v.issuerCurrencyCode) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'issuerCurrencyCode'))) &&
    ((x = v.regionalRestriction) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'regionalRestriction'))) &&
    ((x = v.accountNumberType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'accountNumberType'))) &&
    ((x = v.accountFundingType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'accountFundingType'))) &&
    ((x = v.prepaidReloadableIndicator) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'prepaidReloadableIndicator'))) &&
    ((x = v.productUsageType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'productUsageType'))) &&
    ((x = v.productCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'productCode'))) &&
    ((x = v.productName) === undefined || typeof x === 'string' || (x === null && absent(v, 'productName')))
  )
}

function readThreeDSecureAuthentication(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.responseCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'responseCode'))) &&
    ((x = v.reasonCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'reasonCode'))) &&
    ((x = v.reasonText) === undefined || typeof x === 'string' || (x === null && absent(v, 'reasonText'))) &&
    ((x = v.protocolVersion) === undefined || typeof x === 'string' || (x === null && absent(v, 'protocolVersion'))) &&
    ((x = v.challengeIssued) === undefined ||
      typeof x === 'boolean' ||
      asBoolean(v, 'challengeIssued') ||
      (x === null && absent(v, 'challengeIssued')))
  )
}

function readProcessor(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.name) === undefined || typeof x === 'string' || (x === null && absent(v, 'name'))) &&
    ((x = v.processorMerchantId) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'processorMerchantId'))) &&
    ((x = v.amountCaptured) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amountCaptured'))) &&
    ((x = v.amountRefunded) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amountRefunded')))
  )
}

function readRequiredAction(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.name) === undefined || typeof x === 'string' || (x === null && absent(v, 'name'))) &&
    ((x = v.description) === undefined || typeof x === 'string' || (x === null && absent(v, 'description'))) &&
    ((x = v.clientToken) === undefined || typeof x === 'string' || (x === null && absent(v, 'clientToken')))
  )
}

function readStatusReason(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.type) === undefined || typeof x === 'string' || (x === null && absent(v, 'type'))) &&
    ((x = v.declineType) === undefined || typeof x === 'string' || (x === null && absent(v, 'declineType'))) &&
    ((x = v.code) === undefined || typeof x === 'string' || (x === null && absent(v, 'code'))) &&
    ((x = v.message) === undefined || typeof x === 'string' || (x === null && absent(v, 'message')))
  )
}

function readTransaction(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.date) === undefined || typeof x === 'string' || (x === null && absent(v, 'date'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.transactionType) === undefined || typeof x === 'string' || (x === null && absent(v, 'transactionType'))) &&
    ((x = v.processorTransactionId) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'processorTransactionId'))) &&
    ((x = v.processorName) === undefined || typeof x === 'string' || (x === null && absent(v, 'processorName'))) &&
    ((x = v.processorMerchantId) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'processorMerchantId'))) &&
    ((x = v.processorStatus) === undefined || typeof x === 'string' || (x === null && absent(v, 'processorStatus'))) &&
    ((x = v.processorStatusReason) === undefined ||
      readStatusReason(x) ||
      (x === null && absent(v, 'processorStatusReason')))
  )
}

function readRiskData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.fraudCheck) === undefined || readFraudCheck(x) || (x === null && absent(v, 'fraudCheck')))
  )
}

function readFraudCheck(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.source) === undefined || typeof x === 'string' || (x === null && absent(v, 'source'))) &&
    ((x = v.preAuthorizationResult) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'preAuthorizationResult'))) &&
    ((x = v.postAuthorizationResult) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'postAuthorizationResult')))
  )
}

function readOrder(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.countryCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'countryCode'))) &&
    ((x = v.retailerCountryCode) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'retailerCountryCode'))) &&
    ((x = v.fees) === undefined || every(x, readFee) || (x === null && absent(v, 'fees'))) &&
    ((x = v.shipping) === undefined || readShipping(x) || (x === null && absent(v, 'shipping'))) &&
    ((x = v.lineItems) === undefined || every(x, readLineItem) || (x === null && absent(v, 'lineItems')))
  )
}

function readFee(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.type) === undefined || typeof x === 'string' || (x === null && absent(v, 'type'))) &&
    ((x = v.description) === undefined || typeof x === 'string' || (x === null && absent(v, 'description')))
  )
}

function readShipping(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) && ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount')))
  )
}

function readLineItem(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.itemId) === undefined || typeof x === 'string' || (x === null && absent(v, 'itemId'))) &&
    ((x = v.name) === undefined || typeof x === 'string' || (x === null && absent(v, 'name'))) &&
    ((x = v.description) === undefined || typeof x === 'string' || (x === null && absent(v, 'description'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.quantity) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'quantity'))) &&
    ((x = v.discountAmount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'discountAmount'))) &&
    ((x = v.taxAmount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'taxAmount'))) &&
    ((x = v.taxCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'taxCode'))) &&
    ((x = v.productType) === undefined || typeof x === 'string' || (x === null && absent(v, 'productType'))) &&
    ((x = v.productData) === undefined || readProductData(x) || (x === null && absent(v, 'productData')))
  )
}

function readProductData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.sku) === undefined || typeof x === 'string' || (x === null && absent(v, 'sku'))) &&
    ((x = v.brand) === undefined || typeof x === 'string' || (x === null && absent(v, 'brand'))) &&
    ((x = v.color) === undefined || typeof x === 'string' || (x === null && absent(v, 'color'))) &&
    ((x = v.globalTradeItemNumber) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'globalTradeItemNumber'))) &&
    ((x = v.manufacturerPartNumber) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'manufacturerPartNumber'))) &&
    ((x = v.weight) === undefined || Number.isFinite(x) || (x === null && absent(v, 'weight'))) &&
    ((x = v.weightUnit) === undefined || typeof x === 'string' || (x === null && absent(v, 'weightUnit')))
  )
}

export function readPaymentV21(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    typeof v.id === 'string' &&
    ((x = v.date) === undefined || typeof x === 'string' || (x === null && absent(v, 'date'))) &&
    ((x = v.dateUpdated) === undefined || typeof x === 'string' || (x === null && absent(v, 'dateUpdated'))) &&
    ((x = v.status) === undefined || typeof x === 'string' || (x === null && absent(v, 'status'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.customer) === undefined || readCustomer(x) || (x === null && absent(v, 'customer'))) &&
    ((x = v.metadata) === undefined || isObject(x) || (x === null && absent(v, 'metadata'))) &&
    ((x = v.paymentMethod) === undefined || readPaymentMethod(x) || (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.processor) === undefined || readProcessor(x) || (x === null && absent(v, 'processor'))) &&
    ((x = v.requiredAction) === undefined || readRequiredAction(x) || (x === null && absent(v, 'requiredAction'))) &&
    ((x = v.statusReason) === undefined || readStatusReason(x) || (x === null && absent(v, 'statusReason'))) &&
    ((x = v.transactions) === undefined || every(x, readTransaction) || (x === null && absent(v, 'transactions'))) &&
    ((x = v.riskData) === undefined || readRiskData(x) || (x === null && absent(v, 'riskData'))) &&
    ((x = v.lineItems) === undefined || every(x, readLineItem) || (x === null && absent(v, 'lineItems'))) &&
    ((x = v.orderDetails) === undefined || readOrderDetails(x) || (x === null && absent(v, 'orderDetails')))
  )
}

function readOrderDetails(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.countryCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'countryCode'))) &&
    ((x = v.retailerCountryCode) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'retailerCountryCode'))) &&
    ((x = v.fees) === undefined || every(x, readFee) || (x === null && absent(v, 'fees'))) &&
    ((x = v.shipping) === undefined || readShipping(x) || (x === null && absent(v, 'shipping')))
  )
}

export function readPaymentsPage(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    every(v.data, readPaymentSummary) &&
    ((x = v.nextCursor) === undefined || typeof x === 'string' || (x === null && absent(v, 'nextCursor'))) &&
    ((x = v.prevCursor) === undefined || typeof x === 'string' || (x === null && absent(v, 'prevCursor')))
  )
}

function readPaymentSummary(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    typeof v.id === 'string' &&
    ((x = v.date) === undefined || typeof x === 'string' || (x === null && absent(v, 'date'))) &&
    ((x = v.dateUpdated) === undefined || typeof x === 'string' || (x === null && absent(v, 'dateUpdated'))) &&
    ((x = v.status) === undefined || typeof x === 'string' || (x === null && absent(v, 'status'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.customer) === undefined || readCustomer(x) || (x === null && absent(v, 'customer'))) &&
    ((x = v.metadata) === undefined || isObject(x) || (x === null && absent(v, 'metadata'))) &&
    ((x = v.paymentMethod) === undefined || readPaymentMethod(x) || (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.processor) === undefined || readProcessor(x) || (x === null && absent(v, 'processor'))) &&
    ((x = v.requiredAction) === undefined || readRequiredAction(x) || (x === null && absent(v, 'requiredAction'))) &&
    ((x = v.statusReason) === undefined || readStatusReason(x) || (x === null && absent(v, 'statusReason'))) &&
    ((x = v.transactions) === undefined || every(x, readTransaction) || (x === null && absent(v, 'transactions'))) &&
    ((x = v.riskData) === undefined || readRiskData(x) || (x === null && absent(v, 'riskData')))
  )
}

export function readClientSession(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.metadata) === undefined || isObject(x) || (x === null && absent(v, 'metadata'))) &&
    ((x = v.customer) === undefined || readCustomer(x) || (x === null && absent(v, 'customer'))) &&
    ((x = v.paymentMethod) === undefined || readPaymentMethodInput(x) || (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.order) === undefined || readOrder(x) || (x === null && absent(v, 'order')))
  )
}

function readPaymentMethodInput(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.descriptor) === undefined || typeof x === 'string' || (x === null && absent(v, 'descriptor'))) &&
    ((x = v.paymentType) === undefined || typeof x === 'string' || (x === null && absent(v, 'paymentType'))) &&
    ((x = v.authorizationType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'authorizationType'))) &&
    ((x = v.vaultOnSuccess) === undefined ||
      typeof x === 'boolean' ||
      asBoolean(v, 'vaultOnSuccess') ||
      (x === null && absent(v, 'vaultOnSuccess'))) &&
    ((x = v.options) === undefined || isObject(x) || (x === null && absent(v, 'options')))
  )
}

export function readClientSessionV21(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.metadata) === undefined || isObject(x) || (x === null && absent(v, 'metadata'))) &&
    ((x = v.customer) === undefined || readCustomer(x) || (x === null && absent(v, 'customer'))) &&
    ((x = v.paymentMethod) === undefined || readPaymentMethodInput(x) || (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.lineItems) === undefined || every(x, readLineItem) || (x === null && absent(v, 'lineItems'))) &&
    ((x = v.orderDetails) === undefined || readOrderDetails(x) || (x === null && absent(v, 'orderDetails')))
  )
}

export function readCreatedClientSession(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.metadata) === undefined || isObject(x) || (x === null && absent(v, 'metadata'))) &&
    ((x = v.customer) === undefined || readCustomer(x) || (x === null && absent(v, 'customer'))) &&
    ((x = v.paymentMethod) === undefined || readPaymentMethodInput(x) || (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.order) === undefined || readOrder(x) || (x === null && absent(v, 'order'))) &&
    typeof v.clientToken === 'string' &&
    ((x = v.clientTokenExpirationDate) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'clientTokenExpirationDate'))) &&
    ((x = v.warnings) === undefined ||
      readSessionWarning(x) ||
      every(x, readSessionWarning) ||
      (x === null && absent(v, 'warnings')))
  )
}

function readSessionWarning(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.type) === undefined || typeof x === 'string' || (x === null && absent(v, 'type'))) &&
    ((x = v.code) === undefined || typeof x === 'string' || (x === null && absent(v, 'code'))) &&
    ((x = v.message) === undefined || typeof x === 'string' || (x === null && absent(v, 'message')))
  )
}

export function readCreatedClientSessionV21(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.metadata) === undefined || isObject(x) || (x === null && absent(v, 'metadata'))) &&
    ((x = v.customer) === undefined || readCustomer(x) || (x === null && absent(v, 'customer'))) &&
    ((x = v.paymentMethod) === undefined || readPaymentMethodInput(x) || (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.lineItems) === undefined || every(x, readLineItem) || (x === null && absent(v, 'lineItems'))) &&
    ((x = v.orderDetails) === undefined || readOrderDetails(x) || (x === null && absent(v, 'orderDetails'))) &&
    typeof v.clientToken === 'string' &&
    ((x = v.clientTokenExpirationDate) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'clientTokenExpirationDate'))) &&
    ((x = v.warnings) === undefined ||
      readSessionWarning(x) ||
      every(x, readSessionWarning) ||
      (x === null && absent(v, 'warnings')))
  )
}

export function readPaymentInstrument(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    typeof v.token === 'string' &&
    ((x = v.tokenType) === undefined || typeof x === 'string' || (x === null && absent(v, 'tokenType'))) &&
    ((x = v.analyticsId) === undefined || typeof x === 'string' || (x === null && absent(v, 'analyticsId'))) &&
    ((x = v.paymentMethodType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'paymentMethodType'))) &&
    ((x = v.paymentMethodData) === undefined ||
      readPaymentMethodData(x) ||
      (x === null && absent(v, 'paymentMethodData'))) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.description) === undefined || typeof x === 'string' || (x === null && absent(v, 'description'))) &&
    ((x = v.default) === undefined ||
      typeof x === 'boolean' ||
      asBoolean(v, 'default') ||
      (x === null && absent(v, 'default'))) &&
    ((x = v.isVerified) === undefined ||
      typeof x === 'boolean' ||
      asBoolean(v, 'isVerified') ||
      (x === null && absent(v, 'isVerified'))) &&
    ((x = v.createdAt) === undefined || typeof x === 'string' || (x === null && absent(v, 'createdAt'))) &&
    ((x = v.deleted) === undefined ||
      typeof x === 'boolean' ||
      asBoolean(v, 'deleted') ||
      (x === null && absent(v, 'deleted'))) &&
    ((x = v.deletedAt) === undefined || typeof x === 'string' || (x === null && absent(v, 'deletedAt')))
  )
}

export function readPaymentInstrumentList(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return isObject(value) && every(v.data, readPaymentInstrument)
}

export function readExternalPayment(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.paymentId) === undefined || typeof x === 'string' || (x === null && absent(v, 'paymentId'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.processor) === undefined || readExternalPaymentProcessor(x) || (x === null && absent(v, 'processor'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.createdAt) === undefined || typeof x === 'string' || (x === null && absent(v, 'createdAt'))) &&
    ((x = v.order) === undefined || readExternalPaymentOrder(x) || (x === null && absent(v, 'order'))) &&
    ((x = v.paymentMethod) === undefined ||
      readExternalPaymentPaymentMethod(x) ||
      (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.status) === undefined || typeof x === 'string' || (x === null && absent(v, 'status'))) &&
    ((x = v.statusReason) === undefined || readStatusReason(x) || (x === null && absent(v, 'statusReason'))) &&
    ((x = v.metadata) === undefined || isObject(x) || (x === null && absent(v, 'metadata'))) &&
    ((x = v.paymentType) === undefined || typeof x === 'string' || (x === null && absent(v, 'paymentType'))) &&
    ((x = v.descriptor) === undefined || typeof x === 'string' || (x === null && absent(v, 'descriptor')))
  )
}

function readExternalPaymentProcessor(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.name) === undefined || typeof x === 'string' || (x === null && absent(v, 'name'))) &&
    ((x = v.merchantId) === undefined || typeof x === 'string' || (x === null && absent(v, 'merchantId')))
  )
}

function readExternalPaymentOrder(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.id) === undefined || typeof x === 'string' || (x === null && absent(v, 'id'))) &&
    ((x = v.countryCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'countryCode')))
  )
}

function readExternalPaymentPaymentMethod(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.paymentMethodType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'paymentMethodType'))) &&
    ((x = v.data) === undefined || readExternalPaymentPaymentMethodData(x) || (x === null && absent(v, 'data'))) &&
    ((x = v.threeDSecureAuthentication) === undefined ||
      readExternalPaymentPaymentMethodThreeDSecureAuthentication(x) ||
      (x === null && absent(v, 'threeDSecureAuthentication')))
  )
}

function readExternalPaymentPaymentMethodData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.first6Digits) === undefined || typeof x === 'string' || (x === null && absent(v, 'first6Digits'))) &&
    ((x = v.binData) === undefined ||
      readExternalPaymentPaymentMethodDataBinData(x) ||
      (x === null && absent(v, 'binData')))
  )
}

function readExternalPaymentPaymentMethodDataBinData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.network) === undefined || typeof x === 'string' || (x === null && absent(v, 'network'))) &&
    ((x = v.issuerCountryCode) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'issuerCountryCode'))) &&
    ((x = v.issuerName) === undefined || typeof x === 'string' || (x === null && absent(v, 'issuerName'))) &&
    ((x = v.productUsageType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'productUsageType'))) &&
    ((x = v.accountFundingType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'accountFundingType')))
  )
}

function readExternalPaymentPaymentMethodThreeDSecureAuthentication(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.transStatus) === undefined || typeof x === 'string' || (x === null && absent(v, 'transStatus'))) &&
    ((x = v.transStatusReason) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'transStatusReason'))) &&
    ((x = v.responseCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'responseCode'))) &&
    ((x = v.challengeIssued) === undefined ||
      typeof x === 'boolean' ||
      asBoolean(v, 'challengeIssued') ||
      (x === null && absent(v, 'challengeIssued'))) &&
    ((x = v.protocolVersion) === undefined || typeof x === 'string' || (x === null && absent(v, 'protocolVersion'))) &&
    ((x = v.reasonCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'reasonCode'))) &&
    ((x = v.reasonText) === undefined || typeof x === 'string' || (x === null && absent(v, 'reasonText'))) &&
    ((x = v.eci) === undefined || typeof x === 'string' || (x === null && absent(v, 'eci')))
  )
}

export function readLoyaltyTransaction(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.id) === undefined || typeof x === 'string' || (x === null && absent(v, 'id'))) &&
    ((x = v.date) === undefined || typeof x === 'string' || (x === null && absent(v, 'date'))) &&
    ((x = v.connectionId) === undefined || typeof x === 'string' || (x === null && absent(v, 'connectionId'))) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.connectionTransactionId) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'connectionTransactionId'))) &&
    ((x = v.connectionName) === undefined || typeof x === 'string' || (x === null && absent(v, 'connectionName'))) &&
    ((x = v.type) === undefined || typeof x === 'string' || (x === null && absent(v, 'type'))) &&
    ((x = v.value) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'value')))
  )
}

export function readLoyaltyTransactionPage(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    every(v.items, readLoyaltyTransaction) &&
    ((x = v.total) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'total'))) &&
    ((x = v.limit) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'limit'))) &&
    ((x = v.offset) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'offset')))
  )
}

export function readLoyaltyCustomer(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.id) === undefined || typeof x === 'string' || (x === null && absent(v, 'id'))) &&
    ((x = v.connectionId) === undefined || typeof x === 'string' || (x === null && absent(v, 'connectionId'))) &&
    ((x = v.connectionName) === undefined || typeof x === 'string' || (x === null && absent(v, 'connectionName'))) &&
    ((x = v.balance) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'balance')))
  )
}

export function readPaymentStatusEvent(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    v.eventType === 'PAYMENT.STATUS' &&
    ((x = v.date) === undefined || typeof x === 'string' || (x === null && absent(v, 'date'))) &&
    ((x = v.notificationConfig) === undefined ||
      readPaymentStatusEventNotificationConfig(x) ||
      (x === null && absent(v, 'notificationConfig'))) &&
    ((x = v.version) === undefined || typeof x === 'string' || (x === null && absent(v, 'version'))) &&
    readEventPayment(v.payment)
  )
}

function readPaymentStatusEventNotificationConfig(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.id) === undefined || typeof x === 'string' || (x === null && absent(v, 'id'))) &&
    ((x = v.description) === undefined || typeof x === 'string' || (x === null && absent(v, 'description')))
  )
}

function readEventPayment(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    typeof v.id === 'string' &&
    ((x = v.date) === undefined || typeof x === 'string' || (x === null && absent(v, 'date'))) &&
    ((x = v.dateUpdated) === undefined || typeof x === 'string' || (x === null && absent(v, 'dateUpdated'))) &&
    ((x = v.status) === undefined || typeof x === 'string' || (x === null && absent(v, 'status'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'currencyCode'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || (x === null && absent(v, 'customerId'))) &&
    ((x = v.customer) === undefined || readCustomer(x) || (x === null && absent(v, 'customer'))) &&
    ((x = v.metadata) === undefined || isObject(x) || (x === null && absent(v, 'metadata'))) &&
    ((x = v.paymentMethod) === undefined || readPaymentMethod(x) || (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.processor) === undefined || readProcessor(x) || (x === null && absent(v, 'processor'))) &&
    ((x = v.requiredAction) === undefined || readRequiredAction(x) || (x === null && absent(v, 'requiredAction'))) &&
    ((x = v.statusReason) === undefined || readStatusReason(x) || (x === null && absent(v, 'statusReason'))) &&
    ((x = v.transactions) === undefined || every(x, readTransaction) || (x === null && absent(v, 'transactions'))) &&
    ((x = v.riskData) === undefined || readRiskData(x) || (x === null && absent(v, 'riskData'))) &&
    ((x = v.order) === undefined || readOrder(x) || (x === null && absent(v, 'order'))) &&
    ((x = v.lineItems) === undefined || every(x, readLineItem) || (x === null && absent(v, 'lineItems'))) &&
    ((x = v.orderDetails) === undefined || readOrderDetails(x) || (x === null && absent(v, 'orderDetails')))
  )
}

export function readPaymentRefundEvent(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    v.eventType === 'PAYMENT.REFUND' &&
    ((x = v.date) === undefined || typeof x === 'string' || (x === null && absent(v, 'date'))) &&
    ((x = v.notificationConfig) === undefined ||
      readPaymentStatusEventNotificationConfig(x) ||
      (x === null && absent(v, 'notificationConfig'))) &&
    ((x = v.version) === undefined || typeof x === 'string' || (x === null && absent(v, 'version'))) &&
    readEventPayment(v.payment)
  )
}

export function readDisputeStatusEvent(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    v.eventType === 'DISPUTE.STATUS' &&
    ((x = v.version) === undefined || typeof x === 'string' || (x === null && absent(v, 'version'))) &&
    ((x = v.type) === undefined || typeof x === 'string' || (x === null && absent(v, 'type'))) &&
    ((x = v.status) === undefined || typeof x === 'string' || (x === null && absent(v, 'status'))) &&
    ((x = v.primerAccountId) === undefined || typeof x === 'string' || (x === null && absent(v, 'primerAccountId'))) &&
    ((x = v.transactionId) === undefined || typeof x === 'string' || (x === null && absent(v, 'transactionId'))) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || (x === null && absent(v, 'orderId'))) &&
    ((x = v.paymentId) === undefined || typeof x === 'string' || (x === null && absent(v, 'paymentId'))) &&
    ((x = v.paymentMethod) === undefined ||
      readDisputeStatusEventPaymentMethod(x) ||
      (x === null && absent(v, 'paymentMethod'))) &&
    ((x = v.processor) === undefined || typeof x === 'string' || (x === null && absent(v, 'processor'))) &&
    ((x = v.processorDisputeId) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'processorDisputeId'))) &&
    ((x = v.receivedAt) === undefined || typeof x === 'string' || (x === null && absent(v, 'receivedAt'))) &&
    ((x = v.challengeRequiredBy) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'challengeRequiredBy'))) &&
    ((x = v.reason) === undefined || typeof x === 'string' || (x === null && absent(v, 'reason'))) &&
    ((x = v.reasonCode) === undefined || typeof x === 'string' || (x === null && absent(v, 'reasonCode'))) &&
    ((x = v.processorReason) === undefined || typeof x === 'string' || (x === null && absent(v, 'processorReason'))) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || (x === null && absent(v, 'amount'))) &&
    ((x = v.currency) === undefined || typeof x === 'string' || (x === null && absent(v, 'currency'))) &&
    ((x = v.merchantId) === undefined || typeof x === 'string' || (x === null && absent(v, 'merchantId')))
  )
}

function readDisputeStatusEventPaymentMethod(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.paymentMethodType) === undefined ||
      typeof x === 'string' ||
      (x === null && absent(v, 'paymentMethodType'))) &&
    ((x = v.paymentMethodData) === undefined ||
      readDisputeStatusEventPaymentMethodPaymentMethodData(x) ||
      (x === null && absent(v, 'paymentMethodData')))
  )
}

function readDisputeStatusEventPaymentMethodPaymentMethodData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) && ((x = v.network) === undefined || typeof x === 'string' || (x === null && absent(v, 'network')))
  )
}
