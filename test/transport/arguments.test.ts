import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { ListPaymentsParams, PaymentsClient } from '../../src/index.js'
import { aClient, baseUrl } from '../support/recording-fetch.js'
import { issuesOf, refusal } from '../support/rejection.js'
import { session } from '../support/responses/client-sessions.js'
import { authorizedPayment, paymentsPage } from '../support/responses/payments.js'

// Properties make hundreds of calls.
vi.setConfig({ testTimeout: 30_000 })

/** Every method that takes an identifier into its path. */
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

describe('an identifier in a path', () => {
  const wrong = ['', '.', '..', '\u0000', 'a\nb', 'a\r\nb', 'a\u007f', '\ud800', 'a\udfff', 'x'.repeat(1025)]

  it.each(Object.entries(byId))('of %s is refused where it is no clean segment', async (_name, call) => {
    for (const id of [...wrong, undefined, null, 5, {}, ['a'], true]) {
      const issues = await issuesOf((client) => call(client, id as never))
      expect(issues).toEqual([expect.stringMatching(/^(id|paymentId|paymentMethodToken) must /)])
    }
  })

  it('arrives as exactly one segment that reads the same, or is refused', async () => {
    const id = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('.', '/', '\\', '?', '#', '%', '%2e', '%2F', ';', ':', '@', '&', ' ', 'ü', '☕', 'a'),
      }),
    )

    await fc.assert(
      fc.asyncProperty(id, async (given) => {
        const { client, requests } = aClient([authorizedPayment])

        const outcome = await client.payments.capture(given).then(
          () => 'sent',
          (error: { code: string }) => error.code,
        )

        if (outcome !== 'sent') {
          expect([outcome, requests]).toEqual(['ERR_REQUEST_VALIDATION', []])
          return
        }
        const [segment, ...rest] = (requests[0]?.line ?? '').replace('POST /payments/', '').split('/')
        expect(decodeURIComponent(segment ?? '')).toBe(given)
        expect(rest).toEqual(['capture'])
      }),
      { numRuns: 300 },
    )
  })

  it.each(['/', '?a=b', '#top', '\\', '%2e%2e', 'a/../b', 'x'.repeat(1024), '…', '\u{1f600}'])(
    'may be %j',
    async (id) => {
      const { client, requests } = aClient([authorizedPayment])

      await client.payments.get(id)

      const url = new URL(baseUrl + (requests[0]?.line ?? '').replace('GET ', ''))
      expect(decodeURIComponent(url.pathname.replace('/api/payments/', ''))).toBe(id)
      expect([url.search, url.hash]).toEqual(['', ''])
    },
  )
})

describe('a client token in a query', () => {
  it.each(['', undefined, null, 5])('must not be %j', async (clientToken) => {
    const issues = await issuesOf((client) => client.clientSessions.get(clientToken as never))

    expect(issues).toEqual([expect.stringMatching(/^clientToken (must|is missing)/)])
  })

  it.each(["it's", 'a,b', 'a%2Cb', 'a&b=c', 'a+b c', '?#/'])('arrives as it was: %j', async (clientToken) => {
    const { client, requests } = aClient([session])

    await client.clientSessions.get(clientToken)

    const url = new URL(baseUrl + (requests[0]?.line ?? '').replace('GET ', ''))
    expect([...url.searchParams]).toEqual([['clientToken', clientToken]])
  })

  it('arrives as it was, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (clientToken) => {
        const { client, requests } = aClient([session])

        await client.clientSessions.get(clientToken)

        const url = new URL(baseUrl + (requests[0]?.line ?? '').replace('GET ', ''))
        expect([...url.searchParams]).toEqual([['clientToken', clientToken]])
      }),
    )
  })
})

describe('a text with half a character', () => {
  it('is refused where it would be part of a query', async () => {
    const issues = await issuesOf((client) => client.payments.list({ orderId: 'order-\ud800' }))

    expect(issues).toEqual(['orderId must be well-formed Unicode'])
  })
})

