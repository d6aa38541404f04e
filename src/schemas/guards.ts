// biome-ignore-all lint/suspicious/noAssignInExpressions: each field is read once, in one expression.
// Written by `npm run guards` from the schemas beside it: do not edit.
import { asBoolean, broken, every, isObject, orAbsent } from './guard.js'

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
  | 'billingAddress'
  | 'binData'
  | 'brand'
  | 'cardholderName'
  | 'challengeIssued'
  | 'challengeRequiredBy'
  | 'city'
  | 'clientToken'
  | 'code'
  | 'color'
  | 'countryCode'
  | 'currency'
  | 'currencyCode'
  | 'customer'
  | 'customerId'
  | 'data'
  | 'date'
  | 'dateUpdated'
  | 'declineType'
  | 'description'
  | 'descriptor'
  | 'discountAmount'
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
  | 'issuerCountryCode'
  | 'issuerCurrencyCode'
  | 'issuerName'
  | 'itemId'
  | 'last4Digits'
  | 'lastName'
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
  | 'transactionId'
  | 'transactionType'
  | 'transactions'
  | 'type'
  | 'vaultedPaymentMethodToken'
  | 'version'
  | 'weight'
  | 'weightUnit'

function readPaymentSummary(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    (typeof v.id === 'string' || broken('id')) &&
    ((x = v.date) === undefined || typeof x === 'string' || orAbsent(v, 'date')) &&
    ((x = v.dateUpdated) === undefined || typeof x === 'string' || orAbsent(v, 'dateUpdated')) &&
    ((x = v.status) === undefined || typeof x === 'string' || orAbsent(v, 'status')) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || orAbsent(v, 'orderId')) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || orAbsent(v, 'currencyCode')) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'amount')) &&
    ((x = v.customerId) === undefined || typeof x === 'string' || orAbsent(v, 'customerId')) &&
    ((x = v.customer) === undefined || readCustomer(x) || orAbsent(v, 'customer')) &&
    ((x = v.metadata) === undefined || isObject(x) || orAbsent(v, 'metadata')) &&
    ((x = v.paymentMethod) === undefined || readPaymentMethod(x) || orAbsent(v, 'paymentMethod')) &&
    ((x = v.processor) === undefined || readProcessor(x) || orAbsent(v, 'processor')) &&
    ((x = v.requiredAction) === undefined || readRequiredAction(x) || orAbsent(v, 'requiredAction')) &&
    ((x = v.statusReason) === undefined || readStatusReason(x) || orAbsent(v, 'statusReason')) &&
    ((x = v.transactions) === undefined || every(x, readTransaction) || orAbsent(v, 'transactions')) &&
    ((x = v.riskData) === undefined || readRiskData(x) || orAbsent(v, 'riskData'))
  )
}

function readCustomer(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.emailAddress) === undefined || typeof x === 'string' || orAbsent(v, 'emailAddress')) &&
    ((x = v.mobileNumber) === undefined || typeof x === 'string' || orAbsent(v, 'mobileNumber')) &&
    ((x = v.firstName) === undefined || typeof x === 'string' || orAbsent(v, 'firstName')) &&
    ((x = v.lastName) === undefined || typeof x === 'string' || orAbsent(v, 'lastName')) &&
    ((x = v.billingAddress) === undefined || readAddress(x) || orAbsent(v, 'billingAddress')) &&
    ((x = v.shippingAddress) === undefined || readAddress(x) || orAbsent(v, 'shippingAddress')) &&
    ((x = v.taxId) === undefined || typeof x === 'string' || orAbsent(v, 'taxId')) &&
    ((x = v.nationalDocumentId) === undefined || typeof x === 'string' || orAbsent(v, 'nationalDocumentId'))
  )
}

