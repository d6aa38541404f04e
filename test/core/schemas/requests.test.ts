import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PaymentsClient } from '../../../src/index.js'
import { aClient, issuesOf, rejectionOf } from '../../support/clients.js'
import { leastExternalPayment } from '../../support/external-payment.js'
import { anyResponse, operationCase, operations } from '../../support/operations.js'
import { createdSession, session } from '../../support/responses/client-sessions.js'
import { externalPayment } from '../../support/responses/observability.js'
import { authorizedPayment } from '../../support/responses/payments.js'

/** Calls an operation with a body or query, and returns the validation issues. */
const issuesFor = (name: string, input: unknown) =>
  issuesOf((client) => operationCase(name).call(client, undefined, input))

const optional = ['payments.capture', 'payments.cancel', 'payments.refund', 'clientSessions.create']
const withBody = operations.filter(({ line, input }) => !line.startsWith('GET') && input !== undefined)

describe.each([...new Set([...withBody.map(({ name }) => name), ...optional])])('the body schema of %s', (name) => {
  it('rejects a body that is not an object', async () => {
    const missing = optional.includes(name) ? [] : [undefined]

    for (const body of [...missing, null, [], 'text', 5, true]) {
      expect(await issuesFor(name, body)).toEqual([`body must be an object with the fields of ${name}`])
    }
  })

  it('rejects unknown fields in the body', async () => {
    const rejection = await rejectionOf((client) => operationCase(name).call(client, undefined, { unknown_field: 5 }))

    expect(rejection.issues).toContainEqual({
      path: ['unknown_field'],
      code: 'unknown_key',
      message: 'is not a field of this request',
    })
  })

  it('rejects call options in the body, because they belong in the next argument', async () => {
    expect(await issuesFor(name, { maxRetries: 0 })).toContain('maxRetries is an option: pass it in the next argument')
  })
})

