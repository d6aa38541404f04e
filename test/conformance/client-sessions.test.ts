import { expect, it } from 'vitest'
import { toDate } from '../../src/index.js'
import { createdSession, session } from '../support/responses/client-sessions.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService } from './service.js'

const { order } = session

describeService('Client session', (start) => {
  it('a payment method token from the checkout belongs to the session of that checkout', async () => {
    const { client, sandbox } = await start()
    const one = await client.clientSessions.create({ orderId: 'order-1' })
    const other = await client.clientSessions.create({ orderId: 'order-2' })
    const { orderId: _, ...facts } = aPayment()

    const payment = await client.payments.create({
      ...facts,
      paymentMethodToken: sandbox.tokenize({ clientToken: other.clientToken }),
    })

    expect(one.clientToken).not.toBe(other.clientToken)
    expect(payment.orderId).toBe('order-2')
  })

  it('the service returns the client token’s expiry time in UTC without a zone', async () => {
    const { client } = await start()

    const { clientTokenExpirationDate = '' } = await client.clientSessions.create()

    expect(clientTokenExpirationDate).toMatch(/^2026-02-01T12:00:00[.\d]*$/)
    expect(toDate(clientTokenExpirationDate)).toEqual(new Date('2026-02-01T12:00:00Z'))
  })

  it('the service computes an omitted amount from line items, fees and shipping', async () => {
    const { client } = await start()

    const computed = await client.clientSessions.create({ order })
    const given = await client.clientSessions.create({ order, amount: 700 })

    expect([computed.amount, given.amount]).toEqual([2 * 2300 + 2 * 200 + 50 + 450, 700])
  })

  it('the service warns about missing fields of a new session', async () => {
    const { client } = await start()

    const { warnings, clientToken } = await client.clientSessions.create()
    const complete = await client.clientSessions.create({ orderId: 'order-17', currencyCode: 'EUR', amount: 700 })

    expect(warnings).toMatchObject({ type: expect.any(String), code: expect.any(String) })
    expect(complete).not.toHaveProperty('warnings')
    expect(await client.clientSessions.get(clientToken)).not.toHaveProperty('warnings')
  })

  it('the service warns that the tax service is unavailable', async () => {
    const { client, sandbox } = await start()
    const { warnings } = createdSession
    sandbox.faults.add({ operation: 'clientSessions.create', at: 'after', body: (answer) => ({ ...answer, warnings }) })

    const created = await client.clientSessions.create()

    expect(created.warnings).toEqual({ type: 'TAX_SERVICE', code: 'SERVICE_UNAVAILABLE' })
  })
})

describeService('POST /client-session', (start) => {
  it('the service creates a session and returns its client token', async () => {
    const { client, sandbox } = await start()

    const { clientToken } = await client.clientSessions.create({ orderId: 'order-17' })

    expect(sandbox.ledger).toMatchObject([{ operation: 'clientSessions.create', resourceId: clientToken }])
    expect((await client.clientSessions.get(clientToken)).orderId).toBe('order-17')
  })

  it('the service returns an empty session for an empty request', async () => {
    const { client, requests } = await start()

    const { clientToken } = await client.clientSessions.create()

    expect(await requests[0]?.json()).toEqual({})
    expect(await client.clientSessions.get(clientToken)).toEqual({})
  })

  it('the service accepts every session field in the body', async () => {
    const { client, requests } = await start()

    await client.clientSessions.create(session)

    expect(Object.keys(session)).toHaveLength(8)
    expect(await requests[0]?.json()).toEqual(session)
  })

  it('the service returns the client token and every field of the new session', async () => {
    const { client } = await start()

    expect(await client.clientSessions.create(session)).toEqual({
      ...session,
      clientToken: expect.any(String),
      clientTokenExpirationDate: expect.any(String),
    })
  })
})

describeService('GET /client-session', (start) => {
  it('the service retrieves a session by the client token in the query', async () => {
    const { client, requests, ask } = await start()
    const { clientToken } = await client.clientSessions.create({ orderId: 'order-17' })

    const found = await client.clientSessions.get(clientToken)
    const unknown = await refusal(client.clientSessions.get('client_unknown'))
    const without = await ask('GET', '/client-session')

    expect(found.orderId).toBe('order-17')
    expect(new URL(requests[1]?.url ?? '').search).toBe(`?clientToken=${clientToken}`)
    expect(unknown.httpStatus).toBe(404)
    expect(without).toMatchObject({ status: 400, fields: ['$.clientToken'] })
  })

  it('the service omits empty fields from the returned session', async () => {
    const { client } = await start()
    const { clientToken } = await client.clientSessions.create({
      orderId: 'order-17',
      customerId: '',
      customer: { firstName: 'Zoë', lastName: '', billingAddress: {} },
      metadata: {},
      order: { lineItems: [] },
    })

    expect(await client.clientSessions.get(clientToken)).toEqual({
      orderId: 'order-17',
      customer: { firstName: 'Zoë' },
    })
  })

  it('the service returns every session field except the client token', async () => {
    const { client } = await start()
    const { clientToken } = await client.clientSessions.create(session)

    expect(await client.clientSessions.get(clientToken)).toEqual(session)
  })
})
