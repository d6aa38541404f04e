import { assertType, describe, expectTypeOf, it } from 'vitest'
import type {
  CaptureBody,
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
  Reconciliation,
  WithResponse,
} from '../../src/index.js'

declare const client: PaymentsClient
declare const newer: PaymentsClient<'2.1'>
declare const payment: Payment

const token = { paymentMethodToken: 'tok_1' }
const full = { ...token, orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }

describe('payments.create', () => {
  it('takes the body of the client’s API version', () => {
    expectTypeOf<Parameters<Payments['create']>[0]>().toEqualTypeOf<CreatePaymentBody>()
    expectTypeOf<Parameters<Payments<'2.1'>['create']>[0]>().toEqualTypeOf<CreatePaymentBodyV21>()
    assertType<CreatePaymentBody>(token)
    assertType<CreatePaymentBody>({ ...full, order: { lineItems: [{ amount: 5 }] }, metadata: { a: 'b', c: 1 } })
    assertType<CreatePaymentBodyV21>(token)
    assertType<CreatePaymentBodyV21>({ ...full, lineItems: [{ amount: 5 }], orderDetails: { countryCode: 'DE' } })
  })

  it('returns the payment of the client’s API version', () => {
    expectTypeOf(client.payments.create(token)).resolves.toEqualTypeOf<Payment>()
    expectTypeOf(newer.payments.create(token)).resolves.toEqualTypeOf<PaymentV21>()
    expectTypeOf(client.payments.create(token).withResponse()).resolves.toEqualTypeOf<WithResponse<Payment>>()
  })

  it('rejects a misspelled field', () => {
    // @ts-expect-error Misspelled.
    client.payments.create({ ...token, amuont: 5 })
    // @ts-expect-error A nested field is misspelled.
    client.payments.create({ ...token, customer: { email: 'zoe@example.com' } })
    // @ts-expect-error The token is required.
    client.payments.create({ amount: 5 })
    // @ts-expect-error The token is required.
    newer.payments.create({ orderId: 'order-17', currencyCode: 'EUR', amount: 5000 })
  })

  it('rejects a body in the format of the other API version', () => {
    // @ts-expect-error In version 2021-09-27, line items are in `order`.
    client.payments.create({ ...token, lineItems: [] })
    // @ts-expect-error In version 2021-09-27, the order's details are in `order`.
    client.payments.create({ ...token, orderDetails: {} })
    // @ts-expect-error Version 2.1 has `lineItems` and `orderDetails` instead of `order`.
    newer.payments.create({ ...full, order: {} })
    // @ts-expect-error The order id and the currency are missing.
    newer.payments.create({ ...token, amount: 5 })
  })

  it('rejects a field of the wrong type', () => {
    // @ts-expect-error An amount is a number.
    client.payments.create({ ...token, amount: '7.00' })
    // @ts-expect-error Only updates accept null.
    client.payments.create({ ...token, amount: null })
    // @ts-expect-error Metadata cannot contain booleans.
    client.payments.create({ ...token, metadata: { gift: true } })
    // @ts-expect-error A currency code is a string.
    client.payments.create({ ...token, currencyCode: 978 })
    // @ts-expect-error The body is required.
    client.payments.create()
  })

  it('takes an idempotency key, and rejects unknown options', () => {
    client.payments.create(token, { idempotencyKey: 'key-1', timeout: 5, signal: new AbortController().signal })
    // @ts-expect-error Operations with an idempotency key do not take the option `resend`.
    client.payments.create(token, { resend: true })
    // @ts-expect-error Misspelled.
    client.payments.create(token, { idempotencykey: 'key-1' })
    // @ts-expect-error A string is not a number.
    client.payments.create(token, { maxRetries: '2' })
  })
})

