import { describe, expect, it } from 'vitest'
import type { ListPaymentsParams, PaymentsClient } from '../../../src/index.js'
import { aClient, baseUrl, issuesOf, rejectionOf } from '../../support/clients.js'
import { session } from '../../support/responses/client-sessions.js'
import { authorizedPayment, paymentsPage } from '../../support/responses/payments.js'

/** Every method with an identifier in its path. */
const byId: Record<string, (client: PaymentsClient, id: string) => PromiseLike<unknown>> = {
  'payments.get': (client, id) => client.payments.get(id),
  'payments.authorize': (client, id) => client.payments.authorize(id, { processor: { processorMerchantId: 'm' } }),
  'payments.capture': (client, id) => client.payments.capture(id),
  'payments.cancel': (client, id) => client.payments.cancel(id),
  'payments.refund': (client, id) => client.payments.refund(id),
  'payments.adjustAuthorization': (client, id) => client.payments.adjustAuthorization(id, { amount: 5 }),
  'payments.resume': (client, id) => client.payments.resume(id, { resumeToken: 'resume_1' }),
  'paymentInstruments.vault': (client, id) => client.paymentInstruments.vault(id, { customerId: 'customer-1' }),
  'paymentInstruments.setDefault': (client, id) => client.paymentInstruments.setDefault(id),
  'paymentInstruments.delete': (client, id) => client.paymentInstruments.delete(id),
  'observability.payments.update': (client, id) => client.observability.payments.update(id, {}),
  'loyalty.customers.get': (client, id) => client.loyalty.customers.get(id, { connectionId: 'connection-1' }),
}

describe('the validation of identifiers in paths', () => {
  const invalid = ['', '.', '..', '\u0000', 'a\nb', 'a\r\nb', 'a\u007f', '\ud800', 'a\udfff', 'x'.repeat(1025)]

  it.each(Object.entries(byId))('rejects an identifier for %s that is not a valid path segment', async (_, call) => {
    for (const id of [...invalid, undefined, null, 5, {}, ['a'], true]) {
      const issues = await issuesOf((client) => call(client, id as never))
      expect(issues).toEqual([expect.stringMatching(/^(id|paymentId|paymentMethodToken) must /)])
    }
  })

  it('rejects a promise as an identifier, and advises the caller to await it', async () => {
    const issues = await issuesOf((client) => client.payments.capture(Promise.resolve('pay_1') as never))

    expect(issues).toEqual(['id is a promise: await it first'])
  })

  it('accepts identifiers of up to 1,024 characters', async () => {
    const { client, requests } = aClient([authorizedPayment])
    const id = 'x'.repeat(1024)

    await client.payments.get(id)

    expect(requests[0]?.line).toBe(`GET /payments/${id}`)
  })

  it.each([
    ['', 'invalid_value'],
    ['x'.repeat(1025), 'out_of_range'],
    [5, 'invalid_type'],
  ])('reports the issue code for the problem of an identifier: %j', async (id, code) => {
    const { client } = aClient()

    await expect(client.payments.get(id as never)).rejects.toMatchObject({ issues: [{ path: ['id'], code }] })
  })
})

describe('the validation of client tokens in queries', () => {
  it.each(['', undefined, null, 5])('rejects the client token %j', async (clientToken) => {
    const issues = await issuesOf((client) => client.clientSessions.get(clientToken as never))

    expect(issues).toEqual([expect.stringMatching(/^clientToken (must|is missing)/)])
  })

  it.each(["it's", 'a,b', 'a%2Cb', 'a&b=c', 'a+b c', '?#/'])(
    'percent-encodes the client token %j',
    async (clientToken) => {
      const { client, requests } = aClient([session])

      await client.clientSessions.get(clientToken)

      const url = new URL(baseUrl + (requests[0]?.line ?? '').replace('GET ', ''))
      expect([...url.searchParams]).toEqual([['clientToken', clientToken]])
    },
  )
})

const list = (params: unknown) => (client: PaymentsClient) => client.payments.list(params as ListPaymentsParams)

