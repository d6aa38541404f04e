import { format, inspect } from 'node:util'
import fc from 'fast-check'
import * as entry from 'payments-client'
import { type Logger, PaymentsClient, PaymentsError, webhooks } from 'payments-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { anyCharacter } from '../support/characters.js'
import { clientWith, failureOf, retryAtOnce } from '../support/clients.js'
import { operationCase } from '../support/operations.js'
import { startTelemetry } from '../support/telemetry.js'
import {
  anyClient,
  calls,
  clientWithFault,
  expectNoSecretIn,
  faults,
  printed,
  rejections,
  rejectWith,
  respondWith,
  secrets,
} from './support/canaries.js'

describe('printing a PaymentsError', () => {
  it.each(faults)('prints no secret after this response or network error: %s', async (...fault) => {
    retryAtOnce()

    for (const [, call] of calls) {
      const ended = await Promise.resolve(call(clientWithFault(fault))).catch((error: unknown) => error)
      if (ended instanceof Error) {
        expect(ended).toBeInstanceOf(PaymentsError)
        expectNoSecretIn(printed(ended))
      }
    }
  })

  it.each(rejections)('prints no secret from %s', async (_, provoke) => {
    const error = await errorOf(() => provoke(anyClient()))

    expect(error).toBeInstanceOf(PaymentsError)
    expectNoSecretIn(printed(error))
  })

  it('checks every exported error class for secrets', async () => {
    retryAtOnce()
    const seen = new Set<string>()
    const [[, create]] = calls as [(typeof calls)[number]]
    for (const fault of faults) seen.add((await errorOf(() => create(clientWithFault(fault))))?.name ?? '')
    for (const [, provoke] of rejections) seen.add((await errorOf(() => provoke(anyClient())))?.name ?? '')

    const classes = Object.values(entry)
      .filter((value) => typeof value === 'function' && value.prototype instanceof Error)
      .map((value) => (value as { name: string }).name)
      .filter((name) => name !== 'PaymentsError')

    expect(classes.filter((name) => !seen.has(name))).toEqual([])
  })

  it('prints the response’s payment id even if the request also contained it', async () => {
    const id = 'pay_Nqoe9ITzAbVEb6MTpfX6'
    const body = { error: { errorId: 'Refused', description: `No ${id}`, paymentId: id } }
    const client = clientWith(() => Response.json(body, { status: 409 }))
    const createdAt = '2026-01-31T12:00:00Z'
    const paymentMethod = { paymentMethodType: 'PAYMENT_CARD' }
    const record = {
      currencyCode: 'EUR',
      processor: { name: 'x' },
      amount: 7,
      createdAt,
      order: { id: 'o' },
      paymentMethod,
    }

    const errors = [
      await failureOf(client.payments.capture(id)),
      await failureOf(client.request({ method: 'POST', path: `/payments/${id}/capture` })),
      await failureOf(client.observability.payments.create({ ...record, paymentId: id })),
      await failureOf(client.observability.payments.update(id, { amount: 8 })),
    ]

    for (const error of errors) expect(error).toMatchObject({ errorId: 'Refused', paymentId: id })
  })

  it('prints nested properties, so that the tests also find secrets in them', () => {
    const leaking = Object.assign(new Error('fine'), { hidden: { deep: [secrets.card] } })

    expect(() => expectNoSecretIn(printed(leaking))).toThrow('The output contains the card')
  })

  it('prints the harmless parts of the service’s description', async () => {
    const body = {
      error: { errorId: 'InvalidAmount', description: 'Amount 12 of card 4242 4242 4242 4242 for tok_1 is wrong' },
    }
    const client = clientWith(() => Response.json(body, { status: 400 }))

    const error = await failureOf(client.payments.create({ paymentMethodToken: 'tok_1', amount: 12 }))

    expect(error.message).toContain('the service responded 400 InvalidAmount: Amount 12 of card […] for […] is wrong')
  })
})

describe('the SDK’s other output', () => {
  it('prints no secret of clients, calls and lists', async () => {
    const client = new PaymentsClient({ apiKey: secrets.apiKey, baseUrl: 'https://payments.test' })
    const call = clientWithFault(faults[0] as (typeof faults)[number]).payments.get(secrets.paymentToken)
    const list = client.payments.list({ customerEmailAddress: secrets.address })

    for (const value of [
      client,
      client.payments,
      client.loyalty.transactions,
      client.withOptions({ timeout: 1_000 }),
      list,
      call,
    ]) {
      expectNoSecretIn(inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true }))
      expectNoSecretIn(`${JSON.stringify(value)} ${String(value)} ${format('%o', value)}`)
    }
    await failureOf(call)
  })

  it.each(faults)('passes no secret to hooks, logs, channels, spans and metrics: %s', async (...fault) => {
    retryAtOnce()
    const { received, options, flush } = receiveEverything()

    for (const own of [{ logger: options.logger }, { responseValidation: 'report' as const }]) {
      for (const [, call] of calls) {
        await Promise.resolve(call(clientWithFault(fault, { hooks: options.hooks, ...own }))).catch(() => {})
      }
    }

    await flush()
    expect([console.debug, console.error].flatMap((log) => vi.mocked(log).mock.calls)).not.toEqual([])
    expectNoSecretInAll(received)
  })

  it('prints no secret from a call’s rejected arguments', async () => {
    const { received, options, flush } = receiveEverything()
    for (const [, provoke] of rejections) await errorOf(() => provoke(anyClient(options)))

    await flush()
    expect(received.filter((value) => Object(value).outcome === 'not_sent')).not.toEqual([])
    expectNoSecretInAll(received)
  })

  it('prints no secret from a webhook’s headers, body or signing secret', async () => {
    const { received, flush } = receiveEverything()
    const content = Object.values(secrets).join(', ')
    const failing = () => {
      throw new Error('failed')
    }
    const handler = webhooks.createHandler({ secret: secrets.signingSecret, on: { 'PAYMENT.STATUS': failing } })
    const event = (payment: object) => JSON.stringify({ eventType: 'PAYMENT.STATUS', payment, note: content })
    const bodies = [event({ id: 'pay_1' }), event({ id: [content] }), `{"eventType":"${content}"}`, content]

    for (const body of bodies) {
      for (const secret of [secrets.signingSecret, 'another-secret-of-theirs']) {
        const headers = { ...webhooks.sign(body, secret), 'x-echo': content }
        await handler(new Request(`https://shop.test/?${encodeURI(content)}`, { method: 'POST', headers, body }))
      }
    }

    await flush()
    expect(new Set(received.map((value) => Object(value).delivery))).toEqual(
      new Set([undefined, 'failed', 'handled', 'rejected']),
    )
    // Excludes the messages about webhooks, because they contain the event's type, which may be a secret here.
    expectNoSecretInAll(received.filter((value) => !String(Object(value).eventType).includes(content)))
  })
})

