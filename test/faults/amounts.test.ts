import fc from 'fast-check'
import type { PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { describeWithEachAdapter, failureOf, recordingClient, serve } from '../support/clients.js'
import { respondWith } from '../support/scripted-server.js'

describeWithEachAdapter('a number in a response', (clientOf) => {
  const inexact = [
    '9007199254740993',
    '9007199254740992',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '1e21',
    '700.5',
    '0.1',
    '1e-7',
  ]

  it.each(inexact)('V04 is rejected as a payment amount unless it is a safe integer: %s', async (number) => {
    const bodies = [
      `{"id":"pay_1","amount":${number}}`,
      `{"id":"pay_1","processor":{"amountCaptured":${number}}}`,
      `{"id":"pay_1","transactions":[{"amount":${number}}]}`,
      `{"id":"pay_1","order":{"lineItems":[{"amount":${number}}]}}`,
    ]

    for (const body of bodies) {
      const server = await serve(respondWith(body))
      const error = await failureOf(clientOf(server).payments.capture('pay_1'))
      expect(error).toMatchObject({ name: 'ResponseValidationError', outcome: 'accepted' })
    }
  })

  it.each(inexact)('V04 is rejected as a loyalty balance unless it is a safe integer: %s', async (number) => {
    const server = await serve(respondWith(`{"id":"c","balance":${number}}`))

    const error = await failureOf(clientOf(server).loyalty.customers.get('c', { connectionId: 'con_1' }))

    expect(error).toMatchObject({ name: 'ResponseValidationError', outcome: 'accepted' })
  })

  it.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['700.0', 700],
    ['7e2', 700],
    ['0', 0],
  ])('V04 is read without loss of precision: %s', async (number, amount) => {
    const server = await serve(respondWith(`{"id":"pay_1","amount":${number}}`))

    await expect(clientOf(server).payments.capture('pay_1')).resolves.toEqual({ id: 'pay_1', amount })
  })
})

describe('an amount in a request', () => {
  const senders: [string, (client: PaymentsClient, body: { amount: number }) => PromiseLike<unknown>][] = [
    ['payments.create', (client, body) => client.payments.create({ paymentMethodToken: 'tok_1', ...body })],
    ['payments.capture', (client, body) => client.payments.capture('pay_1', body)],
    ['payments.refund', (client, body) => client.payments.refund('pay_1', body)],
    ['payments.adjustAuthorization', (client, body) => client.payments.adjustAuthorization('pay_1', body)],
    ['clientSessions.create', (client, body) => client.clientSessions.create(body)],
    ['clientSessions.update', (client, body) => client.clientSessions.update('cli_1', body)],
    ['observability.payments.update', (client, body) => client.observability.payments.update('ext_1', body)],
    [
      'payments.create, in a line item',
      (client, body) => client.payments.create({ paymentMethodToken: 'tok_1', order: { lineItems: [body] } }),
    ],
  ]

  it.each(senders)('V05 is rejected before sending if it is fractional or out of range: %s', async (name, send) => {
    const { client, requests } = recordingClient()
    const fixed = fc.constantFrom<unknown>(
      Number.NaN,
      Infinity,
      -Infinity,
      1.5,
      -0,
      '700',
      700n,
      1e21,
      2 ** 53,
      true,
      [],
      {},
      [700],
      '',
    )
    const bad = fc.oneof(
      fixed,
      fc.double().filter((number) => !Number.isSafeInteger(number)),
      fc.string(),
      // Line items may have negative amounts, for discounts.
      ...(name.endsWith('in a line item') ? [] : [fc.integer({ max: -1 })]),
    )

    await fc.assert(
      fc.asyncProperty(bad, async (amount) => {
        const error = await failureOf(send(client, { amount: amount as number }))

        expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
      }),
    )
    expect(requests).toEqual([])
  })

  it.each(senders)(
    'V06 is rejected by %s if it is undefined, because the default is the full amount',
    async (_, send) => {
      const { client, requests } = recordingClient()

      const error = await failureOf(send(client, { amount: undefined as never }))

      expect(error).toMatchObject({
        name: 'RequestValidationError',
        outcome: 'not_sent',
        message: expect.stringMatching(/amount is (undefined|missing)/),
      })
      expect(requests).toEqual([])
    },
  )

  it('V06 is rejected if a getter of a class returns it', async () => {
    const { client, requests } = recordingClient()
    class Part {
      get amount() {
        return 500
      }
    }

    const error = await failureOf(client.payments.refund('pay_1', new Part()))

    expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
    expect(requests).toEqual([])
  })

  it('V06 is not sent by default', async () => {
    const { client, requests } = recordingClient()

    await client.payments.capture('pay_1')
    await client.payments.capture('pay_1', {})
    await client.payments.refund('pay_1', { reason: 'returned' })

    expect(requests.map(({ body }) => body)).toEqual([undefined, '{}', '{"reason":"returned"}'])
  })
})
