import { assertType, describe, expectTypeOf, it } from 'vitest'
import type {
  Call,
  CaptureBodyV21,
  CreatePaymentBody,
  CreatePaymentBodyV21,
  LineItem,
  OrderDetails,
  Page,
  Payment,
  PaymentStatus,
  PaymentSummary,
  Payments,
  PaymentsClient,
  PaymentV21,
  WithResponse,
} from '../../../src/index.js'

declare const client: PaymentsClient
declare const payment: Payment

describe('the methods of client.payments', () => {
  it('take no idempotency key in get', () => {
    // @ts-expect-error The operation takes no idempotency key.
    client.payments.get('pay_1', { idempotencyKey: 'key-1' })
  })

  it('take and return the types of API version 2.1 if the client has this version', () => {
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

  it('takes the order in the format of the API version', () => {
    assertType<CreatePaymentBody>({ ...full, order: { lineItems: [{ amount: 5 }] }, metadata: { a: 'b', c: 1 } })
    assertType<CreatePaymentBodyV21>({ ...full, lineItems: [{ amount: 5 }], orderDetails: { countryCode: 'DE' } })
    // @ts-expect-error In version 2021-09-27, line items are in `order`.
    assertType<CreatePaymentBody>({ ...token, lineItems: [] })
    // @ts-expect-error Version 2.1 has `lineItems` and `orderDetails` instead of `order`.
    assertType<CreatePaymentBodyV21>({ ...full, order: {} })
  })

  it('takes only a token, or all required fields, in version 2.1', () => {
    assertType<CreatePaymentBodyV21>(token)
    // @ts-expect-error The order id and the currency are missing.
    assertType<CreatePaymentBodyV21>({ ...token, amount: 5 })
    // @ts-expect-error The token is missing.
    assertType<CreatePaymentBodyV21>({ orderId: 'order-17', currencyCode: 'EUR', amount: 5000 })
  })

  it('rejects fields that are misspelled or have the wrong type', () => {
    // @ts-expect-error Misspelled.
    client.payments.create({ ...token, amuont: 5 })
    // @ts-expect-error A nested field is misspelled.
    client.payments.create({ ...token, customer: { email: 'zoe@example.com' } })
    // @ts-expect-error Only updates accept null.
    client.payments.create({ ...token, amount: null })
    // @ts-expect-error Metadata cannot contain booleans.
    client.payments.create({ ...token, metadata: { gift: true } })
  })
})

describe('payments.list', () => {
  it('returns a page when awaited, and payments when iterated', async () => {
    const list = client.payments.list({ status: ['SETTLED', 'SOMETHING_NEW'], fromDate: new Date(), limit: 5 })
    expectTypeOf(await list).toEqualTypeOf<Page<PaymentSummary>>()
    expectTypeOf(await list.toArray({ limit: 5 })).toEqualTypeOf<PaymentSummary[]>()
    for await (const row of list) expectTypeOf(row).toEqualTypeOf<PaymentSummary>()
    for await (const page of list.pages()) expectTypeOf(page.data).toEqualTypeOf<PaymentSummary[]>()
    expectTypeOf((await list).nextPage()).resolves.toEqualTypeOf<Page<PaymentSummary> | undefined>()
    expectTypeOf(list.withResponse()).resolves.toEqualTypeOf<WithResponse<Page<PaymentSummary>>>()
    expectTypeOf(list.catch(() => undefined)).resolves.toEqualTypeOf<Page<PaymentSummary> | undefined>()
    expectTypeOf(list.finally(() => {})).resolves.toEqualTypeOf<Page<PaymentSummary>>()
    // @ts-expect-error The limit is required, because the list may be long.
    list.toArray()
  })

  it('rejects wrong parameters', () => {
    // @ts-expect-error The parameter is `paymentMethodType`, although the query has `payment_method_type`.
    client.payments.list({ payment_method_type: 'PAYMENT_CARD' })
    // @ts-expect-error A limit is a number.
    client.payments.list({ limit: '5' })
    // @ts-expect-error A number is not a date.
    client.payments.list({ fromDate: 1_772_357_400_000 })
  })
})

describe('payments.reconcile', () => {
  it('returns fields that depend on the status', async () => {
    const looked = await client.payments.reconcile({ orderId: 'order-17', since: new Date() })
    if (looked.status === 'found') expectTypeOf(looked.payments).toEqualTypeOf<PaymentSummary[]>()
    if (looked.status === 'not_found_yet') expectTypeOf(looked.retryAt).toEqualTypeOf<Date>()
  })
})

describe('the type of a payment', () => {
  it('requires only the id, and has no null fields', () => {
    expectTypeOf(payment.id).toEqualTypeOf<string>()
    expectTypeOf(payment.amount).toEqualTypeOf<number | undefined>()
    expectTypeOf(payment.metadata).toEqualTypeOf<Record<string, unknown> | undefined>()
    expectTypeOf(payment.transactions?.[0]?.processorStatusReason?.message).toEqualTypeOf<string | undefined>()
    // @ts-expect-error Misspelled.
    payment.satus
  })

  it('has order in version 2021-09-27, orderDetails and lineItems in 2.1, and none of them in a list', () => {
    expectTypeOf<Payment>().not.toHaveProperty('lineItems')
    expectTypeOf<PaymentV21>().not.toHaveProperty('order')
    expectTypeOf<PaymentV21['lineItems']>().toEqualTypeOf<LineItem[] | undefined>()
    expectTypeOf<PaymentV21['orderDetails']>().toEqualTypeOf<OrderDetails | undefined>()
    expectTypeOf<PaymentSummary>().not.toHaveProperty('order')
    expectTypeOf<PaymentSummary>().not.toHaveProperty('lineItems')
  })

  it('lets editors suggest known statuses, but accepts any string as the status', () => {
    assertType<PaymentStatus>('SOMETHING_NEW')
    expectTypeOf<PaymentStatus>().not.toEqualTypeOf<string>()
    expectTypeOf<PaymentStatus>().toExtend<string>()
  })
})

describe('arrays in inputs', () => {
  const lineItems = [{ itemId: 'a', amount: 700, quantity: 1 }] as const

  it('may be read-only', () => {
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