function readAddress(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.firstName) === undefined || typeof x === 'string' || orAbsent(v, 'firstName')) &&
    ((x = v.lastName) === undefined || typeof x === 'string' || orAbsent(v, 'lastName')) &&
    ((x = v.addressLine1) === undefined || typeof x === 'string' || orAbsent(v, 'addressLine1')) &&
    ((x = v.addressLine2) === undefined || typeof x === 'string' || orAbsent(v, 'addressLine2')) &&
    ((x = v.city) === undefined || typeof x === 'string' || orAbsent(v, 'city')) &&
    ((x = v.state) === undefined || typeof x === 'string' || orAbsent(v, 'state')) &&
    ((x = v.countryCode) === undefined || typeof x === 'string' || orAbsent(v, 'countryCode')) &&
    ((x = v.postalCode) === undefined || typeof x === 'string' || orAbsent(v, 'postalCode'))
  )
}

function readPaymentMethod(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.descriptor) === undefined || typeof x === 'string' || orAbsent(v, 'descriptor')) &&
    ((x = v.paymentType) === undefined || typeof x === 'string' || orAbsent(v, 'paymentType')) &&
    ((x = v.paymentMethodToken) === undefined || typeof x === 'string' || orAbsent(v, 'paymentMethodToken')) &&
    ((x = v.vaultedPaymentMethodToken) === undefined ||
      typeof x === 'string' ||
      orAbsent(v, 'vaultedPaymentMethodToken')) &&
    ((x = v.isVaulted) === undefined || typeof x === 'boolean' || asBoolean(v, 'isVaulted')) &&
    ((x = v.analyticsId) === undefined || typeof x === 'string' || orAbsent(v, 'analyticsId')) &&
    ((x = v.paymentMethodType) === undefined || typeof x === 'string' || orAbsent(v, 'paymentMethodType')) &&
    ((x = v.paymentMethodData) === undefined || readPaymentMethodData(x) || orAbsent(v, 'paymentMethodData')) &&
    ((x = v.threeDSecureAuthentication) === undefined ||
      readThreeDSecureAuthentication(x) ||
      orAbsent(v, 'threeDSecureAuthentication')) &&
    ((x = v.authorizationType) === undefined || typeof x === 'string' || orAbsent(v, 'authorizationType'))
  )
}

function readPaymentMethodData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.first6Digits) === undefined || typeof x === 'string' || orAbsent(v, 'first6Digits')) &&
    ((x = v.last4Digits) === undefined || typeof x === 'string' || orAbsent(v, 'last4Digits')) &&
    ((x = v.expirationMonth) === undefined || typeof x === 'string' || orAbsent(v, 'expirationMonth')) &&
    ((x = v.expirationYear) === undefined || typeof x === 'string' || orAbsent(v, 'expirationYear')) &&
    ((x = v.cardholderName) === undefined || typeof x === 'string' || orAbsent(v, 'cardholderName')) &&
    ((x = v.network) === undefined || typeof x === 'string' || orAbsent(v, 'network')) &&
    ((x = v.isNetworkTokenized) === undefined || typeof x === 'boolean' || asBoolean(v, 'isNetworkTokenized')) &&
    ((x = v.binData) === undefined || readBinData(x) || orAbsent(v, 'binData'))
  )
}

function readBinData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.network) === undefined || typeof x === 'string' || orAbsent(v, 'network')) &&
    ((x = v.issuerCountryCode) === undefined || typeof x === 'string' || orAbsent(v, 'issuerCountryCode')) &&
    ((x = v.issuerName) === undefined || typeof x === 'string' || orAbsent(v, 'issuerName')) &&
    ((x = v.issuerCurrencyCode) === undefined || typeof x === 'string' || orAbsent(v, 'issuerCurrencyCode')) &&
    ((x = v.regionalRestriction) === undefined || typeof x === 'string' || orAbsent(v, 'regionalRestriction')) &&
    ((x = v.accountNumberType) === undefined || typeof x === 'string' || orAbsent(v, 'accountNumberType')) &&
    ((x = v.accountFundingType) === undefined || typeof x === 'string' || orAbsent(v, 'accountFundingType')) &&
    ((x = v.prepaidReloadableIndicator) === undefined ||
      typeof x === 'string' ||
      orAbsent(v, 'prepaidReloadableIndicator')) &&
    ((x = v.productUsageType) === undefined || typeof x === 'string' || orAbsent(v, 'productUsageType')) &&
    ((x = v.productCode) === undefined || typeof x === 'string' || orAbsent(v, 'productCode')) &&
    ((x = v.productName) === undefined || typeof x === 'string' || orAbsent(v, 'productName'))
  )
}

