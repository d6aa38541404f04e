import type { CreateExternalPaymentBody } from '../../src/core/schemas/external-payment.js'

/** An external payment with only the required fields. */
export const leastExternalPayment: CreateExternalPaymentBody = {
  paymentId: 'external-1',
  currencyCode: 'EUR',
  processor: { name: 'PROCESSOR_B' },
  amount: 5000,
  createdAt: '2026-01-30T08:00:00Z',
  order: { id: 'order-17' },
  paymentMethod: { paymentMethodType: 'PAYMENT_CARD' },
}