describe('payments.get', () => {
  it('takes an id and returns the payment of the client’s API version', () => {
    expectTypeOf(client.payments.get('pay_1')).resolves.toEqualTypeOf<Payment>()
    expectTypeOf(newer.payments.get('pay_1')).resolves.toEqualTypeOf<PaymentV21>()
  })

  it('rejects wrong arguments and options', () => {
    // @ts-expect-error An id is a string.
    client.payments.get(1)
    // @ts-expect-error The id is required.
    client.payments.get()
    // @ts-expect-error The operation takes no idempotency key.
    client.payments.get('pay_1', { idempotencyKey: 'key-1' })
    // @ts-expect-error Reads take no resend option.
    client.payments.get('pay_1', { resend: true })
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
    client.payments.list()
    client.payments.list({ status: 'SETTLED', toDate: '2026-03-01' })
  })

  it('rejects wrong parameters and options', () => {
    // @ts-expect-error The parameter is `paymentMethodType`, although the query has `payment_method_type`.
    client.payments.list({ payment_method_type: 'PAYMENT_CARD' })
    // @ts-expect-error A limit is a number.
    client.payments.list({ limit: '5' })
    // @ts-expect-error A number is not a date.
    client.payments.list({ fromDate: 1_772_357_400_000 })
    // @ts-expect-error The operation takes no idempotency key.
    client.payments.list({}, { idempotencyKey: 'key-1' })
    // @ts-expect-error The limit is required, because the list may be long.
    client.payments.list().toArray()
  })

  it('returns rows without order or line items', () => {
    expectTypeOf<PaymentSummary>().not.toHaveProperty('order')
    expectTypeOf<PaymentSummary>().not.toHaveProperty('lineItems')
  })
})

describe('payments.authorize', () => {
  it('requires processor.processorMerchantId', () => {
    client.payments.authorize('pay_1', { processor: { processorMerchantId: 'm', name: 'PROCESSOR_A' } })
    // @ts-expect-error `processorMerchantId` is required.
    client.payments.authorize('pay_1', { processor: { name: 'PROCESSOR_A' } })
    // @ts-expect-error `processorMerchantId` must be inside `processor`.
    client.payments.authorize('pay_1', { processorMerchantId: 'm' })
    // @ts-expect-error The body is required.
    client.payments.authorize('pay_1')
  })
})

describe('payments.capture', () => {
  it('takes the body of the client’s API version, or no body', () => {
    expectTypeOf<Parameters<Payments['capture']>[1]>().toEqualTypeOf<CaptureBody | undefined>()
    expectTypeOf<Parameters<Payments<'2.1'>['capture']>[1]>().toEqualTypeOf<CaptureBodyV21 | undefined>()
    client.payments.capture('pay_1')
    client.payments.capture('pay_1', { amount: 5, final: true, order: { shipping: { amount: 1 } } })
    newer.payments.capture('pay_1', { amount: 5, lineItems: [], orderDetails: {} })
    client.payments.capture('pay_1', undefined, { idempotencyKey: 'key-1' })
  })

  it('rejects wrong arguments and options', () => {
    // @ts-expect-error Only version 2.1 has top-level `lineItems`.
    client.payments.capture('pay_1', { lineItems: [] })
    // @ts-expect-error Version 2.1 has no `order`.
    newer.payments.capture('pay_1', { order: {} })
    // @ts-expect-error The field `final` is a boolean.
    client.payments.capture('pay_1', { final: 'yes' })
    // @ts-expect-error Options are the third argument.
    client.payments.capture('pay_1', { idempotencyKey: 'key-1' })
  })
})

describe('payments.cancel and payments.refund', () => {
  it('take a body or no body', () => {
    client.payments.cancel('pay_1')
    client.payments.cancel('pay_1', { reason: 'out of stock' }, { idempotencyKey: 'key-1' })
    client.payments.refund('pay_1')
    client.payments.refund('pay_1', { amount: 5, orderId: 'refund-17', reason: 'broken lid' })
  })

  it('reject wrong arguments and options', () => {
    // @ts-expect-error A cancel takes no amount.
    client.payments.cancel('pay_1', { amount: 5 })
    // @ts-expect-error An amount is a number, not a bigint.
    client.payments.refund('pay_1', { amount: 5n })
    // @ts-expect-error A body is an object.
    client.payments.refund('pay_1', 'broken lid')
    // @ts-expect-error Operations with an idempotency key do not take the option `resend`.
    client.payments.refund('pay_1', {}, { resend: true })
  })
})

