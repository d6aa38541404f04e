import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { type ClientOptions, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { createHandler, sign } from 'payments-client/webhooks'
import { expect, it, vi } from 'vitest'
import { aClient, failureOf, retryAtOnce } from '../support/clients.js'
import { page } from '../support/pages.js'
import { startTelemetry } from '../support/telemetry.js'

/** Starts a sandbox and a client whose logs, channels, spans and metrics are recorded. */
function start(options: { idempotency?: 'conflict' } = {}) {
  retryAtOnce()
  const telemetry = startTelemetry()
  const sandbox = createSandbox(options)
  const client = new PaymentsClient(sandbox.clientOptions({ logger: telemetry.logger, logLevel: 'info' }))
  const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-1', currencyCode: 'EUR', amount: 4321 }
  return { ...telemetry, sandbox, client, body, counts: () => countsOf(telemetry) }
}

/** Returns the number of measurements of each metric, by name and labels, for example `name 200 succeeded`. */
async function countsOf({ points }: ReturnType<typeof startTelemetry>) {
  const labels = ['http.response.status_code', 'payments.outcome', 'error.type', 'payments.delivery']
  return Object.fromEntries(
    (await points()).map(({ name, attributes, value }) => {
      return [[name, ...labels.map((label) => attributes[label] ?? '')].join(' ').trim().replace(/ +/g, ' '), value]
    }),
  )
}

it('the client reports failed attempts to hooks, logs, channels, spans and metrics', async () => {
  const { sandbox, client, body, finishedSpans, counts, messages, lines } = start()
  sandbox.faults.add({ operation: 'payments.create', at: 'before', status: 503, times: 2 })

  const { response } = await client.payments.create(body).withResponse()

  const [span] = finishedSpans()
  expect(span).toMatchObject({
    name: 'payments.create',
    kind: SpanKind.CLIENT,
    status: { code: SpanStatusCode.UNSET },
    attributes: {
      'http.request.method': 'POST',
      'url.template': '/payments',
      'server.address': 'sandbox.invalid',
      'server.port': 443,
      'http.response.status_code': 200,
      'http.request.resend_count': 2,
      'payments.operation': 'payments.create',
      'payments.outcome': 'succeeded',
      'payments.call_id': response.callId,
    },
  })
  expect(span?.events.map(({ name, attributes }) => [name, attributes?.['http.response.status_code']])).toEqual([
    ['payments.attempt', 503],
    ['payments.attempt', 503],
    ['payments.attempt', 200],
  ])
  expect(await counts()).toEqual({
    'payments.client.call.duration 200 succeeded': 1,
    'http.client.request.duration 503 ERR_API': 2,
    'http.client.request.duration 200': 1,
    'payments.client.retries': 2,
  })
  expect(messages.map(({ message, status }) => [message, status])).toEqual([
    ['call start', undefined],
    ['attempt start', undefined],
    ['attempt error', 503],
    ['attempt asyncEnd', 503],
    ['attempt start', undefined],
    ['attempt error', 503],
    ['attempt asyncEnd', 503],
    ['attempt start', undefined],
    ['attempt asyncEnd', 200],
    ['call asyncEnd', 200],
  ])
  expect(messages[2]).toMatchObject({ error: { name: 'ServerError' }, idempotencyKey: response.idempotencyKey })
  const { callId, attempts } = response
  expect(messages.at(-1)).toMatchObject({ callId, operation: 'payments.create', outcome: 'succeeded', attempts })
  expect(lines).toEqual([
    `warn payments.create (POST /payments), attempt 1: SimulatedFault, retrying in 0 ms [${response.callId}]`,
    `warn payments.create (POST /payments), attempt 2: SimulatedFault, retrying in 0 ms [${response.callId}]`,
  ])
})

it('the client reports an aborted call to hooks, logs, channels, spans and metrics', async () => {
  const { sandbox, client, body, finishedSpans, counts, messages, lines } = start()
  sandbox.faults.add({ operation: 'payments.create', at: 'after', hang: true })
  const controller = new AbortController()
  const call = failureOf(client.payments.create(body, { signal: controller.signal }))
  await expect.poll(() => sandbox.ledger.length).toBe(1)

  controller.abort()
  const error = await call

  const attributes = { 'error.type': 'ERR_ABORTED', 'payments.outcome': 'unknown' }
  expect(finishedSpans()).toMatchObject([{ status: { code: SpanStatusCode.ERROR }, attributes }])
  expect(await counts()).toEqual({
    'payments.client.call.duration unknown ERR_ABORTED': 1,
    'http.client.request.duration ERR_ABORTED': 1,
  })
  expect(messages.map(({ message }) => message)).toEqual([
    'call start',
    'attempt start',
    'attempt error',
    'attempt asyncEnd',
    'call error',
    'call asyncEnd',
  ])
  expect(messages.at(-1)).toMatchObject({ outcome: 'unknown', error })
  expect(lines).toEqual([
    expect.stringMatching(/^error payments\.create .*failed, outcome unknown \(ERR_ABORTED, 1 attempt, \d+ ms\)/),
  ])
})

it.each<[string, (controller: AbortController) => Partial<ClientOptions>]>([
  [
    'before the call',
    (controller) => {
      controller.abort()
      return {}
    },
  ],
  [
    'while the API key is awaited',
    (controller) => ({
      apiKey: () => {
        controller.abort()
        return new Promise<string>(() => {})
      },
    }),
  ],
])('the client publishes no attempt if the call is aborted %s', async (_, optionsFor) => {
  const { client, body, finishedSpans, counts, messages } = start()
  const controller = new AbortController()
  const aborting = client.withOptions(optionsFor(controller))

  const error = await failureOf(aborting.payments.create(body, { signal: controller.signal }))

  expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not_sent', attempts: [] })
  expect(messages.map(({ message }) => message)).toEqual(['call start', 'call error', 'call asyncEnd'])
  expect(messages.at(-1)).toMatchObject({ outcome: 'not_sent', error })
  expect(finishedSpans()).toMatchObject([{ events: [] }])
  expect(Object.keys(await counts())).toEqual(['payments.client.call.duration not_sent ERR_ABORTED'])
})

it('the client reports no failure when a loop ends and aborts the next request', async () => {
  const telemetry = startTelemetry()
  const { finishedSpans, messages, lines, logger } = telemetry
  const onResult = vi.fn()
  const pending = () => new Promise<Response>(() => {})
  const { client, requests } = aClient([page('a b', 'two'), pending], { logger, logLevel: 'info', hooks: { onResult } })

  for await (const _payment of client.payments.list()) break
  await expect.poll(() => finishedSpans().length).toBe(2)

  expect(requests).toHaveLength(2)
  expect(onResult.mock.calls).toMatchObject([[{ operation: 'payments.list', outcome: 'succeeded' }]])
  expect(finishedSpans().map(({ status, attributes }) => [status.code, attributes['payments.outcome']])).toEqual([
    [SpanStatusCode.UNSET, 'succeeded'],
    [SpanStatusCode.UNSET, undefined],
  ])
  expect(await countsOf(telemetry)).toEqual({
    'payments.client.call.duration 200 succeeded': 1,
    'http.client.request.duration 200': 1,
  })
  expect(messages.map(({ message }) => message).filter((message) => message.endsWith('error'))).toEqual([])
  expect(messages.at(-1)).not.toHaveProperty('outcome')
  expect(lines).toEqual([])
})

it('the webhook handler reports webhooks to channels, spans and metrics', async () => {
  const { finishedSpans, points, messages } = start()
  const secret = 'a secret of at least 16 bytes'
  const handler = createHandler({ secret, on: { 'PAYMENT.STATUS': () => new Promise(setImmediate) } })
  const deliver = (payment: object, signingSecret = secret) => {
    const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment: { id: 'pay_1', ...payment } })
    return handler(
      new Request('https://shop.test/', { method: 'POST', headers: { ...sign(body, signingSecret) }, body }),
    )
  }

  await deliver({ dateUpdated: '2026-01-02T00:00:00Z' })
  await deliver({ dateUpdated: '2026-01-02T00:00:00Z' })
  await deliver({ dateUpdated: '2026-01-01T00:00:00Z' })
  await deliver({}, 'another secret of 16 bytes')
  await Promise.all([deliver({}), deliver({})])

  const spans = finishedSpans().map(({ name, kind, attributes }) => {
    return [name, kind, attributes['payments.delivery'], attributes['payments.stale']]
  })
  expect(spans).toEqual([
    ['webhook PAYMENT.STATUS', SpanKind.CONSUMER, 'handled', false],
    ['webhook PAYMENT.STATUS', SpanKind.CONSUMER, 'duplicate', undefined],
    ['webhook PAYMENT.STATUS', SpanKind.CONSUMER, 'handled', true],
    ['webhook unrecognized', SpanKind.CONSUMER, 'rejected', undefined],
    ['webhook PAYMENT.STATUS', SpanKind.CONSUMER, 'busy', undefined],
    ['webhook PAYMENT.STATUS', SpanKind.CONSUMER, 'handled', false],
  ])
  const attributes = { 'error.type': 'ERR_WEBHOOK_VERIFICATION' }
  expect(finishedSpans()[3]).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes })
  expect((await points()).map(({ name, attributes }) => [name, attributes])).toEqual(
    [
      { 'payments.delivery': 'handled', 'payments.event_type': 'PAYMENT.STATUS', 'payments.stale': false },
      { 'payments.delivery': 'duplicate', 'payments.event_type': 'PAYMENT.STATUS' },
      { 'payments.delivery': 'handled', 'payments.event_type': 'PAYMENT.STATUS', 'payments.stale': true },
      { 'payments.delivery': 'rejected', 'payments.event_type': 'unrecognized' },
      { 'payments.delivery': 'busy', 'payments.event_type': 'PAYMENT.STATUS' },
    ].map((attributes) => ['payments.webhook.deliveries', attributes]),
  )
  const ends = messages.filter(({ message }) => message === 'webhook asyncEnd')
  expect(ends.map(({ eventType, key, delivery, stale }) => ({ eventType, key, delivery, stale }))).toEqual([
    { eventType: 'PAYMENT.STATUS', key: expect.stringMatching(/^[0-9a-f]{64}$/), delivery: 'handled', stale: false },
    { eventType: 'PAYMENT.STATUS', key: ends[0]?.['key'], delivery: 'duplicate', stale: undefined },
    { eventType: 'PAYMENT.STATUS', key: expect.stringMatching(/^[0-9a-f]{64}$/), delivery: 'handled', stale: true },
    { eventType: undefined, key: undefined, delivery: 'rejected', stale: undefined },
    { eventType: 'PAYMENT.STATUS', key: ends[5]?.['key'], delivery: 'busy', stale: undefined },
    { eventType: 'PAYMENT.STATUS', key: expect.stringMatching(/^[0-9a-f]{64}$/), delivery: 'handled', stale: false },
  ])
  expect(ends[3]).toMatchObject({ error: { code: 'ERR_WEBHOOK_VERIFICATION' } })
})