function readThreeDSecureAuthentication(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.responseCode) === undefined || typeof x === 'string' || orAbsent(v, 'responseCode')) &&
    ((x = v.reasonCode) === undefined || typeof x === 'string' || orAbsent(v, 'reasonCode')) &&
    ((x = v.reasonText) === undefined || typeof x === 'string' || orAbsent(v, 'reasonText')) &&
    ((x = v.protocolVersion) === undefined || typeof x === 'string' || orAbsent(v, 'protocolVersion')) &&
    ((x = v.challengeIssued) === undefined || typeof x === 'boolean' || asBoolean(v, 'challengeIssued'))
  )
}

function readProcessor(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.name) === undefined || typeof x === 'string' || orAbsent(v, 'name')) &&
    ((x = v.processorMerchantId) === undefined || typeof x === 'string' || orAbsent(v, 'processorMerchantId')) &&
    ((x = v.amountCaptured) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'amountCaptured')) &&
    ((x = v.amountRefunded) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'amountRefunded'))
  )
}

function readRequiredAction(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.name) === undefined || typeof x === 'string' || orAbsent(v, 'name')) &&
    ((x = v.description) === undefined || typeof x === 'string' || orAbsent(v, 'description')) &&
    ((x = v.clientToken) === undefined || typeof x === 'string' || orAbsent(v, 'clientToken'))
  )
}

function readStatusReason(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.type) === undefined || typeof x === 'string' || orAbsent(v, 'type')) &&
    ((x = v.declineType) === undefined || typeof x === 'string' || orAbsent(v, 'declineType')) &&
    ((x = v.code) === undefined || typeof x === 'string' || orAbsent(v, 'code')) &&
    ((x = v.message) === undefined || typeof x === 'string' || orAbsent(v, 'message'))
  )
}

function readTransaction(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.date) === undefined || typeof x === 'string' || orAbsent(v, 'date')) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'amount')) &&
    ((x = v.currencyCode) === undefined || typeof x === 'string' || orAbsent(v, 'currencyCode')) &&
    ((x = v.transactionType) === undefined || typeof x === 'string' || orAbsent(v, 'transactionType')) &&
    ((x = v.processorTransactionId) === undefined || typeof x === 'string' || orAbsent(v, 'processorTransactionId')) &&
    ((x = v.processorName) === undefined || typeof x === 'string' || orAbsent(v, 'processorName')) &&
    ((x = v.processorMerchantId) === undefined || typeof x === 'string' || orAbsent(v, 'processorMerchantId')) &&
    ((x = v.processorStatus) === undefined || typeof x === 'string' || orAbsent(v, 'processorStatus')) &&
    ((x = v.processorStatusReason) === undefined || readStatusReason(x) || orAbsent(v, 'processorStatusReason'))
  )
}

function readRiskData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return isObject(value) && ((x = v.fraudCheck) === undefined || readFraudCheck(x) || orAbsent(v, 'fraudCheck'))
}

function readFraudCheck(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.source) === undefined || typeof x === 'string' || orAbsent(v, 'source')) &&
    ((x = v.preAuthorizationResult) === undefined || typeof x === 'string' || orAbsent(v, 'preAuthorizationResult')) &&
    ((x = v.postAuthorizationResult) === undefined || typeof x === 'string' || orAbsent(v, 'postAuthorizationResult'))
  )
}

export function readPayment(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return readPaymentSummary(value) && ((x = v.order) === undefined || readOrder(x) || orAbsent(v, 'order'))
}

