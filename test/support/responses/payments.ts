/** Payment responses with every specified field, written by hand from the specification's tables. */

// The import has an extension because the benchmarks load this file without a compiler.
import { savedCard } from './payment-instruments.ts'

const customer = {
  emailAddress: 'zoe@example.com',
  mobileNumber: '+4930901820',
  firstName: 'Zoë',
  lastName: 'Müller',
  billingAddress: {
    firstName: 'Zoë',
    lastName: 'Müller',
    addressLine1: 'Unter den Linden 1',
    addressLine2: 'Hinterhaus',
    city: 'Berlin',
    state: 'Berlin',
    countryCode: 'DE',
    postalCode: '10117',
  },
  shippingAddress: {
    firstName: 'Ida',
    lastName: 'Müller',
    addressLine1: 'Rue de la Paix 2',
    addressLine2: 'Étage 3',
    city: 'Paris',
    state: 'Île-de-France',
    countryCode: 'FR',
    postalCode: '75002',
  },
  taxId: 'DE123456789',
  nationalDocumentId: 'L01X00T47',
}

const lineItems = [
  {
    itemId: 'item_1',
    name: 'Kettle',
    description: 'Boils water',
    amount: 2300,
    quantity: 2,
    discountAmount: 100,
    taxAmount: 437,
    taxCode: 'TX-1',
    productType: 'PHYSICAL',
    productData: {
      sku: 'KET-1',
      brand: 'Boilwell',
      color: 'red',
      globalTradeItemNumber: '04012345678901',
      manufacturerPartNumber: 'BW-7',
      weight: 1.25,
      weightUnit: 'kg',
    },
  },
]

const orderDetails = {
  countryCode: 'DE',
  retailerCountryCode: 'FR',
  fees: [{ amount: 50, type: 'SURCHARGE', description: 'Packing' }],
  shipping: { amount: 450 },
}

const paymentCore = {
  id: 'pay_1',
  date: '2026-03-01T09:30:00.123456',
  status: 'AUTHORIZED',
  orderId: 'order-17',
  currencyCode: 'EUR',
  amount: 5000,
  customerId: 'customer-1',
  customer,
  metadata: { basket: 'b-1', visits: 3 },
  paymentMethod: {
    descriptor: 'KETTLES AND MORE',
    paymentType: 'ECOMMERCE',
    paymentMethodToken: 'tok_1',
    vaultedPaymentMethodToken: 'tok_vaulted_1',
    isVaulted: true,
    analyticsId: 'analytics_1',
    paymentMethodType: 'PAYMENT_CARD',
    paymentMethodData: {
      ...savedCard.paymentMethodData,
      binData: {
        network: 'AMEX',
        issuerCountryCode: 'DE',
        issuerName: 'Some Bank',
        issuerCurrencyCode: 'EUR',
        regionalRestriction: 'DOMESTIC_USE_ONLY',
        accountNumberType: 'PRIMARY_ACCOUNT_NUMBER',
        accountFundingType: 'CREDIT',
        prepaidReloadableIndicator: 'RELOADABLE',
        productUsageType: 'CONSUMER',
        productCode: 'F',
        productName: 'Classic',
      },
    },
    threeDSecureAuthentication: {
      responseCode: 'NOT_PERFORMED',
      reasonCode: 'GATEWAY_UNAVAILABLE',
      reasonText: 'The gateway did not respond',
      protocolVersion: '2.1.0',
      challengeIssued: false,
    },
    authorizationType: 'ESTIMATED',
  },
  processor: { name: 'PROCESSOR_A', processorMerchantId: 'merchant-a', amountCaptured: 0, amountRefunded: 0 },
  transactions: [
    {
      date: '2026-03-01T09:30:01.000000',
      amount: 5000,
      currencyCode: 'EUR',
      transactionType: 'SALE',
      processorTransactionId: 'proc_1',
      processorName: 'PROCESSOR_A',
      processorMerchantId: 'merchant-a',
      processorStatus: 'PENDING',
      processorStatusReason: {
        type: 'APPLICATION_ERROR',
        declineType: 'SOFT_DECLINE',
        code: 'ERROR',
        message: 'Try again later',
      },
    },
  ],
  riskData: {
    fraudCheck: { source: 'CHECKER', preAuthorizationResult: 'ACCEPT', postAuthorizationResult: 'ACCEPT' },
  },
}

/** A payment with all fields, in API version 2021-09-27. */
export const authorizedPayment = { ...paymentCore, order: { lineItems, ...orderDetails } }

/** The same payment in API version 2.1. */
export const authorizedPaymentV21 = { ...paymentCore, lineItems, orderDetails }

export const declinedPayment = {
  id: 'pay_2',
  status: 'DECLINED',
  amount: 5000,
  currencyCode: 'EUR',
  statusReason: { type: 'ISSUER_DECLINED', declineType: 'SOFT_DECLINE', code: 'ERROR', message: 'Insufficient funds' },
}

/** A payment that waits for the customer. */
export const pendingPayment = {
  id: 'pay_1',
  status: 'PENDING',
  amount: 5000,
  currencyCode: 'EUR',
  requiredAction: {
    name: '3DS_AUTHENTICATION',
    description: 'The customer must authenticate',
    clientToken: 'client_token_1',
  },
}

/** A settled payment with a partial refund. */
export const refundedPayment = {
  id: 'pay_1',
  status: 'SETTLED',
  amount: 5000,
  currencyCode: 'EUR',
  processor: { name: 'PROCESSOR_A', amountCaptured: 5000, amountRefunded: 1500 },
  transactions: [
    { date: '2026-03-01T09:30:01', amount: 5000, transactionType: 'SALE', processorStatus: 'SETTLED' },
    { date: '2026-03-04T12:00:00', amount: 1500, transactionType: 'REFUND', processorStatus: 'PENDING' },
  ],
}

/** A page of payment summaries, which the specification describes as "not all attributes present". */
export const paymentsPage = {
  data: [
    {
      id: 'pay_2',
      date: '2026-03-01T10:00:00',
      status: 'SETTLED',
      orderId: 'order-18',
      currencyCode: 'EUR',
      amount: 700,
    },
    {
      id: 'pay_1',
      date: '2026-03-01T09:30:00',
      status: 'DECLINED',
      orderId: 'order-17',
      currencyCode: 'EUR',
      amount: 5000,
    },
  ],
  nextCursor: 'cursor_next',
  prevCursor: 'cursor_prev',
}