describe('the validation of request bodies', () => {
  const missing = (type: string, ...names: string[]) => names.map((name) => `${name} is missing: it must be ${type}`)

  it.each<[string, object, string[]]>([
    ['payments.create', {}, missing('a string', 'paymentMethodToken')],
    ['payments.create', { paymentMethodToken: '' }, ['paymentMethodToken must not be empty']],
    ['payments.authorize', {}, missing('an object', 'processor')],
    ['payments.authorize', { processor: {} }, missing('a string', 'processor.processorMerchantId')],
    ['payments.adjustAuthorization', {}, missing('an integer', 'amount')],
    ['payments.resume', {}, missing('a string', 'resumeToken')],
    ['paymentInstruments.vault', {}, missing('a string', 'customerId')],
    [
      'observability.payments.create',
      {},
      [
        ...missing('a string', 'paymentId', 'currencyCode', 'createdAt'),
        ...missing('an object', 'processor', 'order', 'paymentMethod'),
        ...missing('an integer', 'amount'),
      ],
    ],
    [
      'loyalty.transactions.create',
      {},
      [...missing('a string', 'connectionId', 'customerId', 'orderId'), ...missing('an integer', 'value')],
    ],
  ])('rejects a body without its required fields: %s with %j', async (name, body, expected) => {
    expect((await issuesFor(name, body)).sort()).toEqual(expected.sort())
  })

  it.each([
    ['amuont', 'amount'],
    ['Amount', 'amount'],
    ['order_id', 'orderId'],
    ['currency', 'currencyCode'],
    ['xyz', undefined],
  ])('rejects the unknown field %s, and suggests %s', async (name, suggestion) => {
    const { issues } = await rejectionOf((client) =>
      client.payments.create({ paymentMethodToken: 'tok_1', [name]: 5 } as never),
    )

    const hint = suggestion === undefined ? '' : `: did you mean "${suggestion}"?`
    expect(issues).toEqual([
      {
        path: [name],
        code: 'unknown_key',
        message: `is not a field of this request${hint}`,
        ...(suggestion && { suggestion }),
      },
    ])
  })

  it('reports the path of each unknown field', async () => {
    const issues = await issuesOf((client) =>
      client.payments.create({
        paymentMethodToken: 'tok_1',
        // @ts-expect-error Misspelled.
        customer: { billingAddress: { postCode: '10117' } },
        order: {
          // @ts-expect-error Misspelled.
          lineItems: [{ name: 'Kettle' }, { quantitiy: 2 }],
        },
      }),
    )

    expect(issues.sort()).toEqual([
      'customer.billingAddress.postCode is not a field of this request: did you mean "postalCode"?',
      'order.lineItems.1.quantitiy is not a field of this request: did you mean "quantity"?',
    ])
  })

  it('accepts additional fields in nested objects', async () => {
    const order = { giftMessage: 'For Zoë', lineItems: [{ taxRate: 0.19, carrier: { name: 'DHL', legs: [null] } }] }
    const customer = { loyaltyTier: 'gold', later: undefined, billingAddress: { district: null } }
    const { client, requests } = aClient([authorizedPayment, authorizedPayment])

    await client.payments.capture('pay_1', { order } as object)
    await client.payments.create({ paymentMethodToken: 'tok_1', customer } as never)

    expect(requests.map(({ body }) => body)).toEqual([
      JSON.stringify({ order }),
      JSON.stringify({ paymentMethodToken: 'tok_1', customer }),
    ])
  })

  it.each([
    ['customer', 'emailAdress', 'emailAddress'],
    ['customer', 'first_name', 'firstName'],
    ['order', 'lineitems', 'lineItems'],
    ['order', 'shiping', 'shipping'],
    ['paymentMethod', 'vaultOnSucess', 'vaultOnSuccess'],
  ])('rejects a misspelled field in %s: %s', async (parent, name, suggestion) => {
    const issues = await issuesFor('clientSessions.create', { [parent]: { [name]: 'x' } })

    expect(issues).toEqual([`${parent}.${name} is not a field of this request: did you mean "${suggestion}"?`])
  })

  it.each(['email', 'type', 'processor_merchant_id', 'fraudChecks', 'paymentInstrumentType', 'paymentInstrumentData'])(
    'accepts the field %s in nested objects, because some accounts receive it',
    async (name) => {
      const { client, requests } = aClient([createdSession])

      await client.clientSessions.create({
        customer: { [name]: 'x' },
        order: { lineItems: [{ [name]: 'x' }] },
      } as object)

      expect(requests).toHaveLength(1)
      expect(await issuesFor('clientSessions.create', { [name]: 'x' })).toHaveLength(1)
    },
  )

  it('rejects values that are not JSON in additional fields', async () => {
    expect(await issuesFor('clientSessions.create', { customer: { age: Number.NaN, a: { b: [undefined] } } })).toEqual([
      expect.stringMatching(/^customer\.age must be a JSON value/),
      expect.stringMatching(/^customer\.a\.b\.0 must be a JSON value/),
    ])
  })

  const half = '\u{1F600}'.slice(0, 1)

  it.each<[string, string, object]>([
    ['a field', 'payments.refund', { reason: half }],
    ['an identifier', 'payments.resume', { resumeToken: half }],
    ['an array', 'clientSessions.create', { order: { lineItems: [{ name: half }] } }],
    ['metadata', 'clientSessions.create', { metadata: { basket: half } }],
    ['a key of metadata', 'clientSessions.create', { metadata: { [half]: 'x' } }],
    ['a field that the SDK does not know', 'clientSessions.create', { customer: { nick: { names: [half] } } }],
    ['the name of a field that the SDK does not know', 'clientSessions.create', { customer: { [`nick${half}`]: 1 } }],
    ['payment method options', 'clientSessions.create', { paymentMethod: { options: { PAYPAL: { a: half } } } }],
    ['a key of payment method options', 'clientSessions.create', { paymentMethod: { options: { [half]: {} } } }],
  ])('rejects half of a surrogate pair in %s', async (_place, name, body) => {
    const path = JSON.stringify(body)
      .match(/"[^"]*"(?=:)|(?<=\[)/g)
      ?.map((key) => (key === '' ? 0 : JSON.parse(key)))

    const { issues } = await rejectionOf((client) => operationCase(name).call(client, undefined, body))

    expect(issues).toEqual([{ path, code: 'invalid_value', message: expect.stringContaining('well-formed Unicode') }])
  })

  it('sends any body or rejects it with a RequestValidationError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ maxDepth: 4 }), async (body) => {
        const { client, requests } = aClient([authorizedPayment])

        const outcome = await client.payments.create(body as never).then(
          () => 'sent',
          (error: { code: string }) => error.code,
        )

        expect([
          ['sent', 1],
          ['ERR_REQUEST_VALIDATION', 0],
        ]).toContainEqual([outcome, requests.length])
      }),
    )
  })
})

