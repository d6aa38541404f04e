import { describe, expect, it } from 'vitest'
import { aPayment, refusal, startSandbox } from '../../support/start-sandbox.js'

describe('clientSessions.create', () => {
  it('rejects a negative total amount', async () => {
    const { client, sandbox } = startSandbox()

    const error = await refusal(client.clientSessions.create({ order: { lineItems: [{ amount: -1 }] } }))

    expect(error.httpStatus).toBe(400)
    expect(sandbox.ledger).toEqual([])
  })

  it('stores unknown nested fields, and ignores other unknown fields', async () => {
    const { client } = startSandbox()
    const customer = { loyaltyTier: 'gold' } as object

    const session = await client.clientSessions.create({ customer }, { extraBody: { clientToken: 'x', locale: 'de' } })

    expect(session).toMatchObject({ clientToken: expect.stringMatching(/^client_/), customer })
    expect(session).not.toHaveProperty('locale')
  })

  it('rejects misspelled fields', async () => {
    const { client } = startSandbox()

    const error = await refusal(client.clientSessions.create({}, { extraBody: { order_id: 'order-17' } }))

    expect(error.message).toContain('$.order_id')
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

  it('replaces the whole address, and omits address fields that are null', async () => {
    const { client, clientToken } = await startWithSession()

    const { customer } = await client.clientSessions.update(clientToken, {
      customer: { billingAddress: { city: 'Bonn', state: null } },
    })

    expect(customer).toEqual({ ...body.customer, billingAddress: { city: 'Bonn' } })
  })

  it('computes the amount from line items after the amount is cleared', async () => {
    const { client, clientToken } = await startWithSession()
    await client.clientSessions.update(clientToken, { amount: 1 })

    const session = await client.clientSessions.update(clientToken, { amount: null })

    expect(session.amount).toBe(300)
  })

  it.each(['merge', 'replace'] as const)(
    'keeps lineItems if only orderDetails changes, and vice versa (sessionUpdate: %s)',
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

  it('does not change the session if the update is rejected', async () => {
    const { client, clientToken } = await startWithSession()

    const error = await refusal(client.clientSessions.update(clientToken, { order: { lineItems: [{ amount: -1 }] } }))

    expect(error.httpStatus).toBe(400)
    expect((await client.clientSessions.get(clientToken)).amount).toBe(300)
  })

  it('does not change payments that were created from the session', async () => {
    const { client, clientToken, sandbox } = await startWithSession()
    const { id } = await client.payments.create({
      ...aPayment(),
      paymentMethodToken: sandbox.tokenize({ clientToken }),
    })

    await client.clientSessions.update(clientToken, { customer: { firstName: 'Grace' } })

    expect((await client.payments.get(id)).customer?.firstName).toBe('Ada')
  })
})
