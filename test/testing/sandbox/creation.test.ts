import { describe, expect, it } from 'vitest'
import { aPayment, refusal, send, startSandbox } from '../../support/start-sandbox.js'

describe('payments.create', () => {
  it.each([
    [{ lineItems: [{ amount: 5, quantity: 0 }] }, 0],
    [{ lineItems: [{ amount: 5, discountAmount: 5 }] }, 0],
    [{ lineItems: [{ quantity: 2 }], fees: [{ amount: 3 }, {}] }, 3],
    [{ lineItems: [{ amount: 5 }], shipping: {} }, 5],
    [{ lineItems: [{ amount: 5 }] }, 5],
    [
      {
        lineItems: [{ amount: 1000, quantity: 3, discountAmount: 200, taxAmount: 50 }, { amount: 5 }],
        fees: [{ amount: 7 }],
        shipping: { amount: 400 },
      },
      1000 * 3 - 200 + 50 + 5 + 7 + 400,
    ],
  ])('computes an omitted amount from the order: %j', async (order, amount) => {
    const { sandbox } = startSandbox()

    const { json } = await send(sandbox, 'POST', '/payments', { body: { ...aPayment(), amount: undefined, order } })

    expect(json.amount).toBe(amount)
  })

  it('does not use up a single-use token if the request is rejected', async () => {
    const { client, sandbox } = startSandbox()
    const paymentMethodToken = sandbox.tokenize({ scenario: 'declined' })
    await refusal(client.payments.create({ paymentMethodToken }))

    const payment = await client.payments.create(aPayment({ paymentMethodToken }))

    expect(payment.status).toBe('DECLINED')
  })
})

describe('payments.create from a client session', () => {
  const session = {
    orderId: 'order-1',
    currencyCode: 'EUR',
    amount: 900,
    customerId: 'customer-1',
    customer: { firstName: 'Ada', emailAddress: 'old@example.com', billingAddress: { city: 'Berlin' } },
    metadata: { channel: 'web', visit: 3 },
    order: { countryCode: 'DE', lineItems: [{ itemId: 'a', amount: 900 }], shipping: { amount: 1 } },
    paymentMethod: { descriptor: 'SHOP' },
  }

  it('computes the amount from the merged order if the session has no amount', async () => {
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
})