describe('the validation of integers', () => {
  it.each<[string, (client: PaymentsClient, value: never) => PromiseLike<unknown>]>([
    [
      'order.lineItems.0.amount',
      ({ clientSessions }, amount) => clientSessions.create({ order: { lineItems: [{ amount }] } }),
    ],
    [
      'order.lineItems.0.quantity',
      ({ payments }, quantity) => payments.capture('pay_1', { order: { lineItems: [{ quantity }] } }),
    ],
    ['order.fees.0.amount', ({ clientSessions }, amount) => clientSessions.create({ order: { fees: [{ amount }] } })],
    [
      'order.shipping.amount',
      ({ clientSessions }, amount) => clientSessions.update('c', { order: { shipping: { amount } } }),
    ],
  ])('requires a safe integer in %s, which may be negative', async (path, call) => {
    const { client, requests } = aClient([anyResponse])

    await call(client, -5 as never)

    expect(requests[0]?.body).toContain('-5')
    for (const value of [Number.NaN, 1.5, '700', 700n, [700], {}, undefined]) {
      const issues = await issuesOf((rejecting) => call(rejecting, value as never))
      expect(issues).toEqual([expect.stringMatching(`^${path} (is undefined|.*must be an integer($| in minor units))`)])
    }
    expect(await issuesOf((rejecting) => call(rejecting, 1e21 as never))).toEqual([`${path} is too large to be exact`])
    expect(await issuesOf((rejecting) => call(rejecting, -0 as never))).toEqual([`${path} must not be negative zero`])
  })

  it('accepts an amount of at least 0, and sends it unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.maxSafeNat(), async (amount) => {
        const { client, requests } = aClient([authorizedPayment])

        await client.payments.refund('pay_1', { amount })

        expect(requests[0]?.body).toBe(`{"amount":${amount}}`)
      }),
    )
    expect(await issuesFor('payments.refund', { amount: -1 })).toEqual(['amount must be an integer of at least 0'])
    expect(await issuesFor('payments.refund', { amount: null })).toEqual([
      expect.stringMatching(/^amount must be an integer/),
    ])
  })
})

it('a request rejects the string "true" in a boolean field', async () => {
  expect(await issuesFor('paymentInstruments.vault', { customerId: 'customer-1', verify: 'true' })).toEqual([
    'verify must be a boolean',
  ])
})

describe('the validation of metadata', () => {
  it.each([true, null])(
    'accepts the metadata value %j in an update, because a session may contain it',
    async (value) => {
      const { client, requests } = aClient([session])

      await client.clientSessions.update('client_token_1', { metadata: { basket: value } } as object)

      expect(JSON.parse(requests[0]?.body ?? '').metadata).toEqual({ basket: value })
      expect(await issuesFor('payments.create', { paymentMethodToken: 'tok_1', metadata: { basket: value } })).toEqual([
        'metadata.basket must be a string or an integer',
      ])
    },
  )

  it.each([undefined, 1.5, Number.NaN, 2 ** 53, 5n, [], {}, ['a']])('rejects the metadata value %o', async (value) => {
    const issue = 'metadata.basket must be a string or an integer'

    for (const [name, body] of Object.entries({
      'payments.create': { paymentMethodToken: 'tok_1' },
      'clientSessions.create': {},
      'clientSessions.update': {},
      'observability.payments.create': leastExternalPayment,
      'observability.payments.update': {},
    })) {
      expect(await issuesFor(name, { ...body, metadata: { basket: value } })).toEqual([issue])
    }
  })

  it.each(['text', 5, [], true])('rejects %j as metadata, because it is not a plain object', async (metadata) => {
    expect(await issuesFor('clientSessions.create', { metadata })).toEqual(['metadata must be an object'])
  })

  it('accepts strings and integers under any key except keys such as __proto__', async () => {
    const unsafe = ['__proto__', 'constructor', 'prototype']
    const metadata = fc
      .dictionary(fc.string(), fc.oneof(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger()))
      .filter((candidate) => !unsafe.some((key) => Object.hasOwn(candidate, key)))

    await fc.assert(
      fc.asyncProperty(metadata, async (given) => {
        const { client, requests } = aClient([authorizedPayment])

        await client.payments.create({ paymentMethodToken: 'tok_1', metadata: given })

        expect(requests[0]?.body).toBe(JSON.stringify({ paymentMethodToken: 'tok_1', metadata: given }))
      }),
    )
  })
})

