import { describe, expect, it } from 'vitest'
import { aPayment, refusal, send, startSandbox } from '../support/start-sandbox.js'

describe('clientSessions.create', () => {
  it('needs nothing, and warns of what a payment will need', async () => {
    const { client } = startSandbox()

    const session = await client.clientSessions.create()

    expect(session).toEqual({
      clientToken: expect.any(String),
      clientTokenExpirationDate: '2026-02-01T12:00:00.000000',
      warnings: {
        type: 'MISSING_INFORMATION',
        code: 'MISSING_CURRENCY_CODE',
        message: 'Expected before the payment: CURRENCY_CODE, ORDER_ID, AMOUNT',
      },
    })
  })

  it('computes the amount from the lines, unless one is given', async () => {
    const { client } = startSandbox()
    const facts = { orderId: 'order-17', currencyCode: 'EUR', order: { lineItems: [{ amount: 250, quantity: 2 }] } }

    const computed = await client.clientSessions.create(facts)
    const given = await client.clientSessions.create({ ...facts, amount: 450 })

    expect(computed.amount).toBe(500)
    expect(given.amount).toBe(450)
    expect(computed.warnings).toBeUndefined()
  })

  it('has no amount in version 2.1, where the lines are required', async () => {
    const { client21, sandbox } = startSandbox()

    const session = await client21.clientSessions.create({ lineItems: [{ amount: 5 }] })
    const without = await send(sandbox, 'POST', '/client-session', { body: {}, headers: { 'x-api-version': '2.1' } })

    expect(session).toMatchObject({ lineItems: [{ amount: 5 }] })
    expect(session).not.toHaveProperty('amount')
    expect(without).toMatchObject({
      status: 400,
      json: { error: { validationErrors: [{ errors: [{ path: '$.lineItems' }] }] } },
    })
  })

  it('does nothing for an order that comes to less than nothing', async () => {
    const { client, sandbox } = startSandbox()

    const error = await refusal(client.clientSessions.create({ order: { lineItems: [{ amount: -1 }] } }))

    expect(error.status).toBe(400)
    expect(sandbox.ledger).toEqual([])
  })

  it('is recorded in the ledger', async () => {
    const { client, sandbox } = startSandbox()

    const { clientToken } = await client.clientSessions.create()

    expect(sandbox.ledger).toEqual([
      { operation: 'clientSessions.create', resourceId: clientToken, at: '2026-01-31T12:00:00.000Z' },
    ])
  })
})

describe('clientSessions.get', () => {
  it('returns the session without what is empty', async () => {
    const { client } = startSandbox()
    const { clientToken } = await client.clientSessions.create({
      orderId: 'order-17',
      customerId: '',
      customer: { firstName: 'Ada', lastName: '', billingAddress: {} },
      metadata: {},
      order: { lineItems: [], countryCode: 'DE' },
      paymentMethod: { vaultOnSuccess: false },
    })

    const session = await client.clientSessions.get(clientToken)

    expect(session).toEqual({
      orderId: 'order-17',
      customer: { firstName: 'Ada' },
      order: { countryCode: 'DE' },
      paymentMethod: { vaultOnSuccess: false },
    })
  })

  it('keeps what is empty inside metadata, which is the merchant’s own', async () => {
    const { client } = startSandbox()
    const { clientToken } = await client.clientSessions.create({ metadata: { note: '' } })

    expect((await client.clientSessions.get(clientToken)).metadata).toEqual({ note: '' })
  })

  it('works until the client token expires after 24 hours', async () => {
    const { client, sandbox } = startSandbox()
    const { clientToken } = await client.clientSessions.create({ orderId: 'order-17' })

    await sandbox.clock.advance('23h')
    const session = await client.clientSessions.get(clientToken)
    await sandbox.clock.advance('1h')

    expect(session.orderId).toBe('order-17')
    expect(await refusal(client.clientSessions.get(clientToken))).toMatchObject({
      status: 404,
      errorId: 'ClientTokenExpired',
    })
    expect((await refusal(client.clientSessions.update(clientToken, {}))).errorId).toBe('ClientTokenExpired')
    expect(() => sandbox.tokenize({ clientToken })).toThrow('expired')
  })

  it('knows no other sessions', async () => {
    const { client } = startSandbox()

    expect(await refusal(client.clientSessions.get('client_unknown'))).toMatchObject({
      status: 404,
      errorId: 'ClientSessionNotFound',
    })
  })
})

