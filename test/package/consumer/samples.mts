import { sampleEvent, samplePayment } from 'payments-client/sandbox'

export const payment = samplePayment()
export const paymentV21 = samplePayment({}, { apiVersion: '2.1' })
export const statusEvent = sampleEvent('PAYMENT.STATUS')
export const refundEvent = sampleEvent('PAYMENT.REFUND')
export const disputeEvent = sampleEvent('DISPUTE.STATUS')
