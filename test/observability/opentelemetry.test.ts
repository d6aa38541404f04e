import {
  context,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { PaymentsClient } from 'payments-client'
import { instrumentPayments } from 'payments-client/opentelemetry'
import { createSandbox } from 'payments-client/sandbox'
import { createHandler, sign } from 'payments-client/webhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

const spans = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => context.disable())
beforeEach(() => spans.reset())

/** Starts the instrumentation, and stops it after the test. */
function instrument({ propagate = false } = {}) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const stop = instrumentPayments({ tracerProvider, meterProvider, propagate })
  onTestFinished(async () => {
    stop()
    await meterProvider.shutdown()
  })
  async function metric(name: string) {
    await reader.forceFlush()
    const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    return all.findLast(({ descriptor }) => descriptor.name === name)?.dataPoints
  }
  return { stop, metric }
}

function startSandbox() {
  const sandbox = createSandbox({ idempotency: 'conflict' })
  return { sandbox, client: new PaymentsClient(sandbox.clientOptions()) }
}

const tokenOf = (sandbox: ReturnType<typeof createSandbox>) => ({
  paymentMethodToken: sandbox.tokens.card,
  orderId: 'order-1',
  currencyCode: 'EUR',
  amount: 987654321,
  customerId: 'customer-77',
})

describe('instrumentPayments', () => {
  it('records metrics with a global meter provider that is set later', async () => {
    onTestFinished(instrumentPayments())
    const { sandbox, client } = startSandbox()
    await client.payments.create(tokenOf(sandbox))
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 })
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
    onTestFinished(() => metrics.disable())

    await client.payments.list()
    await reader.forceFlush()
    await reader.shutdown()

    const recorded = exporter.getMetrics()[0]?.scopeMetrics[0]?.metrics ?? []
    expect(recorded.map(({ dataPoints }) => dataPoints[0]?.attributes['payments.operation'])).toEqual([
      'payments.list',
      'payments.list',
    ])
  })
})

describe('the spans of two instrumentations', () => {
  it('include one span from each instrumentation, and one of them is active while the call runs', async () => {
    instrument()
    instrument()
    const active: unknown[] = []
    const fetch = async () => {
      active.push(trace.getActiveSpan()?.spanContext().spanId)
      return Response.json({ id: 'pay_1' })
    }
    const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.test', fetch })

    await client.payments.get('pay_1')

    const finished = spans.getFinishedSpans().map((span) => span.spanContext().spanId)
    expect(finished).toHaveLength(2)
    expect(finished).toContain(active[0])
  })
})

describe('the OpenTelemetry span of a call', () => {
  it('contains the operation, the outcome and the number of attempts', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { metric } = instrument()
    const { sandbox, client } = startSandbox()
    sandbox.faults.add({ operation: 'payments.create', at: 'before', status: 503, times: 2 })

    const { response } = await client.payments.create(tokenOf(sandbox)).withResponse()

    const [span] = spans.getFinishedSpans()
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
    expect(await metric('payments.client.retries')).toMatchObject([{ value: 2 }])
    expect(await metric('payments.client.call.duration')).toMatchObject([{ value: { count: 1 } }])
    const requests = await metric('http.client.request.duration')
    expect(
      requests?.map(({ attributes, value }) => [attributes['http.response.status_code'], Object(value).count]),
    ).toEqual([
      [503, 2],
      [200, 1],
    ])
  })

  it('has the outcome succeeded if the payment was retrieved after a conflict', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    instrument()
    const { sandbox, client } = startSandbox()
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })

    const { response } = await client.payments.create(tokenOf(sandbox)).withResponse()

    expect(response.recovered).toBe(true)
    expect(spans.getFinishedSpans().at(-1)?.attributes).toMatchObject({ 'payments.outcome': 'succeeded' })
  })

  it('has no error status if the payment was declined', async () => {
    instrument()
    const { sandbox, client } = startSandbox()

    await client.payments.create({ ...tokenOf(sandbox), paymentMethodToken: sandbox.tokens.declined })

    expect(spans.getFinishedSpans()[0]?.status.code).toBe(SpanStatusCode.UNSET)
  })

  it.each([
    ['a rejected call', async (client: PaymentsClient) => client.payments.get('missing'), 'ERR_API', 'rejected'],
    [
      'an aborted call',
      async (client: PaymentsClient) => client.payments.get('pay_1', { signal: AbortSignal.abort() }),
      'ERR_ABORTED',
      'not_sent',
    ],
  ])('has an error status for %s', async (_, call, code, outcome) => {
    instrument()
    const { client } = startSandbox()

    await expect(call(client)).rejects.toMatchObject({ code })

    expect(spans.getFinishedSpans()).toMatchObject([
      { status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': code, 'payments.outcome': outcome } },
    ])
  })

  it('N41 is the active span while the call runs', async () => {
    instrument()
    const { sandbox } = startSandbox()
    const active: unknown[] = []
    const client = new PaymentsClient(
      sandbox.clientOptions({
        fetch: (url: string, init: RequestInit) => {
          active.push(trace.getActiveSpan()?.spanContext().spanId)
          return sandbox.fetch(url, init)
        },
      }),
    )

    await client.payments.create(tokenOf(sandbox))

    expect(active).toEqual([spans.getFinishedSpans()[0]?.spanContext().spanId])
    expect(trace.getActiveSpan()).toBeUndefined()
  })

  it('contains no token, amount, API key or customer id', async () => {
    const { metric } = instrument()
    const { sandbox, client } = startSandbox()
    const { id } = await client.payments.create(tokenOf(sandbox), { idempotencyKey: 'canary-key' })
    await client.payments.list({ customerId: 'customer-77' })
    await client.payments.get(id)

    const printed = JSON.stringify([
      spans.getFinishedSpans().map(({ name, attributes, events }) => ({ name, attributes, events })),
      await metric('payments.client.call.duration'),
      await metric('http.client.request.duration'),
    ])

    for (const secret of [sandbox.apiKey, sandbox.tokens.card, 'customer-77', 'canary-key', '987654321']) {
      expect(printed).not.toContain(secret)
    }
  })

  it('is no longer created after the instrumentation stops', async () => {
    const { stop } = instrument()
    const { sandbox, client } = startSandbox()
    stop()

    await client.payments.create(tokenOf(sandbox))

    expect(spans.getFinishedSpans()).toEqual([])
  })
})