describe('the validation of query parameters', () => {
  it.each([1, 100])('accepts the limit %i in a list method', async (limit) => {
    const { client, requests } = aClient([paymentsPage])

    await client.payments.list({ limit })

    expect(requests[0]?.line).toBe(`GET /payments?limit=${limit}`)
  })

  it.each([
    ['status', []],
    ['status', ''],
    ['status', ['SETTLED', 5]],
    ['paymentMethodType', 5],
    ['processor', {}],
    ['currencyCode', 'euro'],
    ['fromDate', new Date(Number.NaN)],
    ['fromDate', 'yesterday'],
    ['toDate', '2026-02-30'],
    ['toDate', '2026-02-28T12:00:61Z'],
    ['toDate', '2026-02-28T12:00:00+99:00'],
    ['toDate', 1_772_357_400_000],
    ['orderId', 17],
    ['minAmount', 1.5],
    ['maxAmount', '700'],
    ['customerId', null],
    ['last4Digits', 1111],
    ['cursor', ''],
  ])('rejects the query parameter %s with the invalid value %j', async (name, value) => {
    expect(await issuesOf(list({ [name]: value }))).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
  })

  const payments = ['paymentMethodType', 'processor', 'orderId', 'customerId', 'merchantId', 'customerEmailAddress']
    .concat('last4Digits', 'partneraEmail', 'partnerbEmail')
    .map((name) => [`payments.list: ${name}`, name, list] as const)
  const loyalty = ['connectionId', 'customerId', 'orderId'].map(
    (name) =>
      [
        `loyalty.transactions.list: ${name}`,
        name,
        (params: object) => (client: PaymentsClient) => client.loyalty.transactions.list(params),
      ] as const,
  )
  const instruments = [
    'paymentInstruments.list: customerId',
    'customerId',
    (params: object) => (client: PaymentsClient) => client.paymentInstruments.list(params as never),
  ] as const

  it.each([...payments, ...loyalty, instruments])('rejects an empty filter, %s', async (_, name, listWith) => {
    for (const empty of ['', ' ', '\t\n', '\u00a0']) {
      expect(await issuesOf(listWith({ [name]: empty }))).toEqual([
        expect.stringMatching(new RegExp(`^${name} must not be empty`)),
      ])
    }
  })

  it('rejects a blank item in a filter array', async () => {
    expect(await issuesOf(list({ status: ['SETTLED', ' '] }))).toEqual(['status must not be empty or white space'])
  })

  it.each(['2026-03-01', '2026-03-01 09:30:00.12345', '2026-03-01T09:30', '2026-03-01T09:30:00+02:00'])(
    'accepts the date filter %j, and sends it unchanged',
    async (fromDate) => {
      const { client, requests } = aClient([paymentsPage])

      await client.payments.list({ fromDate })

      expect(requests[0]?.line).toBe(`GET /payments?from_date=${encodeURIComponent(fromDate)}`)
    },
  )

  it.each([null, 'SETTLED', 5, ['SETTLED']])('rejects query parameters that are not an object: %j', async (params) => {
    expect(await issuesOf(list(params))).toEqual(['params must be an object of parameters'])
  })

  it('rejects query parameters that are unknown or in snake_case', async () => {
    const params = { payment_method_type: 'PAYMENT_CARD', staus: 'SETTLED' }

    expect(await issuesOf(list(params))).toEqual([
      'payment_method_type is not a field of this request: did you mean "paymentMethodType"?',
      'staus is not a field of this request: did you mean "status"?',
    ])
  })

  it('rejects call options among the query parameters', async () => {
    const params = { orderId: 'order-17', timeout: 1000 }

    expect(await issuesOf(list(params))).toEqual(['timeout is an option: pass it in the next argument'])
  })

  it('validates query parameters in every method of a list', async () => {
    const reads = [
      list({ limit: 0 }),
      (client: PaymentsClient) => client.payments.list({ limit: 0 }).toArray({ limit: 5 }),
      (client: PaymentsClient) => client.payments.list({ limit: 0 }).pages().next(),
      (client: PaymentsClient) => client.payments.list({ limit: 0 })[Symbol.asyncIterator]().next(),
    ]

    for (const read of reads) expect(await issuesOf(read)).toEqual(['limit must be an integer from 1 to 100'])
  })
})

