import { describe, expect, it } from 'vitest'
import { aPayment, refusal, send, startSandbox } from '../support/start-sandbox.js'

describe('payments.create', () => {
  it('authorizes a payment with a good card', async () => {
    const { client, sandbox } = startSandbox()

    const payment = await client.payments.create(aPayment({ paymentMethodToken: sandbox.tokens.card }))

    expect(payment).toMatchObject({
      id: expect.any(String),
      date: '2026-01-31T12:00:00.000000',
      status: 'AUTHORIZED',
      orderId: 'order-17',
      currencyCode: 'EUR',
      amount: 5000,
      paymentMethod: {
        paymentMethodToken: sandbox.tokens.card,
        isVaulted: false,
        paymentMethodType: 'PAYMENT_CARD',
        paymentMethodData: { first6Digits: '411111', last4Digits: '1111' },
      },
      processor: { amountCaptured: 0, amountRefunded: 0 },
      transactions: [{ transactionType: 'SALE', amount: 5000, currencyCode: 'EUR', processorStatus: 'AUTHORIZED' }],
      riskData: {
        fraudCheck: { source: 'SANDBOX', preAuthorizationResult: 'ACCEPT', postAuthorizationResult: 'ACCEPT' },
      },
    })
    expect(payment.paymentMethod?.threeDSecureAuthentication).toEqual({
      responseCode: 'NOT_PERFORMED',
      challengeIssued: false,
    })
    expect(await client.payments.get(payment.id)).toEqual(payment)
  })

  it.each([
    ['declined', 'DECLINED', { declineType: 'HARD_DECLINE' }],
    ['softDecline', 'DECLINED', { declineType: 'SOFT_DECLINE' }],
    ['failed', 'FAILED', { type: 'APPLICATION_ERROR', code: 'ERROR' }],
  ] as const)('answers 200 when the payment is %s, and says why', async (scenario, status, reason) => {
    const { client, sandbox } = startSandbox()

    const { data, response } = await client.payments
      .create(aPayment({ paymentMethodToken: sandbox.tokens[scenario] }))
      .withResponse()

    expect(response.status).toBe(200)
    expect(data).toMatchObject({ status, statusReason: reason })
    expect(data.transactions?.[0]).toMatchObject({ processorStatus: status, processorStatusReason: reason })
  })

  it('takes an amount of 0', async () => {
    const { client } = startSandbox()

    const payment = await client.payments.create(aPayment({ amount: 0 }))

    expect(payment).toMatchObject({ status: 'AUTHORIZED', amount: 0 })
  })

  it('refuses a token that it never made', async () => {
    const { client } = startSandbox()

    const error = await refusal(client.payments.create(aPayment({ paymentMethodToken: 'tok_of_someone_else' })))

    expect(error).toMatchObject({ status: 400, errorId: 'RequestValidationFailed', outcome: 'rejected' })
    expect(error.validationErrors).toMatchObject([{ errors: [{ path: '$.paymentMethodToken' }] }])
  })

  it.each([
    [{}, ['$.orderId', '$.currencyCode', '$.amount']],
    [{ orderId: 'order-17' }, ['$.currencyCode', '$.amount']],
    [{ currencyCode: 'EUR' }, ['$.orderId', '$.amount']],
    [{ amount: 0 }, ['$.orderId', '$.currencyCode']],
    [{ orderId: 'order-17', currencyCode: 'EUR' }, ['$.amount']],
    [{ orderId: 'order-17', currencyCode: 'EUR', order: { lineItems: [] } }, ['$.amount']],
    [{ orderId: 'order-17', amount: 5000 }, ['$.currencyCode']],
    [{ currencyCode: 'EUR', amount: 5000 }, ['$.orderId']],
  ])('refuses what is neither in the request nor in a session: of %j', async (facts, missing) => {
    const { client, sandbox } = startSandbox()

    const error = await refusal(client.payments.create({ paymentMethodToken: sandbox.tokens.card, ...facts }))

    expect(error.status).toBe(400)
    expect(error.validationErrors?.flatMap(({ errors }) => errors?.map(({ path }) => path))).toEqual(missing)
    expect(sandbox.ledger).toEqual([])
  })

  it('computes the amount from the lines, fees and shipping when none is given', async () => {
    const { client } = startSandbox()
    const { amount: _, ...body } = aPayment()

    const payment = await client.payments.create({
      ...body,
      order: {
        lineItems: [{ amount: 1000, quantity: 3, discountAmount: 200, taxAmount: 50 }, { amount: 5 }],
        fees: [{ amount: 7 }],
        shipping: { amount: 400 },
      },
    })

    expect(payment.amount).toBe(1000 * 3 - 200 + 50 + 5 + 7 + 400)
  })

  it.each([
    [{ lineItems: [{ amount: 5, quantity: 0 }] }, 0],
    [{ lineItems: [{ amount: 5, discountAmount: 5 }] }, 0],
    [{ lineItems: [{ quantity: 2 }], fees: [{ amount: 3 }, {}] }, 3],
    [{ lineItems: [{ amount: 5 }], shipping: {} }, 5],
    [{ lineItems: [{ amount: 5 }] }, 5],
  ])('counts what is not said as nothing: %j', async (order, amount) => {
    const { sandbox } = startSandbox()

    const { json } = await send(sandbox, 'POST', '/payments', { body: { ...aPayment(), amount: undefined, order } })

    expect(json.amount).toBe(amount)
  })

  it('refuses an order that comes to less than nothing', async () => {
    const { client } = startSandbox()
    const { amount: _, ...body } = aPayment()

    const error = await refusal(
      client.payments.create({ ...body, order: { lineItems: [{ amount: 1, discountAmount: 2 }] } }),
    )

    expect(error.status).toBe(400)
    expect(error.validationErrors).toMatchObject([{ errors: [{ path: '$.order' }] }])
  })

  it('takes a single-use token once', async () => {
    const { client, sandbox } = startSandbox()
    const paymentMethodToken = sandbox.tokenize()
    await client.payments.create(aPayment({ paymentMethodToken }))

    const error = await refusal(client.payments.create(aPayment({ paymentMethodToken })))

    expect(error).toMatchObject({ status: 409, errorId: 'PaymentMethodTokenUsed' })
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('does not use up a single-use token with a request that it refuses', async () => {
    const { client, sandbox } = startSandbox()
    const paymentMethodToken = sandbox.tokenize({ scenario: 'declined' })
    await refusal(client.payments.create({ paymentMethodToken }))

    const payment = await client.payments.create(aPayment({ paymentMethodToken }))

    expect(payment.status).toBe('DECLINED')
  })
})

describe('payments.create from a client session', () => {
  const session = {
    orderId: 'order-of-session',
    currencyCode: 'EUR',
    amount: 900,
    customerId: 'customer-1',
    customer: { firstName: 'Ada', emailAddress: 'old@example.com', billingAddress: { city: 'Berlin' } },
    metadata: { channel: 'web', visit: 3 },
    order: { countryCode: 'DE', lineItems: [{ itemId: 'a', amount: 900 }], shipping: { amount: 1 } },
    paymentMethod: { descriptor: 'SHOP' },
  }

  it('takes everything from the session when only the token is passed', async () => {
    const { client, sandbox } = startSandbox()
    const { clientToken } = await client.clientSessions.create(session)

    const payment = await client.payments.create({ paymentMethodToken: sandbox.tokenize({ clientToken }) })

    expect(payment).toMatchObject({
      orderId: 'order-of-session',
      currencyCode: 'EUR',
      amount: 900,
      customerId: 'customer-1',
      customer: session.customer,
      metadata: session.metadata,
      order: session.order,
      paymentMethod: { descriptor: 'SHOP' },
    })
  })

  it('lets the request take precedence, and merges nested fields', async () => {
    const { client, sandbox } = startSandbox()
    const { clientToken } = await client.clientSessions.create(session)

    const payment = await client.payments.create({
      paymentMethodToken: sandbox.tokenize({ clientToken }),
      orderId: 'order-of-request',
      amount: 450,
      customer: { emailAddress: 'new@example.com', billingAddress: { postalCode: '10115' } },
      metadata: { visit: 4 },
      order: { lineItems: [{ itemId: 'b' }] },
      paymentMethod: { paymentType: 'ECOMMERCE' },
    })

    expect(payment).toMatchObject({
      orderId: 'order-of-request',
      amount: 450,
      currencyCode: 'EUR',
      paymentMethod: { descriptor: 'SHOP', paymentType: 'ECOMMERCE' },
    })
    expect(payment.customer).toEqual({
      firstName: 'Ada',
      emailAddress: 'new@example.com',
      billingAddress: { city: 'Berlin', postalCode: '10115' },
    })
    expect(payment.metadata).toEqual({ channel: 'web', visit: 4 })
    expect(payment.order).toEqual({ countryCode: 'DE', lineItems: [{ itemId: 'b' }], shipping: { amount: 1 } })
  })

  it('computes the amount anew when the request brings other lines, unless an amount was given', async () => {
    const { client, sandbox } = startSandbox()
    const { amount: _, ...withoutAmount } = session
    const computed = await client.clientSessions.create(withoutAmount)
    const given = await client.clientSessions.create(session)
    const order = { lineItems: [{ amount: 20 }] }

    const payments = [computed, given].map(({ clientToken }) =>
      client.payments.create({ paymentMethodToken: sandbox.tokenize({ clientToken }), order }),
    )

    expect((await Promise.all(payments)).map(({ amount }) => amount)).toEqual([21, 900])
  })

  it('follows the session as it is when the payment is made', async () => {
    const { client, sandbox } = startSandbox()
    const { clientToken } = await client.clientSessions.create(session)
    const paymentMethodToken = sandbox.tokenize({ clientToken })
    await client.clientSessions.update(clientToken, { amount: 1000 })

    const payment = await client.payments.create({ paymentMethodToken })

    expect(payment.amount).toBe(1000)
  })

  it('takes the token alone in version 2.1 too, and answers in its shape', async () => {
    const { client21, sandbox } = startSandbox()
    const { clientToken } = await client21.clientSessions.create({
      orderId: 'order-17',
      currencyCode: 'EUR',
      lineItems: [{ itemId: 'a', amount: 300, quantity: 2 }],
      orderDetails: { countryCode: 'DE', shipping: { amount: 50 } },
    })

    const payment = await client21.payments.create({ paymentMethodToken: sandbox.tokenize({ clientToken }) })

    expect(payment).toMatchObject({
      amount: 650,
      lineItems: [{ itemId: 'a', amount: 300, quantity: 2 }],
      orderDetails: { countryCode: 'DE', shipping: { amount: 50 } },
    })
    expect(payment).not.toHaveProperty('order')
  })

  it('shows one payment in the shape of whoever asks', async () => {
    const { client, client21 } = startSandbox()
    const order = { countryCode: 'DE', lineItems: [{ amount: 5000 }] }
    const { id } = await client.payments.create(aPayment({ order }))

    const payment = await client21.payments.get(id)

    expect(payment).toMatchObject({ lineItems: [{ amount: 5000 }], orderDetails: { countryCode: 'DE' } })
    expect((await client.payments.get(id)).order).toEqual(order)
  })

  it('refuses the cart of the other version', async () => {
    const { sandbox } = startSandbox()

    const old = await send(sandbox, 'POST', '/payments', { body: { ...aPayment(), lineItems: [] } })
    const current = await send(sandbox, 'POST', '/payments', {
      body: { ...aPayment(), order: {} },
      headers: { 'x-api-version': '2.1' },
    })

    expect(old).toMatchObject({
      status: 400,
      json: { error: { validationErrors: [{ errors: [{ path: '$.lineItems' }] }] } },
    })
    expect(current).toMatchObject({
      status: 400,
      json: { error: { validationErrors: [{ errors: [{ path: '$.order' }] }] } },
    })
  })

  it.each<Record<string, string>>([{}, { 'x-api-version': '' }])(
    'reads a request without a version as one of 2021-09-27: %j',
    async (headers) => {
      const { sandbox } = startSandbox()
      const body = aPayment({ order: { countryCode: 'DE' } })

      const { status, json } = await send(sandbox, 'POST', '/payments', { body, headers })

      expect(status).toBe(200)
      expect(json.order).toEqual({ countryCode: 'DE' })
    },
  )
})
