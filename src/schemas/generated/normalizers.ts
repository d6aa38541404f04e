// Written by `npm run generate` from the schemas beside it: do not edit.
import { isObject } from '../../internal/objects.js'
import { asBoolean, broken, every, everyField, type Fields } from '../normalizer.js'

function readPaymentSummary(value: unknown): boolean {
  return everyField(value, readPaymentSummaryField) && (typeof value['id'] === 'string' || broken('id'))
}

function readPaymentSummaryField(value: unknown, key: string): boolean {
  switch (key) {
    case 'date':
    case 'dateUpdated':
    case 'status':
    case 'orderId':
    case 'currencyCode':
    case 'customerId':
      return typeof value === 'string'
    case 'amount':
      return Number.isSafeInteger(value)
    case 'customer':
      return everyField(value, readCustomerField)
    case 'metadata':
      return isObject(value)
    case 'paymentMethod':
      return everyField(value, readPaymentMethodField)
    case 'processor':
      return everyField(value, readProcessorField)
    case 'requiredAction':
      return everyField(value, readRequiredActionField)
    case 'statusReason':
      return everyField(value, readStatusReasonField)
    case 'transactions':
      return every(value, readTransaction)
    case 'riskData':
      return everyField(value, readRiskDataField)
    default:
      return true
  }
}

function readCustomerField(value: unknown, key: string): boolean {
  switch (key) {
    case 'emailAddress':
    case 'mobileNumber':
    case 'firstName':
    case 'lastName':
    case 'taxId':
    case 'nationalDocumentId':
      return typeof value === 'string'
    case 'billingAddress':
    case 'shippingAddress':
      return everyField(value, readAddressField)
    default:
      return true
  }
}

function readAddressField(value: unknown, key: string): boolean {
  switch (key) {
    case 'firstName':
    case 'lastName':
    case 'addressLine1':
    case 'addressLine2':
    case 'city':
    case 'state':
    case 'countryCode':
    case 'postalCode':
      return typeof value === 'string'
    default:
      return true
  }
}

function readPaymentMethodField(value: unknown, key: string, fields: Fields): boolean {
  switch (key) {
    case 'descriptor':
    case 'paymentType':
    case 'paymentMethodToken':
    case 'vaultedPaymentMethodToken':
    case 'analyticsId':
    case 'paymentMethodType':
    case 'authorizationType':
      return typeof value === 'string'
    case 'isVaulted':
      return typeof value === 'boolean' || asBoolean(value, key, fields)
    case 'paymentMethodData':
      return everyField(value, readPaymentMethodDataField)
    case 'threeDSecureAuthentication':
      return everyField(value, readThreeDSecureAuthenticationField)
    default:
      return true
  }
}

function readPaymentMethodDataField(value: unknown, key: string, fields: Fields): boolean {
  switch (key) {
    case 'first6Digits':
    case 'last4Digits':
    case 'expirationMonth':
    case 'expirationYear':
    case 'cardholderName':
    case 'network':
      return typeof value === 'string'
    case 'isNetworkTokenized':
      return typeof value === 'boolean' || asBoolean(value, key, fields)
    case 'binData':
      return everyField(value, readBinDataField)
    default:
      return true
  }
}

function readBinDataField(value: unknown, key: string): boolean {
  switch (key) {
    case 'network':
    case 'issuerCountryCode':
    case 'issuerName':
    case 'issuerCurrencyCode':
    case 'regionalRestriction':
    case 'accountNumberType':
    case 'accountFundingType':
    case 'prepaidReloadableIndicator':
    case 'productUsageType':
    case 'productCode':
    case 'productName':
      return typeof value === 'string'
    default:
      return true
  }
}

function readThreeDSecureAuthenticationField(value: unknown, key: string, fields: Fields): boolean {
  switch (key) {
    case 'responseCode':
    case 'reasonCode':
    case 'reasonText':
    case 'protocolVersion':
      return typeof value === 'string'
    case 'challengeIssued':
      return typeof value === 'boolean' || asBoolean(value, key, fields)
    default:
      return true
  }
}

