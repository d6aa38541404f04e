import { expect, it } from 'vitest'
import type { CreatePaymentBody } from '../../src/core/schemas/payment.js'
import { toDate } from '../../src/index.js'
import { authorizedPayment } from '../support/responses/payments.js'
import { aPayment } from '../support/start-sandbox.js'
import { describeService, startTime } from './service.js'

const { customer, order } = authorizedPayment
const asked = { descriptor: 'KETTLES AND MORE', paymentType: 'ECOMMERCE', authorizationType: 'ESTIMATED' }

describeService('Payment', (start) => {
  it('every payment operation of the service returns the payment', async () => {
    const { client, sandbox } = await start()
    const { tokens } = sandbox
    const paymentMethod = { authorizationType: 'ESTIMATED' }

    const created = await client.payments.create(aPayment({ paymentMethodToken: tokens.estimated, paymentMethod }))
    const pending = await client.payments.create(aPayment({ paymentMethodToken: tokens.pending }))
    const paused = await client.payments.create(aPayment({ paymentMethodToken: tokens.requires3ds }))
    const later = [
      await client.payments.get(created.id),
      await client.payments.adjustAuthorization(created.id, { amount: 100 }),
      await client.payments.capture(created.id),
      await client.payments.refund(created.id),
      await client.payments.authorize(pending.id, { processor: { processorMerchantId: 'merchant-b' } }),
      await client.payments.cancel(pending.id),
      await client.payments.resume(paused.id, { resumeToken: sandbox.completeAction(paused.id) }),
    ]

    expect(later).toMatchObject(
      [created, created, created, created, pending, pending, paused].map(({ id }) => ({ id, orderId: 'order-17' })),
    )
  })

  it('the SDK accepts a response with only the id', async () => {
    const { client, sandbox } = await start()
    sandbox.faults.add({ operation: 'payments.get', status: 200, body: { id: 'pay_1' } })

    expect(await client.payments.get('pay_1')).toEqual({ id: 'pay_1' })
  })

  it('the service returns the creation time of a payment', async () => {
    const { client, sandbox } = await start()

    const { id } = await client.payments.create(aPayment())
    await sandbox.clock.advance('1h')
    const { date } = await client.payments.capture(id)

    expect(toDate(date as string)).toEqual(startTime)
  })

  it.each<[title: string, request: Partial<CreatePaymentBody>, payment?: object]>([
    ['the service returns the merchant’s order id', { orderId: 'basket 0017/b' }],
    [
      'the service returns the currency of the payment and its transactions',
      { currencyCode: 'JPY' },
      { currencyCode: 'JPY', transactions: [{ currencyCode: 'JPY' }] },
    ],
    ['the service returns the charged amount', { amount: 700 }],
    ['the service returns the order and the customer from the request', { order, customer, customerId: 'customer-1' }],
    [
      'the service returns the payment method fields from the request, and the token',
      { paymentMethod: asked },
      { paymentMethod: { ...asked, paymentMethodToken: 'tok_card' } },
    ],
    [
      'the service returns every field of a fee',
      { order: { fees: [{ amount: 50, type: 'SURCHARGE', description: 'Packing' }] } },
    ],
  ])('%s', async (_, request, expected = request) => {
    const { client } = await start()

    const { id } = await client.payments.create(aPayment(request))

    expect(await client.payments.get(id)).toMatchObject(expected)
  })

  it('the service returns the metadata in the payment and its events', async () => {
    const { client, sandbox, events } = await start()
    const metadata = { basket: 'b-1', visits: 3 }

    const { id } = await client.payments.create(
      aPayment({ paymentMethodToken: sandbox.tokens.instantRefund, metadata }),
    )
    await client.payments.capture(id)
    const refunded = await client.payments.refund(id)

    expect(refunded.metadata).toEqual(metadata)
    expect((await client.payments.list()).data).toMatchObject([{ metadata }])
    expect(await events()).toMatchObject(Array(3).fill({ payment: { metadata } }))
  })
})

describeService('Order', (start) => {
  it('the service returns the order’s line items, country, fees and shipping', async () => {
    const { client } = await start()

    const payment = await client.payments.create(aPayment({ order }))

    const [line] = order.lineItems
    expect(Object.keys(order).sort()).toEqual(['countryCode', 'fees', 'lineItems', 'retailerCountryCode', 'shipping'])
    expect([Object.keys(line ?? {}).length, Object.keys(line?.productData ?? {}).length]).toEqual([10, 7])
    expect(payment.order).toEqual(order)
  })
})

describeService('Customer', (start) => {
  it.each([
    ['the service returns every field of a customer', customer],
    ['the service returns every field of a customer’s address', { billingAddress: customer.billingAddress }],
  ])('%s', async (_, given) => {
    const { client } = await start()

    expect([customer, customer.billingAddress].map((object) => Object.keys(object).length)).toEqual([8, 8])
    expect((await client.payments.create(aPayment({ customer: given }))).customer).toEqual(given)
  })
})

describeService('Processing of a payment', (start) => {
  it('the service returns the processor, and the captured and refunded amounts', async () => {
    const { client } = await start()
    const { id } = await client.payments.create(aPayment({ amount: 5000 }))
    await client.payments.capture(id, { amount: 2000 })

    const { processor } = await client.payments.refund(id, { amount: 500 })

    expect(processor).toEqual({
      name: expect.any(String),
      processorMerchantId: expect.any(String),
      amountCaptured: 2000,
      amountRefunded: 500,
    })
  })

  it('the service returns the kind of action and a client token for the checkout', async () => {
    const { client, sandbox } = await start()

    const payment = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.requires3ds }))

    expect(payment.requiredAction).toEqual({
      name: '3DS_AUTHENTICATION',
      description: expect.any(String),
      clientToken: expect.any(String),
    })
  })

  it('the service distinguishes soft declines from application errors', async () => {
    const { client, sandbox } = await start()
    const reasonWith = async (paymentMethodToken: string) =>
      (await client.payments.create(aPayment({ paymentMethodToken }))).statusReason

    expect(await reasonWith(sandbox.tokens.softDecline)).toEqual({
      type: expect.any(String),
      declineType: 'SOFT_DECLINE',
      code: expect.any(String),
      message: expect.any(String),
    })
    expect(await reasonWith(sandbox.tokens.failed)).toMatchObject({ type: 'APPLICATION_ERROR', code: 'ERROR' })
  })

  it('the service returns each transaction’s amount, processor and result', async () => {
    const { client, sandbox } = await start()
    const { id } = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.refundFails }))
    await client.payments.capture(id)

    const { transactions = [], processor } = await client.payments.refund(id)

    const [sale, refund] = transactions
    const common = {
      date: expect.any(String),
      amount: 5000,
      currencyCode: 'EUR',
      processorTransactionId: expect.any(String),
      processorName: processor?.name,
      processorMerchantId: processor?.processorMerchantId,
    }
    expect(sale).toEqual({ ...common, transactionType: 'SALE', processorStatus: 'SETTLED' })
    expect(refund).toEqual({
      ...common,
      transactionType: 'REFUND',
      processorStatus: 'FAILED',
      processorStatusReason: { type: 'APPLICATION_ERROR', code: 'ERROR', message: expect.any(String) },
    })
  })

  it('the service returns the fraud checks from before and after authorization', async () => {
    const { client } = await start()

    const { riskData } = await client.payments.create(aPayment())

    expect(riskData?.fraudCheck).toEqual({
      source: expect.any(String),
      preAuthorizationResult: 'ACCEPT',
      postAuthorizationResult: 'ACCEPT',
    })
  })
})