describe('the validation of payment method options', () => {
  it.each([
    [5, 'options must be an object'],
    [{ PAYMENT_CARD: 5 }, 'options.PAYMENT_CARD must be an object'],
    [{ PAYMENT_CARD: { surcharge: 5 } }, 'options.PAYMENT_CARD.surcharge must be an object'],
    [
      { PAYMENT_CARD: { surcharge: { amount: Number.NaN } } },
      'options.PAYMENT_CARD.surcharge.amount must be a JSON value',
    ],
    [{ PAYMENT_CARD: { list: [undefined] } }, 'options.PAYMENT_CARD.list.0 must be a JSON value'],
  ])('rejects the invalid payment method options %j', async (options, message) => {
    expect(await issuesFor('clientSessions.create', { paymentMethod: { options } })).toEqual([
      expect.stringContaining(`paymentMethod.${message}`),
    ])
  })
})

describe('the validation of codes, enums and dates', () => {
  it.each(['eur', 'EURO', 'EU', 'E1R', ' EUR', 978])('rejects the currency code %j', async (currencyCode) => {
    expect(await issuesFor('clientSessions.create', { currencyCode })).toEqual([
      expect.stringMatching(/^currencyCode must be a/),
    ])
  })

  it.each(['de', 'DEU', 'D', 'D1', 49])('rejects the country code %j', async (countryCode) => {
    const order = { countryCode, retailerCountryCode: countryCode }
    const customer = { billingAddress: { countryCode } }

    const issues = await issuesFor('clientSessions.create', { order, customer })

    expect(issues.map((issue) => issue.replace(/ must be a.*/, '')).sort()).toEqual([
      'customer.billingAddress.countryCode',
      'order.countryCode',
      'order.retailerCountryCode',
    ])
  })

  it('rejects an unknown loyalty transaction type', async () => {
    const { input } = operationCase('loyalty.transactions.create')

    const issues = await issuesFor('loyalty.transactions.create', { ...(input as object), type: 'GIFT' })

    expect(issues).toEqual(["type must be 'REDEMPTION' or 'REFUND'"])
  })

  it.each(['yesterday', '2026-03-01', '2026-02-30T09:30:00Z', '2026-03-01T09:30:00+02:00', 1_772_357_400_000])(
    'rejects the creation date %j',
    async (createdAt) => {
      expect(await issuesFor('observability.payments.create', { ...leastExternalPayment, createdAt })).toEqual([
        expect.stringMatching(/^createdAt must be a/),
      ])
    },
  )

  it.each(['2026-03-01T09:30:00Z', '2026-03-01T09:30:00.123456Z', '2026-03-01T09:30:00', '2026-03-01T09:30:00+00:00'])(
    'accepts the creation date %j, and does not change it',
    async (createdAt) => {
      const { client, requests } = aClient([externalPayment])

      await client.observability.payments.create({ ...leastExternalPayment, createdAt })

      expect(JSON.parse(requests[0]?.body ?? '').createdAt).toBe(createdAt)
    },
  )
})

describe('the validation of updates', () => {
  it.each<[string, object, string]>([
    ['observability.payments.update', { createdAt: 'x' }, 'createdAt cannot be changed after creation'],
    [
      'clientSessions.update',
      { paymentMethod: { options: {} } },
      'paymentMethod.options cannot be updated: set it when you create the session',
    ],
    [
      'clientSessions.update',
      { paymentMethod: { options: null } },
      'paymentMethod.options cannot be updated: set it when you create the session',
    ],
    [
      'clientSessions.update',
      { clientToken: 'client_token_2' },
      'clientToken is the first argument: remove it from the body',
    ],
  ])('rejects an update by %s with the body %j', async (name, changes, issue) => {
    expect(await issuesFor(name, changes)).toEqual([issue])
  })

  it.each(['', 5, undefined, null])('rejects the client token %j in an update', async (clientToken) => {
    const issues = await issuesOf((client) => client.clientSessions.update(clientToken as never, {}))

    expect(issues).toEqual([expect.stringMatching(/^clientToken /)])
  })

  it('accepts null for every client session field, except inside arrays', async () => {
    const { client, requests } = aClient([session])

    await client.clientSessions.update('client_token_1', {
      amount: null,
      order: { shipping: { amount: null }, lineItems: null },
    })

    expect(requests).toHaveLength(1)
    expect(await issuesFor('clientSessions.update', { order: { lineItems: [{ amount: null }] } })).toEqual([
      expect.stringMatching(/^order\.lineItems\.0\.amount must be an integer/),
    ])
  })
})

