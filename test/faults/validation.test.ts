import fc from 'fast-check'
import { type PaymentsClient, type ResponseValidationError, toDate } from 'payments-client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientReceiving, clientWith, failureOf, recordingClient } from '../support/clients.js'
import { operationCase } from '../support/operations.js'
import { type Path, pathsOf, valueAt, without, withValue } from '../support/response-paths.js'
import { createdSession, session } from '../support/responses/client-sessions.js'
import { loyaltyCustomer, loyaltyTransaction, loyaltyTransactionsPage } from '../support/responses/loyalty.js'
import { externalPayment } from '../support/responses/observability.js'
import { savedCard, savedCards } from '../support/responses/payment-instruments.js'
import { authorizedPayment, paymentsPage, pendingPayment, refundedPayment } from '../support/responses/payments.js'

/** An operation for each kind of response, with the response and its required fields. */
const responses: [string, object, string[]][] = [
  ['payments.create', authorizedPayment, ['id']],
  ['payments.capture', refundedPayment, ['id']],
  ['payments.resume', pendingPayment, ['id']],
  ['payments.list', paymentsPage, ['data', 'id']],
  ['clientSessions.create', createdSession, ['clientToken']],
  ['clientSessions.update', session, []],
  ['paymentInstruments.vault', savedCard, ['token']],
  ['paymentInstruments.list', savedCards, ['data', 'token']],
  ['observability.payments.create', externalPayment, []],
  ['loyalty.transactions.create', loyaltyTransaction, []],
  ['loyalty.transactions.list', loyaltyTransactionsPage, ['items']],
  ['loyalty.customers.get', loyaltyCustomer, []],
]

function call(name: string, client: PaymentsClient): PromiseLike<unknown> {
  return operationCase(name).call(client)
}

describe('the validation of responses', () => {
  const wrong = 'a value that belongs elsewhere'

  const withWrongType = (whole: object, path: Path) =>
    withValue(whole, path, Array.isArray(valueAt(whole, path)) ? { secret: wrong } : [wrong])

  it.each(responses)(
    'V01 throws a ResponseValidationError if any field has the wrong type: %s',
    async (name, whole) => {
      let requests = 0
      let body: object = whole
      const client = clientWith(
        () => {
          requests++
          return Response.json(body)
        },
        { maxRetries: 2 },
      )

      for (const path of pathsOf(whole)) {
        body = withWrongType(whole, path)
        requests = 0

        const error = (await failureOf(call(name, client))) as ResponseValidationError

        expect([path, error]).toMatchObject([path, { name: 'ResponseValidationError', outcome: 'accepted' }])
        expect(error.issues[0]?.path.slice(0, path.length)).toEqual(path)
        expect(error.data).toEqual(body)
        expect(JSON.stringify(error) + error.message + error.stack).not.toContain(wrong)
        expect(Object.keys(error)).not.toContain('data')
        expect(requests).toBe(1)
      }
    },
  )

  it.each(responses)(
    'V02 accepts unknown fields, unknown values, null fields and absent fields: %s',
    async (name, whole, required) => {
      const places = pathsOf(whole).filter(
        (path) => typeof path.at(-1) === 'string' && !required.includes(String(path.at(-1))),
      )
      const changes = fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom('null', 'drop', 'add', 'text')), {
        maxLength: 6,
      })

      await fc.assert(
        fc.asyncProperty(changes, async (changed) => {
          const body = changed.reduce((before, [path, how]) => change(before, path, how), whole)

          const result = await call(name, clientReceiving(body))

          const [received, expected] = name.endsWith('.list') ? [rowsOf(result), rowsOf(body)] : [result, body]
          expect(withoutNulls(received)).toEqual(withoutNulls(expected))
        }),
      )
    },
  )
})