/** Records the SDK's output until the end of the test: hooks, logs, channels, spans and metrics. */
function receiveEverything() {
  const received: unknown[] = []
  const receive = (...values: unknown[]) => void received.push(...values)
  const levels = ['debug', 'info', 'warn', 'error'] as const
  vi.stubEnv('PAYMENTS_LOG', 'debug')
  for (const level of levels) vi.spyOn(console, level).mockImplementation(receive)

  const telemetry = startTelemetry({ propagate: true })

  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  const hooks = Object.fromEntries(
    ['onRequest', 'onResponse', 'onRetry', 'onResponseIssue', 'onResult'].map((name) => [name, receive]),
  )
  const logger = Object.fromEntries(levels.map((level) => [level, receive])) as unknown as Logger

  /** Adds the channel messages, spans and metrics to `received`. */
  async function flush(): Promise<void> {
    const spans = telemetry.finishedSpans()
    const points = await telemetry.points()
    expect(spans).not.toEqual([])
    expect(points).not.toEqual([])
    receive(...telemetry.messages, ...points)
    receive(...spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })))
  }
  return { received, options: { hooks, logger }, flush }
}

function expectNoSecretInAll(received: readonly unknown[]): void {
  expectNoSecretIn(inspect(received, { depth: Number.POSITIVE_INFINITY, maxArrayLength: null, maxStringLength: null }))
  expectNoSecretIn(JSON.stringify(received))
}

describe('an invalid API key', () => {
  it('rejects an invalid API key from an option or function without printing it', async () => {
    const bad = fc
      .tuple(fc.string({ minLength: 1, unit: anyCharacter }), fc.string({ unit: anyCharacter }))
      .map(([before, after]) => `${before}${secrets.apiKey}${after}`)
      .filter((key) => !/^[!-~]+$/.test(key))

    await fc.assert(
      fc.asyncProperty(bad, async (apiKey) => {
        const rejected = await errorOf(() => new PaymentsClient({ apiKey, baseUrl: 'https://payments.test' }))
        const returned = await errorOf(() => anyClient({ apiKey: async () => apiKey }).payments.get('pay_1'))

        for (const error of [rejected, returned]) {
          expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' })
          expectNoSecretIn(printed(error))
        }
      }),
      { numRuns: Number(process.env['RUNS'] ?? 20) },
    )
  })

  it.each([undefined, null, 12, {}, []])('rejects an API key that is not a string: %j', async (apiKey) => {
    const make = () => new PaymentsClient({ apiKey: apiKey as never, baseUrl: 'https://payments.test' })
    const error = await errorOf(() => anyClient({ apiKey: () => apiKey as never }).payments.get('pay_1'))

    expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
    expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' })
  })
})

describe('the URL in an error message', () => {
  it.each([
    ['clientSessions.get', 'GET /client-session)'],
    ['clientSessions.update', 'PATCH /client-session)'],
    ['paymentInstruments.vault', 'POST /payment-instruments/:paymentMethodToken/vault)'],
    ['paymentInstruments.delete', 'DELETE /payment-instruments/:paymentMethodToken)'],
    ['payments.list', 'GET /payments)'],
    ['payments.capture', 'POST /payments/:id/capture)'],
  ])('omits path parameters from error messages of %s', async (name, template) => {
    const { call } = operationCase(name)

    for (const respond of [
      respondWith(500, ''),
      respondWith(404, ''),
      respondWith(200, 'x'),
      rejectWith('failed', {}),
    ]) {
      const error = await failureOf(call(clientWith(respond)))

      expect(error.message).toContain(`${name} (${template}: `)
      expect(printed(error)).not.toMatch(/tok_1|client_token_1|example\.com\/|clientToken=/)
    }
  })
})

/** Returns the error that the function throws or rejects with. */
async function errorOf(provoke: () => unknown): Promise<Error | undefined> {
  try {
    await provoke()
    return undefined
  } catch (error) {
    return error as Error
  }
}