describe('payments.adjustAuthorization and payments.resume', () => {
  it('require a body, and take no idempotency key', () => {
    client.payments.adjustAuthorization('pay_1', { amount: 5 })
    client.payments.resume('pay_1', { resumeToken: 'resume_1' })
    // @ts-expect-error The amount is required.
    client.payments.adjustAuthorization('pay_1', {})
    // @ts-expect-error The token is required.
    client.payments.resume('pay_1', {})
    // @ts-expect-error The operation takes no idempotency key.
    client.payments.adjustAuthorization('pay_1', { amount: 5 }, { idempotencyKey: 'key-1' })
    // @ts-expect-error The operation does not take the option `resend`.
    client.payments.resume('pay_1', { resumeToken: 'resume_1' }, { resend: true })
  })
})

describe('payments.waitFor and payments.reconcile', () => {
  it('return types that depend on the API version and the result', async () => {
    expectTypeOf(client.payments.waitFor('pay_1', 'SETTLED')).resolves.toEqualTypeOf<Payment>()
    expectTypeOf(newer.payments.waitFor('pay_1', ['SETTLED'] as const)).resolves.toEqualTypeOf<PaymentV21>()
    const looked = await client.payments.reconcile({ orderId: 'order-17', since: new Date() })
    expectTypeOf(looked).toEqualTypeOf<Reconciliation>()
    if (looked.status === 'found') expectTypeOf(looked.payments).toEqualTypeOf<PaymentSummary[]>()
    if (looked.status === 'not_found_yet') expectTypeOf(looked.retryAt).toEqualTypeOf<Date>()
  })

  it('reject wrong arguments and options', () => {
    // @ts-expect-error There is no option `seconds`.
    client.payments.waitFor('pay_1', 'SETTLED', { seconds: 5 })
    // @ts-expect-error `since` is a `Date`.
    client.payments.reconcile({ orderId: 'order-17', since: '2026-03-01' })
  })
})

describe('the type of a payment', () => {
  it('requires only the id, and has no null fields', () => {
    expectTypeOf(payment.id).toEqualTypeOf<string>()
    expectTypeOf(payment.customerId).toEqualTypeOf<string | undefined>()
    expectTypeOf(payment.amount).toEqualTypeOf<number | undefined>()
    expectTypeOf(payment.metadata).toEqualTypeOf<Record<string, unknown> | undefined>()
    expectTypeOf(payment.transactions?.[0]?.processorStatusReason?.message).toEqualTypeOf<string | undefined>()
  })

  it('rejects a misspelled field', () => {
    // @ts-expect-error Misspelled.
    payment.satus
    // @ts-expect-error A nested field is misspelled.
    payment.customer?.email
  })

  it('has order in version 2021-09-27, and orderDetails and lineItems in 2.1', () => {
    expectTypeOf<Payment>().not.toHaveProperty('lineItems')
    expectTypeOf<PaymentV21>().not.toHaveProperty('order')
    expectTypeOf<PaymentV21['lineItems']>().toEqualTypeOf<LineItem[] | undefined>()
    expectTypeOf<PaymentV21['orderDetails']>().toEqualTypeOf<OrderDetails | undefined>()
  })

  it('lets editors suggest known statuses, but accepts any string as the status', () => {
    assertType<PaymentStatus>('SETTLED')
    assertType<PaymentStatus>('SOMETHING_NEW')
    expectTypeOf<PaymentStatus>().not.toEqualTypeOf<string>()
    expectTypeOf<'PARTIALLY_SETTLED'>().toExtend<PaymentStatus>()
    expectTypeOf<PaymentStatus>().toExtend<string>()
  })
})
