import { expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/testing/index.js'
import { session } from '../support/responses/client-sessions.js'
import { describeService, type Start } from './service.js'

async function startWithSession(start: Start, options?: SandboxOptions) {
  const service = await start(options)
  const { clientToken } = await service.client.clientSessions.create(session)
  return { ...service, clientToken }
}

describeService('PATCH /client-session', (start) => {
  it('the service requires the client token, and accepts any other session field', async () => {
    const { client, ask, requests, clientToken } = await startWithSession(start)
    const { paymentMethod, ...changes } = { ...session, orderId: 'order-18', currencyCode: 'USD', amount: 700 }

    const updated = await client.clientSessions.update(clientToken, changes)
    const without = await ask('PATCH', '/client-session', { orderId: 'order-18' })

    expect(updated).toEqual({ ...changes, paymentMethod })
    expect(await requests[1]?.json()).toEqual({ clientToken, ...changes })
    expect(without).toMatchObject({ status: 400, fields: ['$.clientToken'] })
  })

  it('the service changes only the session fields in the request', async () => {
    const { client, clientToken } = await startWithSession(start)

    await client.clientSessions.update(clientToken, { orderId: 'order-18' })

    expect(await client.clientSessions.get(clientToken)).toEqual({ ...session, orderId: 'order-18' })
  })

  it('the service replaces whole arrays of a session', async () => {
    const { client, clientToken } = await startWithSession(start)
    const lineItems = [{ itemId: 'item_2', name: 'Cup', amount: 200, quantity: 3 }]

    const { order } = await client.clientSessions.update(clientToken, { order: { lineItems } })

    expect(order?.lineItems).toEqual(lineItems)
  })

  it('the service changes one nested field of a session and keeps the others', async () => {
    const { client, clientToken } = await startWithSession(start)

    const updated = await client.clientSessions.update(clientToken, { customer: { emailAddress: 'ida@example.com' } })

    expect(updated).toEqual({ ...session, customer: { ...session.customer, emailAddress: 'ida@example.com' } })
  })

  it('the service clears session fields that are null in the request, at any depth', async () => {
    const { client, clientToken } = await startWithSession(start)
    const { customerId, order, metadata, customer, ...rest } = session
    const changes = { customerId: null, order: null, metadata: null, customer: { emailAddress: null } }

    const updated = await client.clientSessions.update(clientToken, changes)

    expect(updated).toEqual({ ...rest, customer: { billingAddress: customer.billingAddress } })
  })

  it('the service replaces whole objects with the option sessionUpdate: replace', async () => {
    const { client, clientToken } = await startWithSession(start, { sessionUpdate: 'replace' })
    const changes = {
      metadata: { till: 4 },
      customer: { firstName: 'Ida' },
      order: { countryCode: 'AT' },
      amount: 5000,
    }
    const { options } = session.paymentMethod

    const updated = await client.clientSessions.update(clientToken, {
      ...changes,
      paymentMethod: { paymentType: 'MOTO' },
    })

    expect(updated).toEqual({ ...session, ...changes, paymentMethod: { paymentType: 'MOTO', options } })
  })

  it('the service changes vaultOnSuccess, and rejects payment method options', async () => {
    const { client, ask, clientToken } = await startWithSession(start)
    const options = { PAYMENT_CARD: {} }

    const { paymentMethod } = await client.clientSessions.update(clientToken, {
      paymentMethod: { vaultOnSuccess: false },
    })
    const asked = await ask('PATCH', '/client-session', { clientToken, paymentMethod: { options } })

    expect(paymentMethod).toEqual({ vaultOnSuccess: false, options: session.paymentMethod.options })
    expect(asked).toMatchObject({ status: 400, fields: ['$.paymentMethod.options'] })
  })

  it('the service returns the whole session after an update', async () => {
    const { client, clientToken } = await startWithSession(start)

    const updated = await client.clientSessions.update(clientToken, { currencyCode: 'USD' })

    expect(updated).toEqual({ ...session, currencyCode: 'USD' })
    expect(await client.clientSessions.get(clientToken)).toEqual(updated)
  })
})