function readProcessorField(value: unknown, key: string): boolean {
  switch (key) {
    case 'name':
    case 'processorMerchantId':
      return typeof value === 'string'
    case 'amountCaptured':
    case 'amountRefunded':
      return Number.isSafeInteger(value)
    default:
      return true
  }
}

function readRequiredActionField(value: unknown, key: string): boolean {
  switch (key) {
    case 'name':
    case 'description':
    case 'clientToken':
      return typeof value === 'string'
    default:
      return true
  }
}

function readStatusReasonField(value: unknown, key: string): boolean {
  switch (key) {
    case 'type':
    case 'declineType':
    case 'code':
    case 'message':
      return typeof value === 'string'
    default:
      return true
  }
}

function readTransaction(value: unknown): boolean {
  return everyField(value, readTransactionField)
}

function readTransactionField(value: unknown, key: string): boolean {
  switch (key) {
    case 'date':
    case 'currencyCode':
    case 'transactionType':
    case 'processorTransactionId':
    case 'processorName':
    case 'processorMerchantId':
    case 'processorStatus':
      return typeof value === 'string'
    case 'amount':
      return Number.isSafeInteger(value)
    case 'processorStatusReason':
      return everyField(value, readStatusReasonField)
    default:
      return true
  }
}

function readRiskDataField(value: unknown, key: string): boolean {
  switch (key) {
    case 'fraudCheck':
      return everyField(value, readFraudCheckField)
    default:
      return true
  }
}

function readFraudCheckField(value: unknown, key: string): boolean {
  switch (key) {
    case 'source':
    case 'preAuthorizationResult':
    case 'postAuthorizationResult':
      return typeof value === 'string'
    default:
      return true
  }
}

export function readPayment(value: unknown): boolean {
  return everyField(value, readPaymentField) && (typeof value['id'] === 'string' || broken('id'))
}

function readPaymentField(value: unknown, key: string): boolean {
  switch (key) {
    case 'order':
      return everyField(value, readOrderField)
    default:
      return readPaymentSummaryField(value, key)
  }
}

function readOrderField(value: unknown, key: string): boolean {
  switch (key) {
    case 'countryCode':
    case 'retailerCountryCode':
      return typeof value === 'string'
    case 'fees':
      return every(value, readFee)
    case 'shipping':
      return everyField(value, readShippingField)
    case 'lineItems':
      return every(value, readLineItem)
    default:
      return true
  }
}

function readFee(value: unknown): boolean {
  return everyField(value, readFeeField)
}

function readFeeField(value: unknown, key: string): boolean {
  switch (key) {
    case 'amount':
      return Number.isSafeInteger(value)
    case 'type':
    case 'description':
      return typeof value === 'string'
    default:
      return true
  }
}

function readShippingField(value: unknown, key: string): boolean {
  switch (key) {
    case 'amount':
      return Number.isSafeInteger(value)
    default:
      return true
  }
}

function readLineItem(value: unknown): boolean {
  return everyField(value, readLineItemField)
}

function readLineItemField(value: unknown, key: string): boolean {
  switch (key) {
    case 'itemId':
    case 'name':
    case 'description':
    case 'taxCode':
    case 'productType':
      return typeof value === 'string'
    case 'amount':
    case 'quantity':
    case 'discountAmount':
    case 'taxAmount':
      return Number.isSafeInteger(value)
    case 'productData':
      return everyField(value, readProductDataField)
    default:
      return true
  }
}

function readProductDataField(value: unknown, key: string): boolean {
  switch (key) {
    case 'sku':
    case 'brand':
    case 'color':
    case 'globalTradeItemNumber':
    case 'manufacturerPartNumber':
    case 'weightUnit':
      return typeof value === 'string'
    case 'weight':
      return Number.isFinite(value)
    default:
      return true
  }
}

export function readPaymentV21(value: unknown): boolean {
  return everyField(value, readPaymentV21Field) && (typeof value['id'] === 'string' || broken('id'))
}

function readPaymentV21Field(value: unknown, key: string): boolean {
  switch (key) {
    case 'lineItems':
      return every(value, readLineItem)
    case 'orderDetails':
      return everyField(value, readOrderDetailsField)
    default:
      return readPaymentSummaryField(value, key)
  }
}