describe('a field named __proto__, constructor or prototype', () => {
  const hostile = '{"polluted":"yes","toString":"yes"}'

  it.each([
    ['at the top', `{"id":"pay_1","__proto__":${hostile},"constructor":{"prototype":${hostile}}}`],
    ['in metadata', `{"id":"pay_1","metadata":{"__proto__":${hostile},"constructor":{"prototype":${hostile}}}}`],
    [
      'in a nested object',
      `{"id":"pay_1","processor":{"__proto__":${hostile}},"transactions":[{"__proto__":${hostile}}]}`,
    ],
  ])('V03 changes no prototype if it is %s of a response', async (_, text) => {
    for (const responseValidation of ['throw', 'report', 'off'] as const) {
      const received = await clientReceiving(text, {}, { responseValidation }).payments.get('pay_1')

      const { metadata, processor, transactions } = received
      for (const object of [received, metadata, processor, transactions?.[0]]) {
        if (object === undefined) continue
        expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
        expect('polluted' in object).toBe(false)
      }
      expect('polluted' in {}).toBe(false)
      expect(String({})).toBe('[object Object]')
    }
  })

  it.each(['__proto__', 'constructor', 'prototype'])('V03 is rejected in request metadata: %s', async (name) => {
    const metadata = JSON.parse(`{"${name}":"yes"}`)
    const { client, requests } = recordingClient()

    const errors = [
      await failureOf(client.payments.create({ paymentMethodToken: 'tok_1', metadata })),
      await failureOf(client.clientSessions.create({ metadata })),
      await failureOf(client.clientSessions.update('cli_1', { metadata })),
    ]

    for (const error of errors) expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
    expect(requests).toEqual([])
  })

  it('V03 is rejected in a request body', async () => {
    const { client, requests } = recordingClient()
    const body = JSON.parse('{"paymentMethodToken":"tok_1","__proto__":{"amount":1}}')

    const error = await failureOf(client.payments.create(body))

    expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
    expect(requests).toEqual([])
  })
})

