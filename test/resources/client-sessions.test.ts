import { describe, expect, it } from 'vitest'
import { RequestValidationError } from '../../src/index.js'
import { aClient, sent } from '../support/clients.js'
import { createdSession, createdSessionV21, session, sessionV21 } from '../support/responses/client-sessions.js'

const facts = {
  orderId: 'order-17',
  currencyCode: 'EUR',
  customerId: 'customer-1',
  customer: { emailAddress: 'zoe@example.com', billingAddress: { city: 'Berlin', countryCode: 'DE' } },
  metadata: { basket: 'b-1', visits: 3 },
} as const
const paymentMethod = {
  paymentType: 'FIRST_PAYMENT',
  authorizationType: 'ESTIMATED',
  vaultOnSuccess: true,
  options: { PAYMENT_CARD: { surcharge: { amount: 140 } } },
} as const
const lineItems = [{ itemId: 'item_1', name: 'Kettle', amount: 2300, quantity: 2 }]
const orderDetails = { countryCode: 'DE', fees: [{ amount: 50, type: 'SURCHARGE' }], shipping: { amount: 450 } }

describe('clientSessions.create', () => {
  it('sends the body, and returns the session with its token', async () => {
    const { client, requests } = aClient([createdSession])
    const body = { ...facts, amount: 5000, order: { lineItems, ...orderDetails }, paymentMethod }

    const created = await client.clientSessions.create(body)

    expect(requests).toEqual([sent('POST /client-session', { body })])
    expect(created).toEqual(createdSession)
  })

  it('sends an empty object by default, because all fields are optional', async () => {
    const { client, requests } = aClient([createdSession])

    await client.clientSessions.create()

    expect(requests).toEqual([sent('POST /client-session', { body: {} })])
  })

  it('writes the cart at the top level in version 2.1', async () => {
    const { client, requests } = aClient([createdSessionV21], { apiVersion: '2.1' })
    const body = { ...facts, lineItems, orderDetails, paymentMethod }

    const created = await client.clientSessions.create(body)

    expect(requests).toEqual([sent('POST /client-session', { body, version: '2.1' })])
    expect(created).toEqual(createdSessionV21)
  })
})

describe('clientSessions.get', () => {
  it('names the session in the query', async () => {
    const { client, requests } = aClient([session])

    const read = await client.clientSessions.get('client token/1')

    expect(requests).toEqual([sent('GET /client-session?clientToken=client%20token%2F1')])
    expect(read).toEqual(session)
  })

  it('returns the shape of version 2.1', async () => {
    const { client, requests } = aClient([sessionV21], { apiVersion: '2.1' })

    const read = await client.clientSessions.get('client_token_1')

    expect(requests).toEqual([sent('GET /client-session?clientToken=client_token_1', { version: '2.1' })])
    expect(read).toEqual(sessionV21)
  })
})

describe('clientSessions.update', () => {
  it('sends the changes with the token, and returns the whole session', async () => {
    const { client, requests } = aClient([session])
    const changes = { amount: 700, customer: { emailAddress: 'new@example.com' }, order: { lineItems } }

    const updated = await client.clientSessions.update('client_token_1', changes)

    expect(requests).toEqual([sent('PATCH /client-session', { body: { ...changes, clientToken: 'client_token_1' } })])
    expect(updated).toEqual(session)
  })

  it('sends null to clear a field, at any depth, and omits undefined fields', async () => {
    const { client, requests } = aClient([session])

    await client.clientSessions.update('client_token_1', {
      orderId: null,
      amount: null,
      customer: { firstName: undefined, billingAddress: null, shippingAddress: { addressLine2: null } },
      metadata: null,
      paymentMethod: { vaultOnSuccess: null },
    })

    expect(requests[0]?.body).toBe(
      '{"orderId":null,"amount":null,"customer":{"billingAddress":null,"shippingAddress":{"addressLine2":null}},' +
        '"metadata":null,"paymentMethod":{"vaultOnSuccess":null},"clientToken":"client_token_1"}',
    )
  })

  it('writes the cart at the top level in version 2.1', async () => {
    const { client, requests } = aClient([sessionV21], { apiVersion: '2.1' })
    const changes = { lineItems, orderDetails: { shipping: null } }

    const updated = await client.clientSessions.update('client_token_1', changes)

    const body = { ...changes, clientToken: 'client_token_1' }
    expect(requests).toEqual([sent('PATCH /client-session', { body, version: '2.1' })])
    expect(updated).toEqual(sessionV21)
  })
})

