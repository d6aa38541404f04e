import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { PaymentsClient } from '../../src/index.js'
import { leastExternalPayment } from '../support/external-payment.js'
import { aClient } from '../support/recording-fetch.js'
import { issuesOf } from '../support/rejection.js'
import { session } from '../support/responses/client-sessions.js'
import { externalPayment } from '../support/responses/observability.js'
import { authorizedPayment } from '../support/responses/payments.js'

// Properties make hundreds of calls.
vi.setConfig({ testTimeout: 30_000 })

describe('metadata', () => {
  const create = (metadata: unknown) => (client: PaymentsClient) =>
    client.payments.create({ paymentMethodToken: 'tok_1', metadata: metadata as never })

  it.each([true, null, undefined, 1.5, Number.NaN, 2 ** 53, 5n, [], {}, ['a']])(
    'must not have the value %o',
    async (value) => {
      expect(await issuesOf(create({ basket: value }))).toEqual(['metadata.basket must be a string or an integer'])
    },
  )

  it.each(['text', 5, [], true])('must not be %j itself', async (value) => {
    expect(await issuesOf(create(value))).toEqual([expect.stringContaining('metadata must be')])
  })

  it.each(['__proto__', 'constructor', 'prototype'])('must not have the key %s', async (key) => {
    const issues = await issuesOf(create(JSON.parse(`{"${key}":"value"}`)))

    expect(issues).toEqual([`metadata.${key} must not be the name of a prototype`])
  })

  it('takes strings and integers under any other key, and travels as written', async () => {
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger())
    const metadata = fc
      .dictionary(fc.string(), value)
      .filter((candidate) => !['__proto__', 'constructor', 'prototype'].some((key) => Object.hasOwn(candidate, key)))

    await fc.assert(
      fc.asyncProperty(metadata, async (given) => {
        const { client, requests } = aClient([authorizedPayment])

        await client.payments.create({ paymentMethodToken: 'tok_1', metadata: given })

        expect(requests[0]?.body).toBe(JSON.stringify({ paymentMethodToken: 'tok_1', metadata: given }))
      }),
    )
  })

  it('is held to the same rule in sessions and external payments', async () => {
    const metadata = { basket: true } as never

    const issues = [
      await issuesOf((client) => client.clientSessions.create({ metadata })),
      await issuesOf((client) => client.clientSessions.update('client_token_1', { metadata })),
      await issuesOf((client) => client.observability.payments.create({ ...leastExternalPayment, metadata })),
      await issuesOf((client) => client.observability.payments.update('external-1', { metadata })),
    ]

    expect(issues.flat()).toEqual(Array(4).fill('metadata.basket must be a string or an integer'))
  })
})