function readOrder(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.countryCode) === undefined || typeof x === 'string' || orAbsent(v, 'countryCode')) &&
    ((x = v.retailerCountryCode) === undefined || typeof x === 'string' || orAbsent(v, 'retailerCountryCode')) &&
    ((x = v.fees) === undefined || every(x, readFee) || orAbsent(v, 'fees')) &&
    ((x = v.shipping) === undefined || readShipping(x) || orAbsent(v, 'shipping')) &&
    ((x = v.lineItems) === undefined || every(x, readLineItem) || orAbsent(v, 'lineItems'))
  )
}

function readFee(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'amount')) &&
    ((x = v.type) === undefined || typeof x === 'string' || orAbsent(v, 'type')) &&
    ((x = v.description) === undefined || typeof x === 'string' || orAbsent(v, 'description'))
  )
}

function readShipping(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return isObject(value) && ((x = v.amount) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'amount'))
}

function readLineItem(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.itemId) === undefined || typeof x === 'string' || orAbsent(v, 'itemId')) &&
    ((x = v.name) === undefined || typeof x === 'string' || orAbsent(v, 'name')) &&
    ((x = v.description) === undefined || typeof x === 'string' || orAbsent(v, 'description')) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'amount')) &&
    ((x = v.quantity) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'quantity')) &&
    ((x = v.discountAmount) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'discountAmount')) &&
    ((x = v.taxAmount) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'taxAmount')) &&
    ((x = v.taxCode) === undefined || typeof x === 'string' || orAbsent(v, 'taxCode')) &&
    ((x = v.productType) === undefined || typeof x === 'string' || orAbsent(v, 'productType')) &&
    ((x = v.productData) === undefined || readProductData(x) || orAbsent(v, 'productData'))
  )
}

function readProductData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.sku) === undefined || typeof x === 'string' || orAbsent(v, 'sku')) &&
    ((x = v.brand) === undefined || typeof x === 'string' || orAbsent(v, 'brand')) &&
    ((x = v.color) === undefined || typeof x === 'string' || orAbsent(v, 'color')) &&
    ((x = v.globalTradeItemNumber) === undefined || typeof x === 'string' || orAbsent(v, 'globalTradeItemNumber')) &&
    ((x = v.manufacturerPartNumber) === undefined || typeof x === 'string' || orAbsent(v, 'manufacturerPartNumber')) &&
    ((x = v.weight) === undefined || Number.isFinite(x) || orAbsent(v, 'weight')) &&
    ((x = v.weightUnit) === undefined || typeof x === 'string' || orAbsent(v, 'weightUnit'))
  )
}

export function readPaymentV21(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    readPaymentSummary(value) &&
    ((x = v.lineItems) === undefined || every(x, readLineItem) || orAbsent(v, 'lineItems')) &&
    ((x = v.orderDetails) === undefined || readOrderDetails(x) || orAbsent(v, 'orderDetails'))
  )
}

function readOrderDetails(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.countryCode) === undefined || typeof x === 'string' || orAbsent(v, 'countryCode')) &&
    ((x = v.retailerCountryCode) === undefined || typeof x === 'string' || orAbsent(v, 'retailerCountryCode')) &&
    ((x = v.fees) === undefined || every(x, readFee) || orAbsent(v, 'fees')) &&
    ((x = v.shipping) === undefined || readShipping(x) || orAbsent(v, 'shipping'))
  )
}

export function readPaymentsPage(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    (every(v.data, readPaymentSummary) || broken('data')) &&
    ((x = v.nextCursor) === undefined || typeof x === 'string' || orAbsent(v, 'nextCursor')) &&
    ((x = v.prevCursor) === undefined || typeof x === 'string' || orAbsent(v, 'prevCursor'))
  )
}

export function readPaymentStatusEvent(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    (v.eventType === 'PAYMENT.STATUS' || broken('eventType')) &&
    ((x = v.date) === undefined || typeof x === 'string' || orAbsent(v, 'date')) &&
    (v.signedAt !== null || orAbsent(v, 'signedAt')) &&
    ((x = v.notificationConfig) === undefined ||
      readPaymentStatusEventNotificationConfig(x) ||
      orAbsent(v, 'notificationConfig')) &&
    ((x = v.version) === undefined || typeof x === 'string' || orAbsent(v, 'version')) &&
    (readEventPayment(v.payment) || broken('payment'))
  )
}

