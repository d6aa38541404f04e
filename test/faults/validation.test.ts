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
import {
  authorizedPayment,
  authorizedPaymentV21,
  paymentsPage,
  pendingPayment,
  refundedPayment,
} from '../support/responses/payments.js'

/** Every kind of responseBytes, by the operation that brings it, and what must not be missing in it. */
const answers: [string, object, string[]][] = [
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

describe('an answer that breaks the contract', () => {
  const wrong = 'a value that belongs elsewhere'

  /** The answer with something else in one place: a list for an object, an object for the rest. */
  const spoiled = (whole: object, path: Path) =>
    withValue(whole, path, Array.isArray(valueAt(whole, path)) ? { secret: wrong } : [wrong])

  it.each(answers)(
    'V01 %s, in any field: accepted, not repeated, raw data within reach but not on show',
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
        body = spoiled(whole, path)
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

  it.each(answers)('V02 %s: unknown fields and values, null and absent ones pass', async (name, whole, required) => {
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
      { numRuns: 200 },
    )
  })

  it('V02 the newer shape passes as well', async () => {
    const client = clientReceiving(authorizedPaymentV21).withOptions({ apiVersion: '2.1' })

    await expect(client.payments.get('pay_1')).resolves.toEqual(authorizedPaymentV21)
  })
})

describe('names of prototypes', () => {
  const hostile = '{"polluted":"yes","toString":"yes"}'

  it.each([
    ['at the top', `{"id":"pay_1","__proto__":${hostile},"constructor":{"prototype":${hostile}}}`],
    ['in metadata', `{"id":"pay_1","metadata":{"__proto__":${hostile},"constructor":{"prototype":${hostile}}}}`],
    [
      'in a nested object',
      `{"id":"pay_1","processor":{"__proto__":${hostile}},"transactions":[{"__proto__":${hostile}}]}`,
    ],
  ])('V03 %s of an answer change no prototype', async (_, text) => {
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

  it.each(['__proto__', 'constructor', 'prototype'])('V03 %s in metadata is not sent', async (name) => {
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

  it('V03 __proto__ among the fields of a body is not sent', async () => {
    const { client, requests } = recordingClient()
    const body = JSON.parse('{"paymentMethodToken":"tok_1","__proto__":{"amount":1}}')

    const error = await failureOf(client.payments.create(body))

    expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
    expect(requests).toEqual([])
  })
})

describe('nesting without end', () => {
  const depth = 5_000
  const lists = '['.repeat(depth) + ']'.repeat(depth)
  const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const both = `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`

  it.each([
    ['lists', lists],
    ['objects', objects],
    ['lists in metadata', `{"id":"pay_1","metadata":{"a":${lists}}}`],
    ['objects in metadata', `{"id":"pay_1","metadata":${objects}}`],
    ['both in a field that nobody knows', `{"id":"pay_1","news":${both}}`],
    ['objects where text belongs', `{"id":${objects}}`],
  ])('V07 %s in an answer: a typed error', async (_, text) => {
    for (const responseValidation of ['throw', 'report', 'off'] as const) {
      const client = clientReceiving(text, {}, { responseValidation, maxRetries: 2 })

      const error = await failureOf(client.payments.capture('pay_1'))

      expect(error).toMatchObject({ code: 'ERR_UNREADABLE_RESPONSE', reason: 'too-deep', outcome: 'accepted' })
      expect(error.attempts).toHaveLength(1)
    }
  })

  it('V07 in the body of a refusal: the refusal', async () => {
    const error = await failureOf(clientReceiving(objects, { status: 422 }).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'UnprocessableError', outcome: 'rejected' })
  })

  it('V07 nested so that it does not show: no error of another kind', async () => {
    const text = `{"id":"pay_1","news":${'{"a":'.repeat(depth)}1${',"b":2}'.repeat(depth)}}`

    await expect(clientReceiving(text).payments.capture('pay_1')).resolves.toMatchObject({ id: 'pay_1' })
  })

  it('V07 in what is sent: refused before anything is sent', async () => {
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

  it('V07 a circle in what is sent: refused before anything is sent', async () => {
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

describe('changes and dates', () => {
  it('V08 null is sent and clears, undefined is left out', async () => {
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

  it.each(['UTC', 'America/New_York', 'Pacific/Kiritimati'])('V08 a date without a zone is UTC, in %s too', (zone) => {
    const before = process.env['TZ']
    process.env['TZ'] = zone
    onTestFinished(() => {
      if (before === undefined) delete process.env['TZ']
      else process.env['TZ'] = before
    })
    // In each zone a clock shows something else.
    expect(new Date('2026-07-01T12:00:00Z').getHours()).toBe(
      { UTC: 12, 'America/New_York': 8, 'Pacific/Kiritimati': 2 }[zone],
    )

    expect(toDate('2026-07-01T12:00:00.123456').toISOString()).toBe('2026-07-01T12:00:00.123Z')
    expect(toDate('2026-07-01 12:00:00').toISOString()).toBe('2026-07-01T12:00:00.000Z')
    expect(toDate('2026-07-01').toISOString()).toBe('2026-07-01T00:00:00.000Z')
    expect(toDate('2026-07-01T12:00:00Z').toISOString()).toBe('2026-07-01T12:00:00.000Z')
    expect(toDate('2026-07-01T12:00:00+02:00').toISOString()).toBe('2026-07-01T10:00:00.000Z')
  })

  it('V08 a Date in a query travels as UTC', async () => {
    const { client, requests } = recordingClient()

    await client.payments.list({ fromDate: new Date(Date.UTC(2026, 6, 1, 12)) })

    expect(requests[0]?.line).toBe('GET /payments?from_date=2026-07-01T12%3A00%3A00.000Z')
  })
})

/** The answer as a service might send it one day. */
function change(body: object, path: Path, how: string): object {
  try {
    if (how === 'drop') return without(body, path)
    if (how === 'null') return withValue(body, path, null)
    if (how === 'add') return withValue(body, [...path.slice(0, -1), 'aFieldFromTheFuture'], { nested: [1, 'two'] })
    return typeof valueAt(body, path) === 'string' ? withValue(body, path, 'A_VALUE_FROM_THE_FUTURE') : body
  } catch {
    // An earlier change took the place away.
    return body
  }
}

/** The rows of a list, whatever holds them. */
function rowsOf(list: unknown): unknown {
  return Array.isArray(list) ? list : (Reflect.get(list as object, 'data') ?? Reflect.get(list as object, 'items'))
}

/** Without the fields that are null: they read as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => [name, withoutNulls(inner)]),
  )
}