describe('clientSessions.merge', () => {
  it('gets the session, and sends whole objects with the changes merged in', async () => {
    const { client, requests } = aClient([session, session])

    const merged = await client.clientSessions.merge('client_token_1', {
      customer: { firstName: 'Ida', billingAddress: { city: 'Hamburg' } },
    })

    const customer = {
      emailAddress: 'zoe@example.com',
      billingAddress: { city: 'Hamburg', countryCode: 'DE' },
      firstName: 'Ida',
    }
    expect(requests).toEqual([
      sent('GET /client-session?clientToken=client_token_1'),
      sent('PATCH /client-session', { body: { customer, clientToken: 'client_token_1' } }),
    ])
    expect(merged).toEqual(session)
  })

  it('sends only the top-level fields that change', async () => {
    const { client, requests } = aClient([session, session])

    await client.clientSessions.merge('client_token_1', { amount: 700 })

    expect(requests[1]?.body).toBe('{"amount":700,"clientToken":"client_token_1"}')
  })

  it('merges metadata key by key, and the order field by field', async () => {
    const { client, requests } = aClient([session, session])

    await client.clientSessions.merge('client_token_1', {
      metadata: { visits: 4, coupon: 'SPRING' },
      order: { shipping: { amount: 0 } },
    })

    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({
      clientToken: 'client_token_1',
      metadata: { basket: 'b-1', visits: 4, coupon: 'SPRING' },
      order: { ...session.order, shipping: { amount: 0 } },
    })
  })

  it('sends arrays unchanged, because the service replaces them', async () => {
    const { client, requests } = aClient([session, session])

    await client.clientSessions.merge('client_token_1', { order: { lineItems } })

    expect(JSON.parse(requests[1]?.body ?? '').order.lineItems).toEqual(lineItems)
  })

  it('keeps null, which clears a field whether the service merges or replaces', async () => {
    const { client, requests } = aClient([session, session])

    await client.clientSessions.merge('client_token_1', {
      orderId: null,
      customer: { emailAddress: null, billingAddress: { countryCode: null } },
    })

    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({
      clientToken: 'client_token_1',
      orderId: null,
      customer: { emailAddress: null, billingAddress: { city: 'Berlin', countryCode: null } },
    })
  })

  it('never sends the options of the payment method, which cannot be updated', async () => {
    const { client, requests } = aClient([session, session])

    await client.clientSessions.merge('client_token_1', { paymentMethod: { vaultOnSuccess: false } })

    expect(JSON.parse(requests[1]?.body ?? '').paymentMethod).toEqual({
      paymentType: 'FIRST_PAYMENT',
      authorizationType: 'ESTIMATED',
      vaultOnSuccess: false,
    })
  })

  it('sends a new field unchanged', async () => {
    const { client, requests } = aClient([{ orderId: 'order-17' }, session])

    await client.clientSessions.merge('client_token_1', { customer: { firstName: 'Ida' } })

    expect(requests[1]?.body).toBe('{"customer":{"firstName":"Ida"},"clientToken":"client_token_1"}')
  })

  it('merges lines and order details in version 2.1', async () => {
    const { client, requests } = aClient([sessionV21, sessionV21], { apiVersion: '2.1' })

    const merged = await client.clientSessions.merge('client_token_1', { orderDetails: { countryCode: 'AT' } })

    const body = { orderDetails: { ...sessionV21.orderDetails, countryCode: 'AT' }, clientToken: 'client_token_1' }
    expect(requests[1]).toEqual(sent('PATCH /client-session', { body, version: '2.1' }))
    expect(merged).toEqual(sessionV21)
  })

  it('rejects invalid changes before it gets the session', async () => {
    const { client, requests } = aClient([session])

    // @ts-expect-error The options of the payment method are fixed.
    const merging = client.clientSessions.merge('client_token_1', { paymentMethod: { options: {} } })

    await expect(merging).rejects.toThrow(RequestValidationError)
    await expect(merging).rejects.toThrow('paymentMethod.options cannot be updated')
    expect(requests).toEqual([])
  })

  it('applies its options to both requests, and `resend` to the update', async () => {
    const { client, requests } = aClient([session, session])

    await client.clientSessions.merge('client_token_1', { amount: 1 }, { resend: true, headers: { 'x-trace': 't-1' } })

    expect(requests.map(({ headers }) => headers['x-trace'])).toEqual(['t-1', 't-1'])
  })

  it('returns the details of the second response', async () => {
    const updated = Response.json(session, { headers: { 'x-request-id': 'request-2' } })
    const { client, requests } = aClient([session, updated])

    const merging = client.clientSessions.merge('client_token_1', { amount: 1 })
    const { data, response } = await merging.withResponse()

    expect(await merging).toBe(data)
    expect(data).toEqual(session)
    expect(response.headers.get('x-request-id')).toBe('request-2')
    expect(response.attempts).toMatchObject([{ number: 1, status: 200 }])
    expect(requests).toHaveLength(2)
  })

  it('rejects with the error of the get, without an update', async () => {
    const { client, requests } = aClient([Response.json({}, { status: 404 })])

    const merging = client.clientSessions.merge('client_token_1', { amount: 1 })

    await expect(merging.withResponse()).rejects.toMatchObject({ operation: 'clientSessions.get', status: 404 })
    expect(requests).toHaveLength(1)
  })
})
