import { describe, expect, it } from 'vitest'
import { type ClientSessionChanges, RequestValidationError } from '../../../src/index.js'
import { aClient, sent } from '../../support/clients.js'
import { session, sessionV21 } from '../../support/responses/client-sessions.js'

/** A session with fields and values of live accounts that the specification does not describe. */
const observedSession = {
  orderId: null,
  amount: null,
  currencyCode: 'XXQ',
  metadata: { vip: true, none: null, visits: 3 },
  customer: {
    email: 'zoe@example.com',
    emailAddress: 'zoe@example.com',
    phone: '+4930123456',
    lastName: null,
    loyaltyTier: 'gold',
    billingAddress: { line1: 'Hauptstr. 1', country: 'DE' },
    dateOfBirth: '1990-02-21 15:36:16.36768',
  },
  order: {
    lineItems: [{ name: 'Kettle', amount: 5, quantity: null, productType: 'RENTAL', taxRate: 0.19, total: 5 }],
    shipping: { amount: null, carrier: { name: 'DHL' } },
  },
  paymentMethod: {
    vaultOnSuccess: 'false',
    isVaulted: 'false',
    paymentType: 'DONATION',
    authorizationType: null,
    options: { PAYMENT_CARD: { surcharge: { amount: 5 } } },
  },
}

const withoutNulls = (value: unknown) => JSON.parse(JSON.stringify(value), (_, inner) => inner ?? undefined)

describe('clientSessions.update', () => {
  it('accepts a session from get without its payment method options', async () => {
    const { client, requests } = aClient([observedSession, observedSession])
    const { paymentMethod, ...returned } = await client.clientSessions.get('client_token_1')
    const { options, ...choices } = paymentMethod ?? {}

    await client.clientSessions.update('client_token_1', { ...returned, paymentMethod: choices })

    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({
      clientToken: 'client_token_1',
      ...withoutNulls(observedSession),
      metadata: observedSession.metadata,
      paymentMethod: { vaultOnSuccess: false, isVaulted: 'false', paymentType: 'DONATION' },
    })
  })
})

describe('clientSessions.merge', () => {
  it('merges the changes into the current session, and sends changed objects in full', async () => {
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

  it('sends the original changes even if the caller modifies them during the call', async () => {
    const { client, requests } = aClient([session, session])
    const changes = { amount: 700 }

    const merging = client.clientSessions.merge('client_token_1', changes)
    changes.amount = 0
    await merging

    expect(requests[1]?.body).toBe('{"amount":700,"clientToken":"client_token_1"}')
  })

  const lineItems = [{ itemId: 'item_1', amount: 2300 }]
  const { paymentType, authorizationType } = session.paymentMethod

  it.each<[string, ClientSessionChanges, sent: object, current?: object]>([
    [
      'merges metadata by key, and the order by field',
      { metadata: { visits: 4, coupon: 'SPRING' }, order: { shipping: { amount: 0 }, lineItems: undefined } },
      {
        metadata: { basket: 'b-1', visits: 4, coupon: 'SPRING' },
        order: { ...session.order, shipping: { amount: 0 } },
      },
    ],
    [
      'sends arrays unchanged, because the service replaces whole arrays',
      { order: { lineItems } },
      { order: { ...session.order, lineItems } },
    ],
    [
      'sends null unchanged, to clear the field',
      { orderId: null, customer: { emailAddress: null, billingAddress: { countryCode: null } } },
      { orderId: null, customer: { emailAddress: null, billingAddress: { city: 'Berlin', countryCode: null } } },
    ],
    [
      'never sends paymentMethod.options, because they cannot be updated',
      { paymentMethod: { vaultOnSuccess: false } },
      { paymentMethod: { paymentType, authorizationType, vaultOnSuccess: false } },
    ],
    [
      'sends a field unchanged if the session lacks it',
      { customer: { firstName: 'Ida' } },
      { customer: { firstName: 'Ida' } },
      { orderId: 'order-17' },
    ],
  ])('%s', async (_, changes, sent, current = session) => {
    const { client, requests } = aClient([current, session])

    await client.clientSessions.merge('client_token_1', changes)

    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({ ...sent, clientToken: 'client_token_1' })
  })

  it('merges lineItems and orderDetails in version 2.1', async () => {
    const { client, requests } = aClient([sessionV21, sessionV21], { apiVersion: '2.1' })

    const merged = await client.clientSessions.merge('client_token_1', { orderDetails: { countryCode: 'AT' } })

    const body = { orderDetails: { ...sessionV21.orderDetails, countryCode: 'AT' }, clientToken: 'client_token_1' }
    expect(requests[1]).toEqual(sent('PATCH /client-session', { body, version: '2.1' }))
    expect(merged).toEqual(sessionV21)
  })

  it('accepts a session from get, and sends it without payment method options', async () => {
    const { client, requests } = aClient([observedSession, observedSession, observedSession])
    const returned = await client.clientSessions.get('client_token_1')

    await client.clientSessions.merge('client_token_1', returned)

    expect(JSON.parse(requests[2]?.body ?? '')).toEqual({
      ...withoutNulls(observedSession),
      metadata: observedSession.metadata,
      paymentMethod: { vaultOnSuccess: false, isVaulted: 'false', paymentType: 'DONATION' },
      clientToken: 'client_token_1',
    })
  })

  it('accepts a misspelled nested field only if the session has the field', async () => {
    const session = { order: { lineItems: [{ amount: 1, amounts: [1] }] } }
    const { client, requests } = aClient([session, session, {}])

    await client.clientSessions.merge('client_token_1', session)
    const merging = client.clientSessions.merge('client_token_1', session)

    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({ ...session, clientToken: 'client_token_1' })
    await expect(merging).rejects.toThrow('order.lineItems[0].amounts is not a field of this request')
  })

  it('rejects payment method options that differ from the session’s', async () => {
    const { client, requests } = aClient([observedSession])
    const options = { PAYMENT_CARD: { surcharge: { amount: 1 } } }

    const merging = client.clientSessions.merge('client_token_1', { paymentMethod: { options } } as object)

    await expect(merging).rejects.toThrow('paymentMethod.options cannot be updated')
    expect(requests).toEqual([sent('GET /client-session?clientToken=client_token_1')])
  })

  it('rejects invalid changes before it fetches the session', async () => {
    const { client, requests } = aClient([session])

    const merging = client.clientSessions.merge('client_token_1', { paymentMethod: { options: {} } })

    await expect(merging).rejects.toThrow(RequestValidationError)
    await expect(merging).rejects.toThrow('paymentMethod.options cannot be updated')
    expect(requests).toEqual([])
  })

  it('passes its options to both requests, but `resend` only to the update', async () => {
    const { client, requests } = aClient([session, session])

    await client.clientSessions.merge('client_token_1', { amount: 1 }, { resend: true, headers: { 'x-trace': 't-1' } })

    expect(requests.map(({ headers }) => headers['x-trace'])).toEqual(['t-1', 't-1'])
  })

  it('returns the response details of the update request', async () => {
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

  it('rejects with the error of a failed get request, and sends no update', async () => {
    const { client, requests } = aClient([Response.json({}, { status: 404 })])

    const merging = client.clientSessions.merge('client_token_1', { amount: 1 })

    await expect(merging.withResponse()).rejects.toMatchObject({ operation: 'clientSessions.get', httpStatus: 404 })
    expect(requests).toHaveLength(1)
  })
})