describe('a client that sends or receives deeply nested JSON', () => {
  const depth = 5_000
  const arrays = '['.repeat(depth) + ']'.repeat(depth)
  const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const both = `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`

  it.each([
    ['arrays', arrays],
    ['objects', objects],
    ['arrays in metadata', `{"id":"pay_1","metadata":{"a":${arrays}}}`],
    ['objects in metadata', `{"id":"pay_1","metadata":${objects}}`],
    ['arrays and objects in an unknown field', `{"id":"pay_1","news":${both}}`],
    ['objects in place of a string', `{"id":${objects}}`],
  ])('V07 throws a typed error for a response with deeply nested %s', async (_, text) => {
    for (const responseValidation of ['throw', 'report', 'off'] as const) {
      const client = clientReceiving(text, {}, { responseValidation, maxRetries: 2 })

      const error = await failureOf(client.payments.capture('pay_1'))

      expect(error).toMatchObject({ code: 'ERR_UNREADABLE_RESPONSE', reason: 'too-deep', outcome: 'accepted' })
      expect(error.attempts).toHaveLength(1)
    }
  })

  it.each([0, 1, 17, 250, 498, 499])(
    'V07 accepts 499 nested levels, but rejects 500, at any position: %i',
    async (position) => {
      // The enclosing object is also a level, so there is one array fewer.
      const bodyWith = (levels: number) =>
        `{"id":"pay_1","pad":"${' '.repeat(position)}","news":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

      await expect(clientReceiving(bodyWith(499)).payments.get('pay_1')).resolves.toMatchObject({ id: 'pay_1' })
      expect(await failureOf(clientReceiving(bodyWith(500)).payments.get('pay_1'))).toMatchObject({
        reason: 'too-deep',
      })
    },
  )

  it('V07 reports a deeply nested 422 response with the outcome rejected', async () => {
    const error = await failureOf(clientReceiving(objects, { status: 422 }).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'UnprocessableError', outcome: 'rejected' })
  })

  it('V07 rejects a deeply nested request body before sending', async () => {
    const { client, requests } = recordingClient()
    const deep = JSON.parse(objects)

    const errors = [
      await failureOf(client.payments.create({ paymentMethodToken: 'tok_1', metadata: deep })),
      await failureOf(client.payments.create({ paymentMethodToken: 'tok_1', metadata: { a: deep } as never })),
      await failureOf(
        client.clientSessions.create({ paymentMethod: { options: { PAYMENT_CARD: { surcharge: deep } } } }),
      ),
      await failureOf(client.clientSessions.update('cli_1', { customer: { billingAddress: deep } as never })),
      await failureOf(client.request({ method: 'POST', path: '/anything', body: deep })),
    ]

    for (const error of errors) expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
    expect(requests).toEqual([])
  })

  it('V07 rejects a circular request body before sending', async () => {
    const { client, requests } = recordingClient()
    const circle: Record<string, unknown> = {}
    circle['again'] = circle

    const errors = [
      await failureOf(client.payments.create({ paymentMethodToken: 'tok_1', metadata: circle as never })),
      await failureOf(client.request({ method: 'POST', path: '/anything', body: circle })),
    ]

    for (const error of errors) expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
    expect(requests).toEqual([])
  })
})

describe('a client', () => {
  it('V08 sends null and omits undefined in a session update', async () => {
    const { client, requests } = recordingClient()

    await client.clientSessions.update('cli_1', {
      orderId: null,
      customerId: undefined,
      customer: { emailAddress: null, firstName: undefined, lastName: 'Müller' },
      order: null,
      amount: null,
    })

    expect(JSON.parse(requests[0]?.body ?? '')).toStrictEqual({
      clientToken: 'cli_1',
      orderId: null,
      customer: { emailAddress: null, lastName: 'Müller' },
      order: null,
      amount: null,
    })
  })

  it.each(['UTC', 'America/New_York', 'Pacific/Kiritimati'])(
    'V08 reads a datetime without a zone as UTC if the process runs in %s',
    (zone) => {
      const before = process.env['TZ']
      process.env['TZ'] = zone
      onTestFinished(() => {
        if (before === undefined) delete process.env['TZ']
        else process.env['TZ'] = before
      })
      // Confirms that the process uses this time zone.
      expect(new Date('2026-07-01T12:00:00Z').getHours()).toBe(
        { UTC: 12, 'America/New_York': 8, 'Pacific/Kiritimati': 2 }[zone],
      )

      expect(toDate('2026-07-01T12:00:00.123456').toISOString()).toBe('2026-07-01T12:00:00.123Z')
      expect(toDate('2026-07-01 12:00:00').toISOString()).toBe('2026-07-01T12:00:00.000Z')
      expect(toDate('2026-07-01').toISOString()).toBe('2026-07-01T00:00:00.000Z')
      expect(toDate('2026-07-01T12:00:00Z').toISOString()).toBe('2026-07-01T12:00:00.000Z')
      expect(toDate('2026-07-01T12:00:00+02:00').toISOString()).toBe('2026-07-01T10:00:00.000Z')
    },
  )
})

/** Changes a response as a later version of the service might do. */
function change(body: object, path: Path, how: string): object {
  try {
    if (how === 'drop') return without(body, path)
    if (how === 'null') return withValue(body, path, null)
    if (how === 'add') return withValue(body, [...path.slice(0, -1), 'aFieldFromTheFuture'], { nested: [1, 'two'] })
    return typeof valueAt(body, path) === 'string' ? withValue(body, path, 'A_VALUE_FROM_THE_FUTURE') : body
  } catch {
    // A previous change removed the field.
    return body
  }
}

function rowsOf(list: unknown): unknown {
  return Array.isArray(list) ? list : (Reflect.get(list as object, 'data') ?? Reflect.get(list as object, 'items'))
}

/** Removes null fields, because the client treats them as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => [name, withoutNulls(inner)]),
  )
}
