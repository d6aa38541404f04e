import { expect, it } from 'vitest'
import type { CreateClientSessionBody } from '../../src/core/schemas/client-session.js'
import type { CreatePaymentBody } from '../../src/core/schemas/payment.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService, type Service } from './service.js'

const session = {
  orderId: 'order-of-session',
  currencyCode: 'EUR',
  amount: 900,
  customerId: 'customer-1',
  customer: { firstName: 'Zoë', billingAddress: { city: 'Berlin' } },
  metadata: { channel: 'web' },
  order: { countryCode: 'DE', lineItems: [{ itemId: 'a', amount: 900 }] },
  paymentMethod: { descriptor: 'KETTLES' },
}

async function payInSession(
  { client, sandbox }: Service,
  facts: CreateClientSessionBody,
  request: Partial<CreatePaymentBody> = {},
) {
  const { clientToken } = await client.clientSessions.create(facts)
  return client.payments.create({ paymentMethodToken: sandbox.tokenize({ clientToken }), ...request })
}

describeService('POST /payments', (start) => {
  it('the service creates a payment and authorizes it', async () => {
    const { client, statuses } = await start()

    const payment = await client.payments.create(aPayment())

    expect(payment).toMatchObject({ status: 'AUTHORIZED', amount: 5000, orderId: 'order-17' })
    expect(await statuses()).toEqual(['AUTHORIZED'])
  })

  it('the service accepts a payment method token without card data', async () => {
    const { client } = await start()

    expect(await client.payments.create(aPayment())).toMatchObject({ status: 'AUTHORIZED' })
  })

  it('the service requires a payment method token, and charges that payment method', async () => {
    const { client, ask, sandbox } = await start()
    const { paymentMethodToken: _, ...rest } = aPayment()

    const payment = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.declined }))
    const asked = await ask('POST', '/payments', rest)

    expect(payment.status).toBe('DECLINED')
    expect(asked).toMatchObject({ status: 400, fields: ['$.paymentMethodToken'] })
  })

  it('the service takes each omitted field from the client session', async () => {
    const service = await start()
    const given: Partial<CreatePaymentBody> = { orderId: 'order-17', currencyCode: 'USD', amount: 700 }

    const withoutOrderId = await payInSession(service, session, { ...given, orderId: undefined })
    const withoutCurrency = await payInSession(service, session, { ...given, currencyCode: undefined })
    const { amount: _, ...rest } = given
    const withoutAmount = await payInSession(service, session, rest)

    expect(withoutOrderId).toMatchObject({ ...given, orderId: 'order-of-session' })
    expect(withoutCurrency).toMatchObject({ ...given, currencyCode: 'EUR' })
    expect(withoutAmount).toMatchObject({ ...given, amount: 900 })
  })

  it('the service requires a customer id to save the payment method', async () => {
    const service = await start()
    const paymentMethod = { vaultOnSuccess: true }

    const error = await refusal(service.client.payments.create(aPayment({ paymentMethod })))
    const here = await service.client.payments.create(aPayment({ customerId: 'customer-1', paymentMethod }))
    const inSession = await payInSession(service, session, { paymentMethod })

    expect(error).toMatchObject({ outcome: 'rejected', validationErrors: [{ errors: [{ path: '$.customerId' }] }] })
    expect([here, inSession]).toMatchObject(Array(2).fill({ paymentMethod: { isVaulted: true } }))
  })

  it('the service saves the payment method only after a successful payment', async () => {
    const { client, sandbox } = await start()
    const body = { customerId: 'customer-1', paymentMethod: { vaultOnSuccess: true } }

    await client.payments.create(aPayment({ ...body, paymentMethodToken: sandbox.tokens.declined }))
    const before = await client.paymentInstruments.list({ customerId: 'customer-1' })
    await client.payments.create(aPayment({ ...body, paymentMethodToken: sandbox.tokens.card }))

    expect(before).toEqual([])
    expect(await client.paymentInstruments.list({ customerId: 'customer-1' })).toHaveLength(1)
  })

  it('the service requires an amount, a currency and an order ID in request or session', async () => {
    const service = await start()
    const { client, sandbox } = service

    const error = await refusal(client.payments.create({ paymentMethodToken: sandbox.tokens.card }))
    const payment = await payInSession(service, { amount: 900 }, { currencyCode: 'EUR', orderId: 'order-17' })

    expect(error.validationErrors).toMatchObject([
      { errors: [{ path: '$.orderId' }, { path: '$.currencyCode' }, { path: '$.amount' }] },
    ])
    expect(payment).toMatchObject({ amount: 900, currencyCode: 'EUR', orderId: 'order-17' })
  })

  it('the service takes all other fields from the session', async () => {
    const service = await start()

    expect(await payInSession(service, session)).toMatchObject(session)
    expect(await service.requests[1]?.json()).toEqual({ paymentMethodToken: expect.any(String) })
  })

  it('the service prefers a field of the request to the same field of the session', async () => {
    const service = await start()
    const request = {
      orderId: 'order-of-request',
      amount: 450,
      currencyCode: 'USD',
      customerId: 'customer-2',
      order: { countryCode: 'AT', lineItems: [{ itemId: 'b', amount: 450 }] },
    }

    expect(await payInSession(service, session, request)).toMatchObject(request)
  })

  it('the service merges the fields of the request and the session', async () => {
    const service = await start()

    const payment = await payInSession(service, session, {
      customer: { emailAddress: 'zoe@example.com', billingAddress: { postalCode: '10117' } },
      metadata: { visits: 3 },
      paymentMethod: { paymentType: 'ECOMMERCE' },
    })

    expect(payment).toMatchObject({
      orderId: 'order-of-session',
      order: session.order,
      metadata: { channel: 'web', visits: 3 },
      paymentMethod: { descriptor: 'KETTLES', paymentType: 'ECOMMERCE' },
    })
    expect(payment.customer).toEqual({
      firstName: 'Zoë',
      emailAddress: 'zoe@example.com',
      billingAddress: { city: 'Berlin', postalCode: '10117' },
    })
  })
})
