import { expect, it } from 'vitest'
import { toDate } from '../../src/index.js'
import { savedCard } from '../support/responses/payment-instruments.js'
import { aPayment, refusal } from '../support/start-sandbox.js'
import { describeService, type Start, startTime } from './service.js'

const customerId = 'customer-1'

async function startWithSavedCard(start: Start) {
  const service = await start()
  const singleUse = service.sandbox.tokenize()
  const saved = await service.client.paymentInstruments.vault(singleUse, { customerId })
  return { ...service, singleUse, saved }
}

describeService('Vaulted payment method', (start) => {
  it('the service allows any number of payments with the saved token', async () => {
    const { client, saved } = await startWithSavedCard(start)

    const payments = [
      await client.payments.create(aPayment({ paymentMethodToken: saved.token })),
      await client.payments.create(aPayment({ paymentMethodToken: saved.token })),
    ]

    expect(saved.tokenType).toBe('MULTI_USE')
    expect(payments.map(({ status }) => status)).toEqual(['AUTHORIZED', 'AUTHORIZED'])
  })

  it('the service returns the customer, the type, and whether the card is verified', async () => {
    const { client, sandbox } = await start()

    expect(await client.paymentInstruments.vault(sandbox.tokenize(), { customerId, verify: true })).toMatchObject({
      analyticsId: expect.any(String),
      paymentMethodType: 'PAYMENT_CARD',
      customerId,
      isVerified: true,
    })
  })

  it('the service returns the same data for a saved card as for its payments', async () => {
    const { client, saved } = await startWithSavedCard(start)

    const { paymentMethod } = await client.payments.create(aPayment({ paymentMethodToken: saved.token }))

    expect(saved.paymentMethodData).toMatchObject({ first6Digits: '411111', last4Digits: '1111', network: 'Visa' })
    expect(saved.paymentMethodData).toEqual(paymentMethod?.paymentMethodData)
  })

  it.each([
    ['the service returns the customer’s own description of the payment method', savedCard],
    ['the SDK accepts a response with only the token', { token: 'vaulted_1' }],
  ])('%s', async (_, saved) => {
    const { client, sandbox } = await start()
    sandbox.faults.add({ operation: 'paymentInstruments.list', status: 200, body: { data: [saved] } })

    expect(await client.paymentInstruments.list({ customerId })).toEqual([saved])
  })

  it('the service keeps only one default payment method per customer', async () => {
    const { client, sandbox, saved } = await startWithSavedCard(start)
    const other = await client.paymentInstruments.vault(sandbox.tokens.paypal, { customerId })
    await client.paymentInstruments.setDefault(saved.token)

    const changed = await client.paymentInstruments.setDefault(other.token)

    expect([saved.default, changed.default]).toEqual([false, true])
    expect(await client.paymentInstruments.list({ customerId })).toMatchObject([{ default: false }, { default: true }])
  })

  it('the service returns the time at which the payment method was saved, in UTC', async () => {
    const { saved } = await startWithSavedCard(start)

    expect(toDate(saved.createdAt as string)).toEqual(startTime)
  })

  it('the service returns the time at which the payment method was deleted', async () => {
    const { client, saved } = await startWithSavedCard(start)

    const deleted = await client.paymentInstruments.delete(saved.token)

    expect(saved.deleted).toBe(false)
    expect(deleted).toMatchObject({ token: saved.token, deleted: true })
    expect(toDate(deleted.deletedAt as string)).toEqual(startTime)
    expect(await client.paymentInstruments.list({ customerId })).toEqual([])
    expect(await refusal(client.payments.create(aPayment({ paymentMethodToken: saved.token })))).toMatchObject({
      outcome: 'rejected',
    })
  })

  it('the service returns the payment method from setDefault and delete', async () => {
    const { client, saved } = await startWithSavedCard(start)

    const made = await client.paymentInstruments.setDefault(saved.token)
    const deleted = await client.paymentInstruments.delete(saved.token)

    expect(made).toEqual({ ...saved, default: true })
    expect(deleted).toEqual({ ...saved, deleted: true, deletedAt: expect.any(String) })
  })
})

describeService('POST /payment-instruments/:paymentMethodToken/vault', (start) => {
  it('the service saves a single-use token’s payment method and invalidates the token', async () => {
    const { client, singleUse, saved } = await startWithSavedCard(start)

    const error = await refusal(client.payments.create(aPayment({ paymentMethodToken: singleUse })))

    expect(saved.token).not.toBe(singleUse)
    expect(await client.paymentInstruments.list({ customerId })).toEqual([saved])
    expect(error.outcome).toBe('rejected')
  })

  it('the service requires a customer id for saving a payment method', async () => {
    const { ask, sandbox } = await start()

    const asked = await ask('POST', `/payment-instruments/${sandbox.tokenize()}/vault`, {})

    expect(asked).toMatchObject({ status: 400, fields: ['$.customerId'] })
  })

  it('the service saves nothing if the verification of the payment method fails', async () => {
    const { client, sandbox } = await start()
    const token = sandbox.tokenize({ scenario: 'verificationFails' })

    const error = await refusal(client.paymentInstruments.vault(token, { customerId, verify: true }))
    const before = await client.paymentInstruments.list({ customerId })
    const unverified = await client.paymentInstruments.vault(token, { customerId })

    expect(error.outcome).toBe('rejected')
    expect(before).toEqual([])
    expect(unverified.isVerified).toBe(false)
  })

  it('the service returns the same payment method when a client vaults it again', async () => {
    const { client, sandbox, singleUse, saved } = await startWithSavedCard(start)

    const again = [
      await client.paymentInstruments.vault(singleUse, { customerId }),
      await client.paymentInstruments.vault(saved.token, { customerId }),
    ]

    expect(again).toEqual([saved, saved])
    expect(sandbox.ledger).toHaveLength(1)
  })
})

describeService('POST /payment-instruments/:paymentMethodToken/default', (start) => {
  it('the SDK sends setDefault without a body', async () => {
    const { client, requests, saved } = await startWithSavedCard(start)

    const { token } = await client.paymentInstruments.setDefault(saved.token)

    expect(token).toBe(saved.token)
    expect(requests.at(-1)?.body).toBeNull()
  })
})

describeService('GET /payment-instruments', (start) => {
  it('the service requires a customer id to list payment methods', async () => {
    const { client, ask, requests } = await startWithSavedCard(start)

    const others = await client.paymentInstruments.list({ customerId: 'customer-2' })
    const asked = await ask('GET', '/payment-instruments')

    expect(others).toEqual([])
    expect(new URL(requests.at(-1)?.url ?? '').search).toBe('?customer_id=customer-2')
    expect(asked).toMatchObject({ status: 400, fields: ['$.customer_id'] })
  })

  it('the service lists all payment methods of the customer', async () => {
    const { client, ask, sandbox, saved } = await startWithSavedCard(start)
    const other = await client.paymentInstruments.vault(sandbox.tokens.paypal, { customerId })

    const { json } = await ask('GET', `/payment-instruments?customer_id=${customerId}`)

    expect(json).toEqual({ data: [saved, other] })
    expect(await client.paymentInstruments.list({ customerId })).toEqual([saved, other])
  })
})
