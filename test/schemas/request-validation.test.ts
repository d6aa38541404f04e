import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../../src/index.js'
import { aClient } from '../support/recording-fetch.js'
import { issuesOf, refusal } from '../support/rejection.js'
import { authorizedPayment } from '../support/responses/payments.js'

// Properties make hundreds of calls.
vi.setConfig({ testTimeout: 30_000 })

type Call = (client: PaymentsClient, value: never) => PromiseLike<unknown>

const externalBody = {
  paymentId: 'external-1',
  currencyCode: 'EUR',
  processor: { name: 'PROCESSOR_B' },
  createdAt: '2026-03-01T09:30:00Z',
  order: { id: 'order-17' },
  paymentMethod: { paymentMethodType: 'PAYMENT_CARD' },
}
const pointsBody = { connectionId: 'connection-1', customerId: 'member-1', orderId: 'order-17' }

/** Every place where an amount of money is sent. */
const amounts: Record<string, Call> = {
  'payments.create amount': (client, amount) => client.payments.create({ paymentMethodToken: 'tok_1', amount }),
  'payments.capture amount': (client, amount) => client.payments.capture('pay_1', { amount }),
  'payments.refund amount': (client, amount) => client.payments.refund('pay_1', { amount }),
  'payments.adjustAuthorization amount': (client, amount) => client.payments.adjustAuthorization('pay_1', { amount }),
  'clientSessions.create amount': (client, amount) => client.clientSessions.create({ amount }),
  'clientSessions.update amount': (client, amount) => client.clientSessions.update('client_token_1', { amount }),
  'observability.payments.create amount': (client, amount) =>
    client.observability.payments.create({ ...externalBody, amount }),
  'observability.payments.update amount': (client, amount) =>
    client.observability.payments.update('external-1', { amount }),
}

/** Every other place where an integer is sent: it may be negative, as a discount or a correction is. */
const integers: Record<string, Call> = {
  'order.lineItems.0.amount': (client, amount) => client.clientSessions.create({ order: { lineItems: [{ amount }] } }),
  'order.lineItems.0.quantity': (client, quantity) =>
    client.payments.create({ paymentMethodToken: 'tok_1', order: { lineItems: [{ quantity }] } }),
  'order.lineItems.0.discountAmount': (client, discountAmount) =>
    client.payments.capture('pay_1', { order: { lineItems: [{ discountAmount }] } }),
  'order.lineItems.0.taxAmount': (client, taxAmount) =>
    client.clientSessions.update('client_token_1', { order: { lineItems: [{ taxAmount }] } }),
  'order.fees.0.amount': (client, amount) => client.clientSessions.create({ order: { fees: [{ amount }] } }),
  'order.shipping.amount': (client, amount) => client.clientSessions.create({ order: { shipping: { amount } } }),
  value: (client, value) => client.loyalty.transactions.create({ ...pointsBody, value }),
}

const notIntegers = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1.5,
  -0,
  '700',
  700n,
  true,
  [700],
  {},
]

const inexact = [2 ** 53, -(2 ** 53), 1e21, Number.MAX_VALUE]

describe('an amount', () => {
  it.each(Object.entries(amounts))('of %s is refused unless it is an integer from 0 on', async (_name, call) => {
    for (const value of [...notIntegers, -1, -Number.MIN_VALUE]) {
      const issues = await issuesOf((client) => call(client, value as never))
      expect(issues).toEqual([
        expect.stringMatching(/^amount must (be an integer( of at least 0)?|not be negative zero)$/),
      ])
    }
  })

  it.each(Object.entries(amounts))('of %s that is there but undefined is refused', async (_name, call) => {
    const issues = await issuesOf((client) => call(client, undefined as never))

    expect(issues).toEqual(['amount is missing: it must be an integer'])
  })

  it.each(Object.entries({ ...amounts, ...integers }))(
    'of %s that is too large to be exact is refused',
    async (_name, call) => {
      for (const value of inexact) {
        const issues = await issuesOf((client) => call(client, value as never))
        expect(issues).toContainEqual(expect.stringMatching(/ is too large to be exact$/))
      }
    },
  )

  it.each(Object.entries(integers))('at %s is refused unless it is an integer', async (path, call) => {
    for (const value of [...notIntegers, null, undefined]) {
      const issues = await issuesOf((client) => call(client, value as never))
      expect(issues).toEqual([expect.stringMatching(/must (be an integer|not be negative zero)$/)])
      expect(issues[0]).toContain(`${path} `)
    }
  })

  it('of null is refused where null clears nothing', async () => {
    const capturing = await issuesOf((client) => client.payments.capture('pay_1', { amount: null as never }))
    const refunding = await issuesOf((client) => client.payments.refund('pay_1', { amount: null as never }))

    expect([capturing, refunding]).toEqual([['amount must be an integer'], ['amount must be an integer']])
  })

  it('that is no integer from 0 on is refused, whatever it is', async () => {
    const wrong = fc
      .anything()
      .filter((value) => !(Number.isSafeInteger(value) && (value as number) >= 0) || Object.is(value, -0))

    await fc.assert(
      fc.asyncProperty(wrong, async (value) => {
        await refusal((client) => client.payments.refund('pay_1', { amount: value as never }))
      }),
    )
  })

  it('travels as written when it is one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.maxSafeNat(), async (amount) => {
        const { client, requests } = aClient([authorizedPayment])

        await client.payments.refund('pay_1', { amount })

        expect(requests[0]?.body).toBe(`{"amount":${amount}}`)
      }),
    )
  })
})

describe('a refusal', () => {
  it('names the call, every field and its rule, and no value', async () => {
    const body = { paymentMethodToken: 5 as never, amount: -7_654_321, currencyCode: 'a-secret' }

    const error = await refusal((client) => client.payments.create(body))

    expect(error.operation).toBe('payments.create')
    expect(error.message).toBe(
      'payments.create (POST /payments): paymentMethodToken must be a string; ' +
        'amount must be an integer of at least 0; currencyCode must be a three-letter ISO 4217 code, for example EUR',
    )
    expect(error.issues).toEqual([
      { path: ['paymentMethodToken'], code: 'invalid_type', message: 'must be a string' },
      { path: ['amount'], code: 'out_of_range', message: 'must be an integer of at least 0' },
      {
        path: ['currencyCode'],
        code: 'invalid_value',
        message: 'must be a three-letter ISO 4217 code, for example EUR',
      },
    ])
  })

  it('stays short when much is wrong', async () => {
    const lineItems = Array.from({ length: 1000 }, () => ({ amount: 0.5 }))

    const { issues, message } = await refusal((client) => client.clientSessions.create({ order: { lineItems } }))

    expect(issues).toHaveLength(1000)
    expect(message).toMatch(/order\.lineItems\[4]\.amount must be an integer; and 995 more$/)
  })

  it('is a refusal even when more is wrong than can be listed', async () => {
    const lineItems = Array.from({ length: 150_000 }, () => ({ amount: 0.5 }))

    const issues = await issuesOf((client) => client.clientSessions.create({ order: { lineItems } }))

    expect(issues).toHaveLength(1_000)
  })
})