function readOrderDetailsField(value: unknown, key: string): boolean {
  switch (key) {
    case 'countryCode':
    case 'retailerCountryCode':
      return typeof value === 'string'
    case 'fees':
      return every(value, readFee)
    case 'shipping':
      return everyField(value, readShippingField)
    default:
      return true
  }
}

export function readPaymentsPage(value: unknown): boolean {
  return everyField(value, readPaymentsPageField) && (every(value['data'], readPaymentSummary) || broken('data'))
}

function readPaymentsPageField(value: unknown, key: string): boolean {
  switch (key) {
    case 'nextCursor':
    case 'prevCursor':
      return typeof value === 'string'
    default:
      return true
  }
}

export function readPaymentStatusEvent(value: unknown): boolean {
  return (
    everyField(value, readPaymentStatusEventField) &&
    (value['eventType'] === 'PAYMENT.STATUS' || broken('eventType')) &&
    (readEventPayment(value['payment']) || broken('payment'))
  )
}

function readEventPayment(value: unknown): boolean {
  return everyField(value, readEventPaymentField) && (typeof value['id'] === 'string' || broken('id'))
}

function readEventPaymentField(value: unknown, key: string): boolean {
  switch (key) {
    case 'order':
      return everyField(value, readOrderField)
    case 'lineItems':
      return every(value, readLineItem)
    case 'orderDetails':
      return everyField(value, readOrderDetailsField)
    default:
      return readPaymentSummaryField(value, key)
  }
}

function readPaymentStatusEventField(value: unknown, key: string): boolean {
  switch (key) {
    case 'date':
    case 'version':
      return typeof value === 'string'
    case 'signedAt':
      return value !== null
    case 'notificationConfig':
      return everyField(value, readPaymentStatusEventNotificationConfigField)
    default:
      return true
  }
}

function readPaymentStatusEventNotificationConfigField(value: unknown, key: string): boolean {
  switch (key) {
    case 'id':
    case 'description':
      return typeof value === 'string'
    default:
      return true
  }
}

export function readPaymentRefundEvent(value: unknown): boolean {
  return (
    everyField(value, readPaymentRefundEventField) &&
    (value['eventType'] === 'PAYMENT.REFUND' || broken('eventType')) &&
    (readEventPayment(value['payment']) || broken('payment'))
  )
}

function readPaymentRefundEventField(value: unknown, key: string): boolean {
  switch (key) {
    case 'date':
    case 'version':
      return typeof value === 'string'
    case 'signedAt':
      return value !== null
    case 'notificationConfig':
      return everyField(value, readPaymentStatusEventNotificationConfigField)
    default:
      return true
  }
}

export function readDisputeStatusEvent(value: unknown): boolean {
  return (
    everyField(value, readDisputeStatusEventField) && (value['eventType'] === 'DISPUTE.STATUS' || broken('eventType'))
  )
}

function readDisputeStatusEventField(value: unknown, key: string): boolean {
  switch (key) {
    case 'version':
    case 'type':
    case 'status':
    case 'primerAccountId':
    case 'transactionId':
    case 'orderId':
    case 'paymentId':
    case 'processor':
    case 'processorDisputeId':
    case 'receivedAt':
    case 'challengeRequiredBy':
    case 'reason':
    case 'reasonCode':
    case 'processorReason':
    case 'currency':
    case 'merchantId':
      return typeof value === 'string'
    case 'paymentMethod':
      return everyField(value, readDisputeStatusEventPaymentMethodField)
    case 'amount':
      return Number.isSafeInteger(value)
    default:
      return true
  }
}

function readDisputeStatusEventPaymentMethodField(value: unknown, key: string): boolean {
  switch (key) {
    case 'paymentMethodType':
      return typeof value === 'string'
    case 'paymentMethodData':
      return everyField(value, readDisputeStatusEventPaymentMethodPaymentMethodDataField)
    default:
      return true
  }
}

function readDisputeStatusEventPaymentMethodPaymentMethodDataField(value: unknown, key: string): boolean {
  switch (key) {
    case 'network':
      return typeof value === 'string'
    default:
      return true
  }
}
