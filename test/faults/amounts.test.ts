import fc from 'fast-check'
import type { PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { recordingClient, rejectionOf } from '../support/clients.js'

describe('the client', () => {
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

  it.each(senders)('rejects a fractional or out-of-range amount before sending: %s', async (name, send) => {
    const bad = fc.oneof(
      fc.constantFrom<unknown>(Number.NaN, Infinity, -Infinity, 1.5, -0, 1e21, 2 ** 53, 700n, true, [], {}, [700]),
      fc.double().filter((number) => !Number.isSafeInteger(number)),
      fc.string(),
      // Line items may have negative amounts, for discounts.
      ...(name.endsWith('in a line item') ? [] : [fc.integer({ max: -1 })]),
    )

    await fc.assert(
      fc.asyncProperty(bad, async (amount) => {
        await rejectionOf((client) => send(client, { amount: amount as number }))
      }),
    )
  })

  it.each(senders)('rejects an undefined amount in %s', async (_, send) => {
    const { message } = await rejectionOf((client) => send(client, { amount: undefined as never }))

    expect(message).toMatch(/amount is (undefined|missing)/)
  })

  it('omits the amount from a request if the caller passes none', async () => {
    const { client, requests } = recordingClient()

    await client.payments.capture('pay_1')
    await client.payments.capture('pay_1', {})
    await client.payments.refund('pay_1', { reason: 'returned' })

    expect(requests.map(({ body }) => body)).toEqual([undefined, '{}', '{"reason":"returned"}'])
  })
})
