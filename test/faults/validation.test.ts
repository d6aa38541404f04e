import type { PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { clientReceiving, failureOf, recordingClient, rejectionOf } from '../support/clients.js'

describe('a field named __proto__, constructor or prototype', () => {
  const hostile = '{"polluted":"yes","toString":"yes"}'

  it.each([
    ['at the top', `{"id":"pay_1","__proto__":${hostile},"constructor":{"prototype":${hostile}}}`],
    ['in metadata', `{"id":"pay_1","metadata":{"__proto__":${hostile},"constructor":{"prototype":${hostile}}}}`],
    [
      'in a nested object',
      `{"id":"pay_1","processor":{"__proto__":${hostile}},"transactions":[{"__proto__":${hostile}}]}`,
    ],
  ])('changes no prototype if a response contains __proto__ %s', async (_, text) => {
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

  it.each(['__proto__', 'constructor', 'prototype'])(
    'rejects the unsafe field name in request metadata: %s',
    async (name) => {
      const metadata = JSON.parse(`{"${name}":"yes"}`)

      await rejectionOf(({ payments }) => payments.create({ paymentMethodToken: 'tok_1', metadata }))
      await rejectionOf(({ clientSessions }) => clientSessions.create({ metadata }))
      await rejectionOf(({ clientSessions }) => clientSessions.update('cli_1', { metadata }))
    },
  )

  it('rejects the field names __proto__, constructor and prototype in a body', async () => {
    const body = JSON.parse('{"paymentMethodToken":"tok_1","__proto__":{"amount":1}}')

    await rejectionOf(({ payments }) => payments.create(body))
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
  ])('throws a typed error for a response with deeply nested %s', async (_, text) => {
    for (const responseValidation of ['throw', 'report', 'off'] as const) {
      const client = clientReceiving(text, {}, { responseValidation, maxRetries: 2 })

      const error = await failureOf(client.payments.capture('pay_1'))

      expect(error).toMatchObject({ code: 'ERR_UNREADABLE_RESPONSE', reason: 'too-deep', outcome: 'accepted' })
      expect(error.attempts).toHaveLength(1)
    }
  })

  it.each([0, 1, 17, 250, 498, 499])(
    'accepts 499 levels of nesting, but not 500, after a field of %i characters',
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

  it.each([
    ['indentation', (levels: number) => JSON.stringify(JSON.parse('['.repeat(levels) + ']'.repeat(levels)), null, 1)],
    ['line feeds between the brackets', (levels: number) => `${'[\n'.repeat(levels)}${']\n'.repeat(levels)}`],
    ['a field after each bracket', (levels: number) => `${'{"b":'.repeat(levels)}1${',"a":2}'.repeat(levels)}`],
    ['brackets in strings', (levels: number) => `${'["}]\\"]",'.repeat(levels)}1${',"["]'.repeat(levels)}`],
  ])('rejects a response with 500 levels of nesting, regardless of %s', async (_, news) => {
    // The enclosing object is also a level.
    const receive = (levels: number) =>
      clientReceiving(`{"id":"pay_1","news":${news(levels - 1)}}`).payments.capture('pay_1')

    await expect(receive(499)).resolves.toMatchObject({ id: 'pay_1' })
    expect(await failureOf(receive(500))).toMatchObject({ reason: 'too-deep', outcome: 'accepted' })
  })

  it('reports a deeply nested 422 response as "rejected"', async () => {
    const error = await failureOf(clientReceiving(objects, { status: 422 }).payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'UnprocessableError', outcome: 'rejected', body: objects })
  })

  const circle: Record<string, unknown> = {}
  circle['again'] = circle
  circle['twice'] = circle

  it.each<[string, never]>([
    ['deeply nested', JSON.parse(objects) as never],
    ['circular', circle as never],
  ])('rejects a %s request body before sending', async (_, data) => {
    const calls: ((client: PaymentsClient) => PromiseLike<unknown>)[] = [
      ({ payments }) => payments.create({ paymentMethodToken: 'tok_1', metadata: data }),
      ({ payments }) => payments.create({ paymentMethodToken: 'tok_1', metadata: { a: data } }),
      ({ clientSessions }) =>
        clientSessions.create({ paymentMethod: { options: { PAYMENT_CARD: { surcharge: data } } } }),
      ({ clientSessions }) => clientSessions.update('cli_1', { customer: { billingAddress: data } }),
      (client) => client.request({ method: 'POST', path: '/anything', body: data }),
    ]

    for (const call of calls) await rejectionOf(call)
  })
})

describe('a client', () => {
  it('sends null and omits undefined in a session update', async () => {
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
})
