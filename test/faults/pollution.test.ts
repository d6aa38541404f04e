import { PaymentsClient, webhooks } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { describeWithEachAdapter, failureOf, recordingClient, serve } from '../support/clients.js'
import { anyResponse, operations } from '../support/operations.js'
import { respondWith } from '../support/scripted-server.js'
import { expectNoSecretIn, printed, secrets } from './support/canaries.js'

/** Properties to add to `Object.prototype`, with their values. */
const properties: [string, unknown][] = [
  ['amount', 5],
  ['idempotencyKey', 'stolen'],
  ['prefixUrl', 'https://elsewhere.test'],
  ['timeout', 60_000],
  ['anything', undefined],
]

const rejection = (name: string) => ({
  name: 'ConfigurationError',
  outcome: 'not_sent',
  message: expect.stringContaining(name),
})

describeWithEachAdapter('a polluted Object.prototype', (clientOf) => {
  it.each(operations)('$name rejects before it sends a request if Object.prototype is polluted', async ({ call }) => {
    const server = await serve(respondWith(anyResponse))
    const client = clientOf(server, { maxRetries: 2 })

    for (const [name, value] of properties) {
      expect(await polluted(name, value, () => failureOf(call(client)))).toMatchObject(rejection(name))
    }

    expect(server.connections).toBe(0)
    await call(client)
    expect(server.requests).toHaveLength(1)
  })
})

describe('a polluted Object.prototype', () => {
  it.each(properties)(
    'client.request, waitFor, lists and merge reject the polluted property %s',
    async (name, value) => {
      const { client, requests } = recordingClient()
      const calls = [
        () => client.request({ method: 'POST', path: '/other', body: {} }),
        () => client.payments.waitFor('pay_1', 'SETTLED'),
        () => client.payments.list().toArray({ limit: 5 }),
        () => client.clientSessions.merge('client_token_1', { orderId: 'order-2' }),
      ]

      for (const call of calls) {
        expect(await polluted(name, value, () => failureOf(call()))).toMatchObject(rejection(name))
      }
      expect(requests).toEqual([])
    },
  )

  it('reports the names of polluted properties, but not their values', async () => {
    const { client } = recordingClient()

    const error = await polluted('first', secrets.apiKey, () =>
      polluted('second', secrets.card, () => failureOf(client.payments.get('pay_1'))),
    )

    expect(error.message).toContain('(first, second)')
    expectNoSecretIn(printed(error))
  })

  it('the constructor of PaymentsClient throws if Object.prototype is polluted', async () => {
    const create = async () =>
      new PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.test' }).payments.get('1')

    await expect(polluted('amount', 5, create)).rejects.toMatchObject(rejection('amount'))
  })

  it('verify and createHandler throw if Object.prototype is polluted', async () => {
    const body = '{"eventType":"PAYMENT.STATUS"}'
    const headers = webhooks.sign(body, secrets.signingSecret)

    const works: (() => Promise<unknown>)[] = [
      async () => webhooks.verify(body, headers, secrets.signingSecret),
      () => webhooks.verifyAsync(body, headers, secrets.signingSecret),
      async () => webhooks.createHandler({ secret: secrets.signingSecret, on: {} }),
    ]

    for (const work of works) {
      await expect(polluted('amount', 5, work)).rejects.toMatchObject(rejection('amount'))
    }
  })

  it('ignores polluted properties that are not enumerable', async () => {
    const { client } = recordingClient()

    const received = await polluted(
      'helper',
      () => {},
      () => client.payments.get('pay_1'),
      false,
    )

    expect(received).toMatchObject({ id: 'pay_1' })
  })
})

/** Runs a function while `Object.prototype` has an added property. */
async function polluted<T>(name: string, value: unknown, work: () => PromiseLike<T>, enumerable = true): Promise<T> {
  Object.defineProperty(Object.prototype, name, { value, configurable: true, enumerable, writable: true })
  try {
    return await work()
  } finally {
    Reflect.deleteProperty(Object.prototype, name)
  }
}
