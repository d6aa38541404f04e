import fc from 'fast-check'
import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../support/characters.js'
import {
  aNewKey,
  describeWithEachAdapter,
  failureOf,
  payment,
  recordingClient,
  rejectionOf,
  retryAtOnce,
  serve,
} from '../support/clients.js'
import { manualLimits } from '../support/clock.js'
import { anyResponse, operations } from '../support/operations.js'
import { fin, hang, read, respondWith, responseBytes, rst, type Script, write } from '../support/scripted-server.js'

describe('the idempotency key of a call', () => {
  it.each(operations.filter((operation) => operation.class !== 'keyed'))(
    'rejects an idempotency key for $name, which accepts none',
    async ({ name, call }) => {
      const { message } = await rejectionOf((client) => call(client, { idempotencyKey: 'key-of-mine' }))

      expect(message).toContain(`options.idempotencyKey is not an option of ${name}`)
    },
  )

  it('generates a UUID as the key by default, and returns it to the caller', async () => {
    const { client, requests } = recordingClient()

    const returned = []
    for (let count = 1; count <= 200; count++) {
      returned.push((await client.payments.capture('pay_1').withResponse()).response.idempotencyKey)
    }

    expect(new Set(returned).size).toBe(200)
    expect(returned).toEqual(returned.map(() => aNewKey))
    expect(requests.map(({ headers }) => headers['x-idempotency-key'])).toEqual(returned)
  })
})

describeWithEachAdapter('the attempts of one call', (clientOf) => {
  it('sends the same key and body even if the caller changes the arguments', async () => {
    retryAtOnce()
    const unavailable = responseBytes('', { status: 503, headers: { connection: 'close' } })
    const server = await serve([read(), rst()], [read(), write(unavailable), fin()], respondWith(payment))
    const body = { paymentMethodToken: 'tok_1', amount: 700, metadata: { cart: 'a' } as Record<string, string> }
    const headers: Record<string, string> = { 'x-trace': '1' }
    const options = { idempotencyKey: 'key-of-mine', headers }
    const onRetry = () => {
      body.amount += 1
      body.metadata['cart'] = 'b'
      headers['x-trace'] = '2'
      options.idempotencyKey = 'another'
    }

    const { response } = await clientOf(server, { maxRetries: 2, hooks: { onRetry } })
      .payments.create(body, options)
      .withResponse()

    const [first, second, third] = server.requests.map(({ raw }) => raw.toString())
    expect(second).toBe(first)
    expect(third).toBe(first)
    expect(first).toContain('x-idempotency-key: key-of-mine')
    expect(first).toContain('"amount":700')
    expect(response.idempotencyKey).toBe('key-of-mine')
  })
})

describe('caller-supplied idempotency keys', () => {
  const reject = (idempotencyKey: unknown) =>
    rejectionOf(({ payments }) => payments.capture('pay_1', {}, { idempotencyKey: idempotencyKey as string }))

  it.each([
    ...['', ' ', 'a b', 'a\r\nx-api-key: stolen', 'a\n', '\u0000', 'schlüssel', 'a\u007f', 'x'.repeat(256)],
    ...[['a'], 12, null, {}, true],
  ])('rejects the invalid idempotency key %j', async (key) => void (await reject(key)))

  it('accepts keys of 1 to 255 visible ASCII characters', async () => {
    const bad = fc
      .string({ unit: anyCharacter, minLength: 4, maxLength: 60 })
      .filter((key) => !/^[!-~]{1,255}$/.test(key))

    await fc.assert(
      fc.asyncProperty(bad, async (key) => {
        expect((await reject(key)).message).not.toContain(key)
      }),
    )
  })

  it('sends the caller’s idempotency key unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[!-~]{1,255}$/), async (idempotencyKey) => {
        const { client, requests } = recordingClient()

        await client.payments.capture('pay_1', {}, { idempotencyKey })

        expect(requests[0]?.headers['x-idempotency-key']).toBe(idempotencyKey)
      }),
    )
  })
})

describe('50 concurrent payments.create calls with the same idempotency key', () => {
  it.each(['replay', 'conflict', 'conflict-400'] as const)(
    'creates one payment for 50 concurrent calls in idempotency mode %s',
    async (idempotency) => {
      const sandbox = createSandbox({ idempotency })
      const client = new PaymentsClient(sandbox.clientOptions({ maxRetries: 0 }))
      const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-1', currencyCode: 'EUR', amount: 700 }

      const results = await Promise.allSettled(
        Array.from({ length: 50 }, () => client.payments.create(body, { idempotencyKey: 'key-of-mine' })),
      )

      const made = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value.id)
      const rejected = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
      expect(sandbox.ledger).toHaveLength(1)
      expect(new Set(made)).toEqual(new Set([sandbox.ledger[0]?.resourceId]))
      expect(made).toHaveLength(idempotency === 'replay' ? 50 : 1)
      for (const error of rejected) {
        expect(error).toMatchObject({ code: 'ERR_API', outcome: 'rejected', paymentId: made[0] })
        expect(error.attempts).toHaveLength(1)
      }
    },
  )
})

describeWithEachAdapter('operations without an idempotency key', (clientOf) => {
  const invalid = { id: 12, clientToken: 12, token: 12, amount: 'x', value: 'x' }
  const faults: [string, Script][] = [
    ['a reset', [read(), rst()]],
    ['a closed connection', [read(), fin()]],
    ['a 500', respondWith('', { status: 500 })],
    ['a 503 with Retry-After', respondWith('', { status: 503, headers: { 'retry-after': 0 } })],
    ['a truncated response', [read(), write(responseBytes(anyResponse).slice(0, -1)), fin()]],
    ['malformed HTTP', [read(), write('nonsense\r\n\r\n')]],
    ['a response that violates the contract', respondWith(invalid)],
  ]
  const unsafe = [
    ...operations.filter((operation) => operation.class === 'once'),
    {
      name: 'paymentInstruments.vault with verify',
      call: ({ paymentInstruments }: PaymentsClient) =>
        paymentInstruments.vault('tok_1', { customerId: 'cust_1', verify: true }),
    },
  ]

  it.each(unsafe)('sends a request without a key only once despite a fault: $name', async ({ call }) => {
    for (const [name, script] of faults) {
      const server = await serve(script)

      const error = await failureOf(call(clientOf(server, { maxRetries: 2 })))

      expect([name, error.outcome]).toEqual([name, expect.stringMatching(/^(unknown|accepted)$/)])
      expect([name, server.requests.length]).toEqual([name, 1])
      expect(error.attempts).toHaveLength(1)
    }
  })

  it('sends a request without a key only once if no response arrives', async () => {
    const { option, expire } = manualLimits()
    const server = await serve([read(), expire, hang()])

    const call = clientOf(server, { maxRetries: 2, ...option }).payments.resume('pay_1', { resumeToken: 't' })

    expect(await failureOf(call)).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', attempts: [{}] })
    expect(server.requests).toHaveLength(1)
  })
})
