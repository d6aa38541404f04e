import { expect, it } from 'vitest'
import { aPayment } from '../support/start-sandbox.js'
import { describeService } from './service.js'

const lineItems = [{ itemId: 'a', amount: 300, quantity: 2 }]
const orderDetails = { countryCode: 'DE', shipping: { amount: 50 } }
const order = { lineItems, ...orderDetails }
const aFullPayment = { paymentMethodToken: 'tok_card', orderId: 'order-17', currencyCode: 'EUR', amount: 700 }
const in21 = { 'x-api-version': '2.1' }

describeService('Versioning', (start) => {
  it('the service returns the fields of the API version in the request’s header', async () => {
    const { client, client21, requests } = await start()
    const { id } = await client.payments.create(aPayment({ order }))

    const old = await client.payments.get(id)
    const current = await client21.payments.get(id)

    expect(requests.map(({ headers }) => headers.get('x-api-version'))).toEqual(['2021-09-27', '2021-09-27', '2.1'])
    expect(old).toMatchObject({ order })
    expect(current).toMatchObject({ lineItems, orderDetails })
  })

  it('the service provides client sessions in place of version 1’s client tokens', async () => {
    const { ask } = await start()

    const first = await ask('POST', '/auth/client-token', { customerCountryCode: 'DE', customerId: 'customer-1' })
    const second = await ask('POST', '/client-session', { customerCountryCode: 'DE', checkout: { paymentFlow: 'x' } })
    const session = await ask('POST', '/client-session', { customerId: 'customer-1' })

    expect([first, second, session].map(({ status }) => status)).toEqual([404, 200, 200])
    expect(Object.keys(second.json)).toEqual(['clientToken', 'clientTokenExpirationDate', 'warnings'])
    expect(session.json).toMatchObject({ clientToken: expect.any(String), customerId: 'customer-1' })
  })

  it('the service uses paymentMethod instead of the payment fields of version 1', async () => {
    const { ask, client } = await start()
    const { paymentMethodToken, ...facts } = aPayment()
    const body = { ...facts, paymentInstrument: { token: paymentMethodToken }, statementDescriptor: 'KETTLES' }

    const first = await ask('POST', '/payments', body)
    const payment = await client.payments.create(aPayment({ paymentMethod: { descriptor: 'KETTLES' } }))

    expect(first).toMatchObject({ status: 400, fields: ['$.paymentMethodToken'] })
    expect(payment.paymentMethod).toMatchObject({ paymentMethodToken, descriptor: 'KETTLES' })
  })

  it('the service uses orderDetails instead of order in version 2.1', async () => {
    const { client21, ask } = await start()

    const session = await client21.clientSessions.create({ lineItems, orderDetails })
    const payment = await client21.payments.create({ ...aFullPayment, orderDetails })
    const asked = [
      await ask('POST', '/client-session', { lineItems, order: orderDetails }, in21),
      await ask('POST', '/payments', { ...aFullPayment, order: orderDetails }, in21),
    ]

    expect([session, payment]).toMatchObject(Array(2).fill({ orderDetails }))
    expect([session, payment].filter((answer) => 'order' in answer)).toEqual([])
    expect(asked).toMatchObject(Array(2).fill({ status: 400, fields: ['$.order'] }))
  })

  it('the service uses lineItems at the top level in version 2.1', async () => {
    const { client21, ask } = await start()

    const session = await client21.clientSessions.create({ lineItems })
    const payment = await client21.payments.create({ ...aFullPayment, lineItems })
    const asked = await ask('POST', '/client-session', { lineItems })

    expect([session, payment]).toMatchObject(Array(2).fill({ lineItems }))
    expect(asked.fields).toEqual(['$.lineItems'])
  })

  it('the service computes the amount from lineItems in version 2.1', async () => {
    const { client21, ask, sandbox } = await start()
    const facts = { orderId: 'order-17', currencyCode: 'EUR', orderDetails }

    const session = await client21.clientSessions.create({ ...facts, lineItems })
    const paymentMethodToken = sandbox.tokenize({ clientToken: session.clientToken })
    const payment = await client21.payments.create({ paymentMethodToken })
    const withoutLines = await ask('POST', '/client-session', facts, in21)
    const withAmount = await ask('POST', '/client-session', { ...facts, lineItems, amount: 700 }, in21)

    expect(session).not.toHaveProperty('amount')
    expect(payment.amount).toBe(650)
    expect(withoutLines).toMatchObject({ status: 400, fields: ['$.lineItems'] })
    expect(withAmount).toMatchObject({ status: 400, fields: ['$.amount'] })
  })

  it('the service accepts a payment with only the token, or with all required fields', async () => {
    const { client21, ask, sandbox, requests } = await start()
    const { clientToken } = await client21.clientSessions.create({
      orderId: 'order-17',
      currencyCode: 'EUR',
      lineItems,
      customerId: 'customer-1',
    })
    const paymentMethodToken = sandbox.tokenize({ clientToken })

    const asked = await ask('POST', '/payments', { paymentMethodToken, orderId: 'order-18' }, in21)
    const payment = await client21.payments.create({ paymentMethodToken })

    expect(asked).toMatchObject({ status: 400, fields: ['$.currencyCode', '$.amount'] })
    expect(payment).toMatchObject({ orderId: 'order-17', amount: 600, lineItems, customerId: 'customer-1' })
    expect(await requests.at(-1)?.json()).toEqual({ paymentMethodToken })
  })

  it('the service accepts a payment with every field in version 2.1', async () => {
    const { client21, requests } = await start()
    const body = {
      ...aFullPayment,
      customer: { emailAddress: 'zoe@example.com' },
      lineItems,
      orderDetails,
      metadata: { basket: 'b-1' },
      paymentMethod: { descriptor: 'KETTLES', paymentType: 'ECOMMERCE' },
    }

    const payment = await client21.payments.create(body)

    const { paymentMethodToken, ...facts } = body
    expect(payment).toMatchObject({ ...facts, paymentMethod: { ...facts.paymentMethod, paymentMethodToken } })
    expect(await requests[0]?.json()).toEqual(body)
  })

  it('the service uses order in the default version', async () => {
    const { client, requests, ask } = await start()

    const payment = await client.payments.create(aPayment({ order }))
    const session = await client.clientSessions.create({ order })
    const captured = await client.payments.capture(payment.id, { order: orderDetails })
    const unversioned = await ask('POST', '/payments', aPayment({ order }))

    expect([payment, session, captured, unversioned.json]).toMatchObject(Array(4).fill({ order }))
    expect(await requests[0]?.json()).toMatchObject({ order })
  })
})