describe('request fields that exist only in the other API version', () => {
  const payment = { paymentMethodToken: 'tok_1', orderId: 'order-17', currencyCode: 'EUR', amount: 5 }
  const calls = (cart: never): [string, (client: PaymentsClient) => PromiseLike<unknown>][] => [
    ['payments.create', ({ payments }) => payments.create({ ...payment, ...(cart as object) } as never)],
    ['payments.capture', ({ payments }) => payments.capture('pay_1', cart)],
    ['clientSessions.create', ({ clientSessions }) => clientSessions.create(cart)],
    ['clientSessions.update', ({ clientSessions }) => clientSessions.update('client_token_1', cart)],
    ['clientSessions.merge', ({ clientSessions }) => clientSessions.merge('client_token_1', cart)],
  ]

  it.each(calls({ lineItems: [], orderDetails: {} } as never))(
    'rejects fields of version 2.1 in %s with version 2021-09-27',
    async (_name, call) => {
      const issues = await issuesOf(call as never)

      expect(issues.sort()).toEqual([
        'lineItems exists only in version 2.1: use order.lineItems',
        'orderDetails exists only in version 2.1: use order',
      ])
    },
  )

  it.each(calls({ order: {}, lineItems: [] } as never))(
    'rejects fields of version 2021-09-27 in %s with version 2.1',
    async (_name, call) => {
      const issues = await issuesOf(call as never, { apiVersion: '2.1' })

      expect(issues).toEqual(['order exists only in version 2021-09-27: use orderDetails and lineItems'])
    },
  )

  it('rejects the `amount` of a client session in version 2.1', async () => {
    const body = { lineItems: [], amount: 5 } as never
    const issue = 'amount exists only in version 2021-09-27: in version 2.1 the service calculates it from lineItems'

    const creating = await issuesOf((client) => client.clientSessions.create(body), { apiVersion: '2.1' })
    const updating = await issuesOf((client) => client.clientSessions.update('c', body), { apiVersion: '2.1' })

    expect([creating, updating]).toEqual([[issue], [issue]])
  })

  it('reports missing fields that the client’s version 2.1 requires', async () => {
    const some = { paymentMethodToken: 'tok_1', amount: 5 } as never
    const rule = 'is missing: version 2.1 takes paymentMethodToken alone, or with orderId, currencyCode and amount'

    const session = await issuesOf((client) => client.clientSessions.create({} as never), { apiVersion: '2.1' })
    const payment = await issuesOf((client) => client.payments.create(some), { apiVersion: '2.1' })

    expect(session).toEqual(['lineItems is missing: it must be an array'])
    expect(payment).toEqual([`orderId ${rule}`, `currencyCode ${rule}`])
  })
})

describe('a RequestValidationError', () => {
  it('includes the method and each invalid field’s problem, but no values', async () => {
    const body = { paymentMethodToken: 5 as never, amount: -7_654_321, currencyCode: 'a-secret' }

    const error = await rejectionOf((client) => client.payments.create(body))

    const currencyRule = 'must be a three-letter ISO 4217 code, for example EUR'
    expect(error.message).toBe(
      'payments.create (POST /payments): paymentMethodToken must be a string; ' +
        `amount must be an integer of at least 0; currencyCode ${currencyRule}`,
    )
    expect(error.issues).toEqual([
      { path: ['paymentMethodToken'], code: 'invalid_type', message: 'must be a string' },
      { path: ['amount'], code: 'out_of_range', message: 'must be an integer of at least 0' },
      { path: ['currencyCode'], code: 'invalid_value', message: currencyRule },
    ])
  })

  it.each([1_001, 20_000])(
    'limits the error for %i invalid items to 1,000 issues and a short message',
    async (length) => {
      const lineItems = Array.from({ length }, () => ({ amount: 0.5 }))

      const { issues, message } = await rejectionOf((client) => client.clientSessions.create({ order: { lineItems } }))

      expect(issues).toHaveLength(1_000)
      expect(message).toMatch(/order\.lineItems\[4]\.amount must be an integer in minor units: .*; and 995 more$/)
    },
  )
})
