import { describe, expect, it } from 'vitest'
import { PaymentSchema, PaymentV21Schema } from '../../../src/core/schemas/index.js'
import { latestRefund } from '../../../src/index.js'
import { sampleEvent, samplePayment } from '../../../src/testing/index.js'
import { sign, verify } from '../../../src/webhooks/index.js'

const secret = 'sig_0123456789abcdef'

describe('samplePayment', () => {
  it('creates an authorized payment with a card and an order', () => {
    const payment = samplePayment()

    expect(PaymentSchema.parse(payment)).toEqual(payment)
    expect(payment).toMatchObject({ status: 'AUTHORIZED', amount: 5000, order: { lineItems: [{ quantity: 2 }] } })
  })

  it('creates a payment with the fields of version 2.1', () => {
    const payment = samplePayment({}, { apiVersion: '2.1' })

    expect(PaymentV21Schema.parse(payment)).toEqual(payment)
    expect(payment).toMatchObject({ lineItems: [{ quantity: 2 }], orderDetails: { countryCode: 'DE' } })
    expect(payment).not.toHaveProperty('order')
  })

  it('rejects an unknown option', () => {
    expect(() => samplePayment({}, { apiversion: '2.1' } as object)).toThrow('did you mean "apiVersion"')
  })

  it('merges overrides at any depth, and replaces arrays', () => {
    const payment = samplePayment({ status: 'SETTLED', processor: { amountCaptured: 5000 }, transactions: [] })

    expect(payment).toMatchObject({ status: 'SETTLED', transactions: [] })
    expect(payment.processor).toEqual({ ...samplePayment().processor, amountCaptured: 5000 })
  })

  it('shares no objects between samples', () => {
    const payment = samplePayment()
    Object.assign(payment.paymentMethod?.paymentMethodData ?? {}, { last4Digits: '0000' })

    expect(samplePayment().paymentMethod?.paymentMethodData).toMatchObject({ last4Digits: '1111' })
  })
})

describe('sampleEvent', () => {
  it('captures the whole amount if the status is settled', () => {
    const event = sampleEvent('PAYMENT.STATUS', { payment: { status: 'SETTLED', amount: 700 } })

    expect(event.payment.processor?.amountCaptured).toBe(700)
  })

  it('accepts null as the payment', () => {
    expect(sampleEvent('PAYMENT.STATUS', { payment: null as never }).payment).toBeNull()
  })

  it.each([
    ['PAYMENT.STATUS', { payment: { status: 'AUTHORIZED' } }],
    ['PAYMENT.REFUND', { payment: { status: 'SETTLED', processor: { amountRefunded: 2000 } } }],
    ['DISPUTE.STATUS', { status: 'OPEN', amount: 5000, orderId: 'order-1' }],
  ] as const)('creates a valid %s event with the current time', (type, expected) => {
    const event = sampleEvent(type)

    const rawBody = JSON.stringify(event)
    expect(verify(rawBody, sign(rawBody, secret), secret, { tolerance: 60 })).toEqual(event)
    expect(event).toMatchObject({ eventType: type, version: '2021-09-27', ...expected })
  })

  it('includes a settled refund in a PAYMENT.REFUND event', () => {
    expect(latestRefund(sampleEvent('PAYMENT.REFUND').payment)).toMatchObject({ processorStatus: 'SETTLED' })
  })

  it('uses the API version in the overrides', () => {
    const event = sampleEvent('PAYMENT.STATUS', { version: '2.1', payment: { status: 'DECLINED' } })

    expect(event).toMatchObject({ version: '2.1', payment: { status: 'DECLINED', lineItems: [{ quantity: 2 }] } })
    expect(event.payment).not.toHaveProperty('order')
  })

  it('rejects an unknown event type', () => {
    const type = 'PAYMENT.STATSU' as 'PAYMENT.STATUS'

    expect(() => sampleEvent(type)).toThrow('type must be the name of an event type: did you mean "PAYMENT.STATUS"?')
  })
})