describe('an invalid argument', () => {
  const create = (body: unknown) => (client: PaymentsClient) => client.payments.create(body as never)
  const isMap = { code: 'not_plain_data', message: 'is not a plain object: convert it first' }
  const noBody = 'must be an object with the fields of payments.create'
  const isInvalid = (name: string) => ({ path: [name], code: 'invalid_value' })
  const hasComma = 'must not contain an item with a comma, because commas separate the items'

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>, object]>([
    ['a missing body', create(undefined), { path: ['body'], code: 'missing', message: noBody }],
    ['a body that is not an object', create(5), { path: ['body'], code: 'invalid_type', message: noBody }],
    ['a Map as the body', create(new Map()), { path: ['body'], ...isMap }],
    ['a Map in the body', create({ paymentMethodToken: new Map() }), { path: ['paymentMethodToken'], ...isMap }],
    [
      'a Map as the parameters',
      ({ loyalty }) => loyalty.customers.get('member-1', new Map() as never),
      { path: ['params'], ...isMap },
    ],
    [
      'a missing client token that the body contains',
      ({ clientSessions }) => clientSessions.update(undefined as never, { clientToken: 'token_1' } as object),
      { path: ['clientToken'], code: 'missing' },
    ],
    [
      'an unpaired surrogate',
      list({ orderId: '\ud800' }),
      { ...isInvalid('orderId'), message: 'must be well-formed Unicode' },
    ],
    ['an item with a comma', list({ status: ['a,b'] }), { ...isInvalid('status'), message: hasComma }],
  ])('reports only one issue for an invalid argument: %s', async (_, call, issue) => {
    const { issues } = await rejectionOf(call)

    expect(issues).toEqual([expect.objectContaining(issue)])
  })
})

describe('the validation of deeply nested arguments', () => {
  const nestedObject = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { a: nestedObject(depth - 1) })

  it('accepts an argument with 500 levels of nesting', async () => {
    const { client, requests } = aClient([{}])

    await client.request({ method: 'POST', path: '/reports', body: nestedObject(500) })

    expect(requests).toHaveLength(1)
  })

  it('rejects an argument with over 500 levels of nesting, and reports the field', async () => {
    const { issues } = await rejectionOf((client) =>
      client.payments.create({ paymentMethodToken: 'tok_1', metadata: { a: nestedObject(500) } as never }),
    )

    expect(issues).toEqual([{ path: ['metadata'], code: 'too_deep', message: 'is nested more than 500 levels deep' }])
  })
})

describe('the validation of required parameters', () => {
  it.each([undefined, null, {}, { customerId: '' }, { customerId: 5 }])(
    'rejects invalid parameters of paymentInstruments.list: %j',
    async (params) => {
      const { issues } = await rejectionOf((client) => client.paymentInstruments.list(params as never))

      expect(issues).toHaveLength(1)
    },
  )

  it.each([undefined, null, {}, { connectionId: '' }])(
    'rejects invalid parameters of loyalty.customers.get: %j',
    async (params) => {
      const { issues } = await rejectionOf((client) => client.loyalty.customers.get('member-1', params as never))

      expect(issues).toHaveLength(1)
    },
  )
})

describe('the option `idempotencyKey`', () => {
  it('rejects an undefined key, because a generated key could repeat the operation', async () => {
    const options = { idempotencyKey: undefined }

    expect(await issuesOf((client) => client.payments.refund('pay_1', {}, options))).toEqual([
      'options.idempotencyKey must not be undefined: pass a key, or omit the option',
    ])
  })
})

it.each([7.5, '7.50', Number.NaN])('rejects an amount in major units, and suggests minor units: %j', async (amount) => {
  const { message } = await rejectionOf((client) => client.payments.refund('pay_1', { amount: amount as number }))

  expect(message).toContain(
    "amount must be an integer in minor units: for 7.00 EUR, pass 700 or minorUnits('7.00', 'EUR')",
  )
})