describe('parameters of a list', () => {
  const list = (params: unknown) => (client: PaymentsClient) => client.payments.list(params as ListPaymentsParams)
  const transactions = (params: unknown) => (client: PaymentsClient) =>
    client.loyalty.transactions.list(params as never)

  it.each([0, -1, 101, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '10', null])(
    'must not have the limit %j for payments',
    async (limit) => {
      expect(await issuesOf(list({ limit }))).toEqual([expect.stringMatching(/^limit must be an integer/)])
    },
  )

  it.each([0, -1, 1.5, Number.NaN, '10', null])('must not have the limit %j for loyalty points', async (limit) => {
    expect(await issuesOf(transactions({ limit }))).toEqual([expect.stringMatching(/^limit must be an integer/)])
  })

  it.each([-1, 1.5, '0', null])('must not have the offset %j', async (offset) => {
    expect(await issuesOf(transactions({ offset }))).toEqual([expect.stringMatching(/^offset must be an integer/)])
  })

  it.each([1, 100])('may have the limit %i for payments', async (limit) => {
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
    ['toDate', 'March 1'],
    ['toDate', '2026-02-30'],
    ['toDate', 1_772_357_400_000],
    ['orderId', 17],
    ['minAmount', 1.5],
    ['maxAmount', '700'],
    ['customerId', null],
    ['last4Digits', 1111],
    ['cursor', ''],
  ])('must not have the %s %j', async (name, value) => {
    expect(await issuesOf(list({ [name]: value }))).toEqual([expect.stringMatching(new RegExp(`^${name} `))])
  })

  it.each(['2026-03-01', '2026-03-01 09:30:00.12345', '2026-03-01T09:30', '2026-03-01T09:30:00+02:00'])(
    'may have the date %j, which travels as written',
    async (fromDate) => {
      const { client, requests } = aClient([paymentsPage])

      await client.payments.list({ fromDate })

      expect(requests[0]?.line).toBe(`GET /payments?from_date=${encodeURIComponent(fromDate)}`)
    },
  )

  it.each([null, 'SETTLED', 5, ['SETTLED']])('must not be %j', async (params) => {
    expect(await issuesOf(list(params))).toEqual(['params must be an object of parameters'])
  })

  it('must not have unknown names, such as those on the wire', async () => {
    const params = { payment_method_type: 'PAYMENT_CARD', staus: 'SETTLED' }

    expect(await issuesOf(list(params))).toEqual([
      'payment_method_type is not a field of this request: did you mean "paymentMethodType"?',
      'staus is not a field of this request: did you mean "status"?',
    ])
  })

  it('must not have options among them', async () => {
    const params = { orderId: 'order-17', timeout: 1000 }

    expect(await issuesOf(list(params))).toEqual(['timeout is an option: pass it in the argument after this one'])
  })

  it('are looked at when the list is read, in whatever way', async () => {
    const ways = [
      list({ limit: 0 }),
      (client: PaymentsClient) => client.payments.list({ limit: 0 }).toArray({ limit: 5 }),
      (client: PaymentsClient) => client.payments.list({ limit: 0 }).pages().next(),
      (client: PaymentsClient) => client.payments.list({ limit: 0 })[Symbol.asyncIterator]().next(),
    ]

    for (const way of ways) expect(await issuesOf(way)).toEqual(['limit must be an integer from 1 to 100'])
  })
})

describe('parameters that are required', () => {
  it.each([undefined, null, {}, { customerId: '' }, { customerId: 5 }])(
    'are missed from %j for saved payment methods',
    async (params) => {
      const { issues } = await refusal((client) => client.paymentInstruments.list(params as never))

      expect(issues).toHaveLength(1)
    },
  )

  it.each([undefined, null, {}, { connectionId: '' }])('are missed from %j for loyalty customers', async (params) => {
    const { issues } = await refusal((client) => client.loyalty.customers.get('member-1', params as never))

    expect(issues).toHaveLength(1)
  })
})

describe('an idempotency key', () => {
  const refund = (idempotencyKey: unknown) => (client: PaymentsClient) =>
    client.payments.refund('pay_1', {}, { idempotencyKey: idempotencyKey as string })

  it.each(['', ' ', 'a b', 'a\r\nx-evil: 1', 'a\u0000', 'schlüssel', '\u007f', 'x'.repeat(256), 5, null, ['key'], {}])(
    'must not be %j, and is not repeated',
    async (key) => {
      const { issues, message } = await refusal(refund(key))

      expect(issues).toMatchObject([
        { path: ['options', 'idempotencyKey'], message: 'must be 1 to 255 visible ASCII characters' },
      ])
      expect(message).not.toContain('evil')
    },
  )

  it('is sent as it is, or refused', async () => {
    const anyKey = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: 'binary', maxLength: 300 }))

    await fc.assert(
      fc.asyncProperty(anyKey, async (key) => {
        const { client, requests } = aClient([authorizedPayment])

        const outcome = await refund(key)(client).then(
          () => requests[0]?.headers['x-idempotency-key'],
          (error: { code: string }) => error.code,
        )

        expect(outcome).toBe(/^[!-~]{1,255}$/.test(key) ? key : 'ERR_REQUEST_VALIDATION')
      }),
    )
  })

  it('that is there but undefined is refused, since a new one in its place could move money twice', async () => {
    expect(await issuesOf(refund(undefined))).toEqual(['options.idempotencyKey must not be undefined'])
  })
})
