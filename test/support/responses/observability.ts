/** External payment responses, written by hand from the specification's table. */

export const externalPayment = {
  paymentId: 'external-1',
  currencyCode: 'EUR',
  processor: { name: 'PROCESSOR_B', merchantId: 'merchant-b' },
  amount: 5000,
  createdAt: '2026-03-01T09:30:00Z',
  order: { id: 'order-17', countryCode: 'DE' },
  paymentMethod: {
    paymentMethodType: 'PAYMENT_CARD',
    data: {
      binData: {
        network: 'VISA',
        issuerCountryCode: 'DE',
        issuerName: 'Some Bank',
        productUsageType: 'CONSUMER',
        accountFundingType: 'CREDIT',
      },
      first6Digits: '411111',
    },
    threeDSecureAuthentication: {
      transStatus: 'Y',
      transStatusReason: '01',
      responseCode: 'NOT_PERFORMED',
      challengeIssued: false,
      protocolVersion: '2.1.0',
      reasonCode: 'GATEWAY_UNAVAILABLE',
      reasonText: 'The gateway did not respond',
      eci: '05',
    },
  },
  status: 'DECLINED',
  statusReason: { type: 'APPLICATION_ERROR', declineType: 'SOFT_DECLINE', code: 'ERROR', message: 'Try again' },
  metadata: { shop: 'berlin', till: 4 },
  paymentType: 'IN_STORE',
  descriptor: 'KETTLES AND MORE',
}