describe('a prototype', () => {
  it('is not changed by anything that is sent', async () => {
    const hostile = JSON.parse(
      '{"paymentMethodToken":"tok_1","__proto__":{"polluted":1},"customer":{"__proto__":{"polluted":1}},' +
        '"metadata":{"__proto__":"x"},"paymentMethod":{"options":{"__proto__":{"polluted":1}}}}',
    )

    const issues = await issuesOf((client) => client.payments.create(hostile))

    expect(issues.sort()).toEqual([
      '__proto__ is not a field of this request',
      'customer.__proto__ is not a field of this request',
      'metadata.__proto__ must not be the name of a prototype',
      'paymentMethod.options.__proto__ must not be the name of a prototype',
    ])
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('codes and dates', () => {
  it.each(['eur', 'EURO', 'EU', 'E1R', ' EUR', 978])('of currencies must not be %j', async (currencyCode) => {
    const issues = await issuesOf((client) => client.clientSessions.create({ currencyCode: currencyCode as never }))

    expect(issues).toEqual([expect.stringMatching(/^currencyCode must be a/)])
  })

  it.each(['de', 'DEU', 'D', 'D1', 49])('of countries must not be %j', async (countryCode) => {
    const issues = await issuesOf((client) =>
      client.clientSessions.create({
        order: { countryCode: countryCode as never, retailerCountryCode: countryCode as never },
        customer: { billingAddress: { countryCode: countryCode as never } },
      }),
    )

    expect(issues.map((issue) => issue.replace(/ must be a.*/, '')).sort()).toEqual([
      'customer.billingAddress.countryCode',
      'order.countryCode',
      'order.retailerCountryCode',
    ])
  })

  it.each([
    'yesterday',
    '2026-03-01',
    '2026-02-30T09:30:00Z',
    '2026-03-01T25:00:00Z',
    '2026-03-01T09:30:00+02:00',
    '01.03.2026 09:30',
    1_772_357_400_000,
  ])('of creation must not be %j', async (createdAt) => {
    const body = { ...leastExternalPayment, createdAt: createdAt as never }

    const issues = await issuesOf((client) => client.observability.payments.create(body))

    expect(issues).toEqual([expect.stringMatching(/^createdAt must be a/)])
  })

  it.each(['2026-03-01T09:30:00Z', '2026-03-01T09:30:00.123456Z', '2026-03-01T09:30:00', '2026-03-01T09:30:00+00:00'])(
    'of creation may be %j',
    async (createdAt) => {
      const { client, requests } = aClient([externalPayment])

      await client.observability.payments.create({ ...leastExternalPayment, createdAt })

      expect(JSON.parse(requests[0]?.body ?? '').createdAt).toBe(createdAt)
    },
  )
})

describe('an update', () => {
  it('of an external payment cannot change when it was created', async () => {
    // @ts-expect-error It cannot be changed.
    const issues = await issuesOf((client) => client.observability.payments.update('external-1', { createdAt: 'x' }))

    expect(issues).toEqual(['createdAt cannot be changed after creation'])
  })

  it('of a session cannot change the options of the payment method', async () => {
    const issues = await issuesOf((client) =>
      // @ts-expect-error They are fixed.
      client.clientSessions.update('client_token_1', { paymentMethod: { options: {} } }),
    )

    expect(issues).toEqual(['paymentMethod.options cannot be updated: it is fixed when the session is created'])
  })

  it('of a session names the session once', async () => {
    const changes = { clientToken: 'client_token_2' } as never

    const issues = await issuesOf((client) => client.clientSessions.update('client_token_1', changes))

    expect(issues).toEqual(['clientToken is the first argument'])
  })

  it.each(['', 5, undefined, null])('of a session does not take the client token %j', async (clientToken) => {
    const issues = await issuesOf((client) => client.clientSessions.update(clientToken as never, {}))

    expect(issues).toEqual([expect.stringMatching(/^clientToken /)])
  })

  it('of a session takes null for any field, at any depth but in lists', async () => {
    const { client, requests } = aClient([session])
    const changes = { amount: null, order: { shipping: { amount: null }, lineItems: null } }

    await client.clientSessions.update('client_token_1', changes)
    const issues = await issuesOf((client) =>
      client.clientSessions.update('client_token_1', { order: { lineItems: [{ amount: null as never }] } }),
    )

    expect(requests).toHaveLength(1)
    expect(issues).toEqual(['order.lineItems.0.amount must be an integer'])
  })
})

describe('the shape of the other version', () => {
  const noOrder = 'order exists in version 2021-09-27 only: use orderDetails and lineItems'
  const cart = { lineItems: [], orderDetails: {} } as never
  const order = { order: { lineItems: [] } } as never
  const facts = { paymentMethodToken: 'tok_1', orderId: 'order-17', currencyCode: 'EUR', amount: 5 }

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>]>([
    ['payments.create', (client) => client.payments.create({ ...facts, ...(cart as object) })],
    ['payments.capture', (client) => client.payments.capture('pay_1', cart)],
    ['clientSessions.create', (client) => client.clientSessions.create(cart)],
    ['clientSessions.update', (client) => client.clientSessions.update('client_token_1', cart)],
    ['clientSessions.merge', (client) => client.clientSessions.merge('client_token_1', cart)],
  ])('is refused by %s of a 2021-09-27 client, which names the right field', async (_name, call) => {
    const issues = await issuesOf(call)

    expect(issues.sort()).toEqual([
      'lineItems exists in version 2.1 only: use order.lineItems',
      'orderDetails exists in version 2.1 only: use order',
    ])
  })

  it.each<[string, (client: PaymentsClient<'2.1'>) => PromiseLike<unknown>]>([
    ['payments.create', (client) => client.payments.create({ ...facts, ...(order as object) })],
    ['payments.capture', (client) => client.payments.capture('pay_1', order)],
    ['clientSessions.create', (client) => client.clientSessions.create({ lineItems: [], ...(order as object) })],
    ['clientSessions.update', (client) => client.clientSessions.update('client_token_1', order)],
    ['clientSessions.merge', (client) => client.clientSessions.merge('client_token_1', order)],
  ])('is refused by %s of a 2.1 client, which names the right field', async (_name, call) => {
    expect(await issuesOf(call, { apiVersion: '2.1' })).toEqual([noOrder])
  })

  it('has an amount on client sessions, which a 2.1 client refuses', async () => {
    const amount = { lineItems: [], amount: 5 } as never

    const creating = await issuesOf((client) => client.clientSessions.create(amount), { apiVersion: '2.1' })
    const updating = await issuesOf((client) => client.clientSessions.update('client_token_1', amount), {
      apiVersion: '2.1',
    })

    const expected = 'amount exists in version 2021-09-27 only: in version 2.1 the service computes it from lineItems'
    expect([creating, updating]).toEqual([[expected], [expected]])
  })

  it('lets a session be created without lines, which a 2.1 client refuses', async () => {
    const issues = await issuesOf((client) => client.clientSessions.create({} as never), { apiVersion: '2.1' })

    expect(issues).toEqual(['lineItems is missing: it must be an array'])
  })

  it('lets a payment be created with any subset, which a 2.1 client refuses', async () => {
    const some = { paymentMethodToken: 'tok_1', amount: 5 } as never

    const issues = await issuesOf((client) => client.payments.create(some), { apiVersion: '2.1' })

    const rule = 'is missing: version 2.1 takes paymentMethodToken alone, or with orderId, currencyCode and amount'
    expect(issues).toEqual([`orderId ${rule}`, `currencyCode ${rule}`])
  })
})

describe('what may come from the client session', () => {
  it('is not missed: a customer id beside vaultOnSuccess', async () => {
    const { client, requests } = aClient([authorizedPayment])

    await client.payments.create({ paymentMethodToken: 'tok_1', paymentMethod: { vaultOnSuccess: true } })

    expect(requests).toHaveLength(1)
  })
})

describe('payment method options', () => {
  const create = (options: unknown) => (client: PaymentsClient) =>
    client.payments.create({ paymentMethodToken: 'tok_1', paymentMethod: { options: options as never } })

  it.each([
    ['no object', 5, 'paymentMethod.options must be an object'],
    ['a type without options', { PAYMENT_CARD: 5 }, 'paymentMethod.options.PAYMENT_CARD must be an object'],
    [
      'a surcharge that is no object',
      { PAYMENT_CARD: { surcharge: 5 } },
      'paymentMethod.options.PAYMENT_CARD.surcharge',
    ],
    [
      'a number that JSON would lose',
      { PAYMENT_CARD: { surcharge: { amount: Number.NaN } } },
      'PAYMENT_CARD.surcharge.amount must be a JSON value',
    ],
    [
      'a value that JSON would lose',
      { PAYMENT_CARD: { surcharge: { amount: undefined } } },
      'PAYMENT_CARD.surcharge.amount must be a JSON value',
    ],
  ])('must not be %s', async (_what, options, message) => {
    expect(await issuesOf(create(options))).toEqual([expect.stringContaining(message)])
  })
})