describe('the `propagate` option', () => {
  const propagator: TextMapPropagator = {
    inject: (active, carrier, setter) => {
      const spanId = trace.getSpan(active)?.spanContext().spanId ?? ''
      setter.set(carrier, 'traceparent', `00-0af7651916cd43dd8448eb211c80319c-${spanId}-01`)
    },
    extract: (active) => active,
    fields: () => ['traceparent'],
  }

  it.each([
    [true, 1],
    [false, 0],
  ])('with the value %s adds this number of trace headers to each request: %d', async (propagate, count) => {
    propagation.setGlobalPropagator(propagator)
    onTestFinished(() => propagation.disable())
    instrument({ propagate })
    const { sandbox } = startSandbox()
    const sent: string[] = []
    const client = new PaymentsClient(
      sandbox.clientOptions({
        fetch: (url: string, init: RequestInit) => {
          const header = new Headers(init.headers).get('traceparent')
          if (header) sent.push(header)
          return sandbox.fetch(url, init)
        },
      }),
    )

    await client.payments.create(tokenOf(sandbox))

    expect(sent).toHaveLength(count)
  })
})

describe('the OpenTelemetry span of a webhook', () => {
  const secret = 'a secret of at least 16 bytes'

  async function deliver(handler: (request: Request) => Promise<Response>, body: string, signed = body) {
    const headers = { ...sign(signed, secret) }
    return handler(new Request('https://shop.test/webhooks', { method: 'POST', headers, body }))
  }

  it('N41 contains the event type, the result, and whether the event is stale', async () => {
    const { metric } = instrument()
    const active: unknown[] = []
    const handler = createHandler({
      secret,
      on: { 'PAYMENT.STATUS': () => void active.push(trace.getActiveSpan()?.spanContext().spanId) },
    })
    const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment: { id: 'pay_1' } })

    await deliver(handler, body)
    await deliver(handler, body)
    await deliver(handler, `${body} `, body)

    const finished = spans.getFinishedSpans()
    expect(finished.map(({ name, attributes }) => [name, attributes['payments.delivery']])).toEqual([
      ['webhook PAYMENT.STATUS', 'handled'],
      ['webhook PAYMENT.STATUS', 'duplicate'],
      ['webhook unrecognized', 'rejected'],
    ])
    expect(finished[0]).toMatchObject({ kind: SpanKind.CONSUMER, attributes: { 'payments.stale': false } })
    expect(finished[2]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'ERR_WEBHOOK_VERIFICATION' },
    })
    expect(active).toEqual([finished[0]?.spanContext().spanId])
    const counted = await metric('payments.webhook.deliveries')
    expect(counted?.map(({ attributes, value }) => [attributes['payments.delivery'], value])).toEqual([
      ['handled', 1],
      ['duplicate', 1],
      ['rejected', 1],
    ])
  })
})