describe('clientSessions.update', () => {
  const body = {
    orderId: 'order-17',
    currencyCode: 'EUR',
    customerId: 'customer-1',
    customer: { firstName: 'Ada', emailAddress: 'ada@example.com', billingAddress: { city: 'Berlin', state: 'BE' } },
    metadata: { channel: 'web' },
    order: {
      countryCode: 'DE',
      lineItems: [
        { itemId: 'a', amount: 100 },
        { itemId: 'b', amount: 200 },
      ],
    },
    paymentMethod: {
      descriptor: 'SHOP',
      vaultOnSuccess: false,
      options: { PAYMENT_CARD: { surcharge: { amount: 1 } } },
    },
  }

  async function startWithSession(options?: Parameters<typeof startSandbox>[0]) {
    const started = startSandbox(options)
    const { clientToken } = await started.client.clientSessions.create(body)
    return { ...started, clientToken }
  }

  it('changes what is sent, leaves the rest, and returns all of it', async () => {
    const { client, clientToken } = await startWithSession()

    const session = await client.clientSessions.update(clientToken, { orderId: 'order-18' })

    expect(session).toEqual({ ...body, orderId: 'order-18', amount: 300 })
    expect(await client.clientSessions.get(clientToken)).toEqual(session)
  })

  it('takes lists complete', async () => {
    const { client, clientToken } = await startWithSession()

    const session = await client.clientSessions.update(clientToken, {
      order: { lineItems: [{ itemId: 'b', amount: 250 }] },
    })

    expect(session.order).toEqual({ countryCode: 'DE', lineItems: [{ itemId: 'b', amount: 250 }] })
    expect(session.amount).toBe(250)
  })

  it('updates one nested field through its parent', async () => {
    const { client, clientToken } = await startWithSession()

    const { customer } = await client.clientSessions.update(clientToken, {
      customer: { emailAddress: 'a@example.com' },
    })

    expect(customer).toEqual({ ...body.customer, emailAddress: 'a@example.com' })
  })

  it('merges one level deep: an address is replaced', async () => {
    const { client, clientToken } = await startWithSession()

    const { customer } = await client.clientSessions.update(clientToken, {
      customer: { billingAddress: { city: 'Bonn' } },
    })

    expect(customer).toEqual({ ...body.customer, billingAddress: { city: 'Bonn' } })
  })

  it('replaces whole objects when told to', async () => {
    const { client, clientToken } = await startWithSession({ sessionUpdate: 'replace' })

    const session = await client.clientSessions.update(clientToken, {
      customer: { emailAddress: 'a@example.com' },
      order: { countryCode: 'AT' },
    })

    expect(session).toMatchObject({ customer: { emailAddress: 'a@example.com' }, order: { countryCode: 'AT' } })
    expect(session.customer).not.toHaveProperty('firstName')
    expect(session.order).not.toHaveProperty('lineItems')
  })

  it.each(['merge', 'replace'] as const)('always replaces metadata and paymentMethod (%s)', async (sessionUpdate) => {
    const { client, clientToken } = await startWithSession({ sessionUpdate })

    const session = await client.clientSessions.update(clientToken, {
      metadata: { visit: 2 },
      paymentMethod: { vaultOnSuccess: true },
    })

    expect(session.metadata).toEqual({ visit: 2 })
    expect(session.paymentMethod).toEqual({ vaultOnSuccess: true, options: body.paymentMethod.options })
  })

  it.each(['merge', 'replace'] as const)('clears what is null (%s)', async (sessionUpdate) => {
    const { client, clientToken } = await startWithSession({ sessionUpdate })

    const session = await client.clientSessions.update(clientToken, {
      orderId: null,
      metadata: null,
      paymentMethod: null,
      order: null,
      customer: { firstName: null, emailAddress: 'a@example.com' },
    })

    expect(session).not.toHaveProperty('orderId')
    expect(session).not.toHaveProperty('metadata')
    expect(session).not.toHaveProperty('order')
    expect(session).not.toHaveProperty('amount')
    expect(session.paymentMethod).toEqual({ options: body.paymentMethod.options })
    expect(session.customer).toMatchObject({ emailAddress: 'a@example.com' })
    expect(session.customer).not.toHaveProperty('firstName')
  })

  it('goes back to the computed amount when the given one is cleared', async () => {
    const { client, clientToken } = await startWithSession()
    await client.clientSessions.update(clientToken, { amount: 1 })

    const session = await client.clientSessions.update(clientToken, { amount: null })

    expect(session.amount).toBe(300)
  })

  it('refuses to change the options of the payment method', async () => {
    const { sandbox, clientToken } = await startWithSession()

    const { status, json } = await send(sandbox, 'PATCH', '/client-session', {
      body: { clientToken, paymentMethod: { options: {} } },
    })

    expect(status).toBe(400)
    expect(json.error.validationErrors[0].errors[0].path).toBe('$.paymentMethod.options')
  })

  it.each(['merge', 'replace'] as const)(
    'changes lines and details apart in version 2.1 (%s)',
    async (sessionUpdate) => {
      const { client21, clientToken } = await startWithSession({ sessionUpdate })

      const withDetails = await client21.clientSessions.update(clientToken, { orderDetails: { countryCode: 'AT' } })
      const withoutLines = await client21.clientSessions.update(clientToken, { lineItems: null })
      const withoutDetails = await client21.clientSessions.update(clientToken, { orderDetails: null })

      expect(withDetails).toMatchObject({ lineItems: body.order.lineItems, orderDetails: { countryCode: 'AT' } })
      expect(withoutLines).toMatchObject({ orderDetails: { countryCode: 'AT' } })
      expect(withoutLines).not.toHaveProperty('lineItems')
      expect(withoutDetails).not.toHaveProperty('orderDetails')
    },
  )

  it('refuses an order that comes to less than nothing, and leaves the session as it is', async () => {
    const { client, clientToken } = await startWithSession()

    const error = await refusal(client.clientSessions.update(clientToken, { order: { lineItems: [{ amount: -1 }] } }))

    expect(error.status).toBe(400)
    expect((await client.clientSessions.get(clientToken)).amount).toBe(300)
  })

  it('needs the client token', async () => {
    const { sandbox } = startSandbox()

    const { status, json } = await send(sandbox, 'PATCH', '/client-session', { body: { orderId: 'order-17' } })

    expect(status).toBe(400)
    expect(json.error.validationErrors[0].errors[0].path).toBe('$.clientToken')
  })

  it('can be merged deeply by the client, whichever way the service updates', async () => {
    const changes = { customer: { billingAddress: { city: 'Bonn' } }, order: { shipping: { amount: 5 } } }
    const merging = await startWithSession({ sessionUpdate: 'merge' })
    const replacing = await startWithSession({ sessionUpdate: 'replace' })

    const sessions = await Promise.all(
      [merging, replacing].map(({ client, clientToken }) => client.clientSessions.merge(clientToken, changes)),
    )

    expect(sessions[0]).toEqual(sessions[1])
    expect(sessions[0]).toMatchObject({
      customer: { firstName: 'Ada', billingAddress: { city: 'Bonn', state: 'BE' } },
      order: { ...body.order, shipping: { amount: 5 } },
    })
  })

  it('reaches the payments that are made in the session', async () => {
    const { client, clientToken, sandbox } = await startWithSession()
    const paymentMethodToken = sandbox.tokenize({ clientToken })
    await client.clientSessions.update(clientToken, { customerId: null, orderId: 'order-18' })

    const payment = await client.payments.create({ paymentMethodToken })

    expect(payment).toMatchObject({ orderId: 'order-18', amount: 300 })
    expect(payment.customerId).toBeUndefined()
    expect(payment.paymentMethod).not.toHaveProperty('options')
    expect(payment.paymentMethod).not.toHaveProperty('vaultOnSuccess')
  })

  it('does not reach payments made before', async () => {
    const { client, clientToken, sandbox } = await startWithSession()
    const { id } = await client.payments.create({
      ...aPayment(),
      paymentMethodToken: sandbox.tokenize({ clientToken }),
    })

    await client.clientSessions.update(clientToken, { customer: { firstName: 'Grace' } })

    expect((await client.payments.get(id)).customer?.firstName).toBe('Ada')
  })
})
