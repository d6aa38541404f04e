import { assertType, describe, expectTypeOf, it } from 'vitest'
import type {
  Call,
  CaptureBodyV21,
  CreatePaymentBody,
  CreatePaymentBodyV21,
  Payment,
  PaymentStatus,
  Payments,
  PaymentsClient,
  PaymentV21,
} from '../../../src/index.js'

declare const client: PaymentsClient
declare const payment: Payment

describe('client.payments', () => {
  it('accepts no idempotency key in get', () => {
    // @ts-expect-error The operation takes no idempotency key.
    client.payments.get('pay_1', { idempotencyKey: 'key-1' })
  })

  it('uses the types of version 2.1 if the client has this version', () => {
    type Newer = Payments<'2.1'>
    expectTypeOf<Parameters<Newer['create']>[0]>().toEqualTypeOf<CreatePaymentBodyV21>()
    expectTypeOf<Parameters<Newer['capture']>[1]>().toEqualTypeOf<CaptureBodyV21 | undefined>()
    expectTypeOf<ReturnType<Newer['create' | 'capture' | 'get' | 'refund']>>().toEqualTypeOf<Call<PaymentV21>>()
    expectTypeOf<Newer['waitFor']>().returns.resolves.toEqualTypeOf<PaymentV21>()
  })
})

describe('payments.create', () => {
  const token = { paymentMethodToken: 'tok_1' }
  const full = { ...token, orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }

  it('requires the order in the format of the API version', () => {
    assertType<CreatePaymentBody>({ ...full, order: { lineItems: [{ amount: 5 }] }, metadata: { a: 'b', c: 1 } })
    assertType<CreatePaymentBodyV21>({ ...full, lineItems: [{ amount: 5 }], orderDetails: { countryCode: 'DE' } })
    // @ts-expect-error In version 2021-09-27, line items are in `order`.
    assertType<CreatePaymentBody>({ ...token, lineItems: [] })
    // @ts-expect-error Version 2.1 has `lineItems` and `orderDetails` instead of `order`.
    assertType<CreatePaymentBodyV21>({ ...full, order: {} })
  })

  it('accepts only a token, or all required fields, in version 2.1', () => {
    assertType<CreatePaymentBodyV21>(token)
    // @ts-expect-error The order id and the currency are missing.
    assertType<CreatePaymentBodyV21>({ ...token, amount: 5 })
    // @ts-expect-error The token is missing.
    assertType<CreatePaymentBodyV21>({ orderId: 'order-17', currencyCode: 'EUR', amount: 5000 })
  })
})

describe('the type of a payment', () => {
  it('lets editors suggest known statuses, but accepts any string as the status', () => {
    assertType<PaymentStatus>('SOMETHING_NEW')
    expectTypeOf<PaymentStatus>().not.toEqualTypeOf<string>()
    expectTypeOf<PaymentStatus>().toExtend<string>()
  })
})

describe('the types of inputs', () => {
  const lineItems = [{ itemId: 'a', amount: 700, quantity: 1 }] as const

  it('accepts read-only arrays in inputs', () => {
    const frozen = Object.freeze([{ itemId: 'a', amount: 700 }])
    expectTypeOf(client.payments.capture).toBeCallableWith('pay_1', { order: { lineItems, fees: [] as const } })
    expectTypeOf(client.payments.capture).toBeCallableWith('pay_1', { order: { lineItems: frozen } })
    expectTypeOf(client.payments.list).toBeCallableWith({ status: ['SETTLED'] as const })
    expectTypeOf(client.clientSessions.update).toBeCallableWith('token', { order: { lineItems } })
    const body: CreatePaymentBodyV21 = {
      paymentMethodToken: 'tok',
      orderId: 'a',
      currencyCode: 'EUR',
      amount: 7,
      lineItems,
    }
    expectTypeOf(body).toExtend<object>()
  })
})