function readPaymentStatusEventNotificationConfig(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.id) === undefined || typeof x === 'string' || orAbsent(v, 'id')) &&
    ((x = v.description) === undefined || typeof x === 'string' || orAbsent(v, 'description'))
  )
}

function readEventPayment(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return readPaymentV21(value) && ((x = v.order) === undefined || readOrder(x) || orAbsent(v, 'order'))
}

export function readPaymentRefundEvent(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    (v.eventType === 'PAYMENT.REFUND' || broken('eventType')) &&
    ((x = v.date) === undefined || typeof x === 'string' || orAbsent(v, 'date')) &&
    (v.signedAt !== null || orAbsent(v, 'signedAt')) &&
    ((x = v.notificationConfig) === undefined ||
      readPaymentStatusEventNotificationConfig(x) ||
      orAbsent(v, 'notificationConfig')) &&
    ((x = v.version) === undefined || typeof x === 'string' || orAbsent(v, 'version')) &&
    (readEventPayment(v.payment) || broken('payment'))
  )
}

export function readDisputeStatusEvent(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    (v.eventType === 'DISPUTE.STATUS' || broken('eventType')) &&
    ((x = v.version) === undefined || typeof x === 'string' || orAbsent(v, 'version')) &&
    ((x = v.type) === undefined || typeof x === 'string' || orAbsent(v, 'type')) &&
    ((x = v.status) === undefined || typeof x === 'string' || orAbsent(v, 'status')) &&
    ((x = v.primerAccountId) === undefined || typeof x === 'string' || orAbsent(v, 'primerAccountId')) &&
    ((x = v.transactionId) === undefined || typeof x === 'string' || orAbsent(v, 'transactionId')) &&
    ((x = v.orderId) === undefined || typeof x === 'string' || orAbsent(v, 'orderId')) &&
    ((x = v.paymentId) === undefined || typeof x === 'string' || orAbsent(v, 'paymentId')) &&
    ((x = v.paymentMethod) === undefined || readDisputeStatusEventPaymentMethod(x) || orAbsent(v, 'paymentMethod')) &&
    ((x = v.processor) === undefined || typeof x === 'string' || orAbsent(v, 'processor')) &&
    ((x = v.processorDisputeId) === undefined || typeof x === 'string' || orAbsent(v, 'processorDisputeId')) &&
    ((x = v.receivedAt) === undefined || typeof x === 'string' || orAbsent(v, 'receivedAt')) &&
    ((x = v.challengeRequiredBy) === undefined || typeof x === 'string' || orAbsent(v, 'challengeRequiredBy')) &&
    ((x = v.reason) === undefined || typeof x === 'string' || orAbsent(v, 'reason')) &&
    ((x = v.reasonCode) === undefined || typeof x === 'string' || orAbsent(v, 'reasonCode')) &&
    ((x = v.processorReason) === undefined || typeof x === 'string' || orAbsent(v, 'processorReason')) &&
    ((x = v.amount) === undefined || Number.isSafeInteger(x) || orAbsent(v, 'amount')) &&
    ((x = v.currency) === undefined || typeof x === 'string' || orAbsent(v, 'currency')) &&
    ((x = v.merchantId) === undefined || typeof x === 'string' || orAbsent(v, 'merchantId'))
  )
}

function readDisputeStatusEventPaymentMethod(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return (
    isObject(value) &&
    ((x = v.paymentMethodType) === undefined || typeof x === 'string' || orAbsent(v, 'paymentMethodType')) &&
    ((x = v.paymentMethodData) === undefined ||
      readDisputeStatusEventPaymentMethodPaymentMethodData(x) ||
      orAbsent(v, 'paymentMethodData'))
  )
}

function readDisputeStatusEventPaymentMethodPaymentMethodData(value: unknown): boolean {
  const v = value as Fields
  let x: unknown
  return isObject(value) && ((x = v.network) === undefined || typeof x === 'string' || orAbsent(v, 'network'))
}
