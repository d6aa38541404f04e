import { context, metrics, propagation, SpanStatusCode, type TextMapPropagator, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { type ClientOptions, ConfigurationError, PaymentsClient } from 'payments-client'
import { instrumentPayments } from 'payments-client/opentelemetry'
import { createSandbox } from 'payments-client/sandbox'
import { createHandler, sign } from 'payments-client/webhooks'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTelemetry } from '../support/telemetry.js'

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})
afterAll(() => context.disable())

/** Starts a sandbox and a client. `activeSpans` contains the id of the active span at each request. */
function start(options: ClientOptions = {}) {
  const sandbox = createSandbox()
  const activeSpans: unknown[] = []
  const fetch = (url: string, init: RequestInit) => {
    activeSpans.push(activeSpanId())
    return sandbox.fetch(url, init)
  }
  const client = new PaymentsClient(sandbox.clientOptions({ fetch, ...options }))
  const body = { paymentMethodToken: sandbox.tokens.card, orderId: 'order-1', currencyCode: 'EUR', amount: 987654321 }
  return { sandbox, client, body, activeSpans }
}

const activeSpanId = () => trace.getActiveSpan()?.spanContext().spanId
const idsOf = ({ finishedSpans }: ReturnType<typeof startTelemetry>) =>
  finishedSpans().map((span) => span.spanContext().spanId)

describe('instrumentPayments', () => {
  it.each([{ propogate: true }, { propagate: 'yes' }, { meterProvider: {} }])('rejects the options %j', (options) => {
    expect(() => instrumentPayments(options as object)).toThrow(ConfigurationError)
  })

  it('records metrics if the global meter provider is set later', async () => {
    onTestFinished(instrumentPayments())
    const { client, body } = start()
    await client.payments.create(body)
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

  it('creates two spans per call after two calls of instrumentPayments', async () => {
    const instrumentations = [startTelemetry(), startTelemetry()]
    const { client, body, activeSpans } = start()

    await client.payments.create(body)

    const ids = instrumentations.map(idsOf)
    expect(ids.map(({ length }) => length)).toEqual([1, 1])
    expect(ids.flat()).toContain(activeSpans[0])
  })

  it('creates no spans after the instrumentation stops', async () => {
    const { stop, finishedSpans } = startTelemetry()
    const { client, body } = start()
    stop()

    await client.payments.create(body)

    expect(finishedSpans()).toEqual([])
  })
})

describe('the OpenTelemetry span of a call', () => {
  it('sets no error status on the span of a declined payment', async () => {
    const { finishedSpans } = startTelemetry()
    const { sandbox, client, body } = start()

    await client.payments.create({ ...body, paymentMethodToken: sandbox.tokens.declined })

    expect(finishedSpans()[0]?.status.code).toBe(SpanStatusCode.UNSET)
  })

  it('does not count the fetch of a payment after a key conflict as a retry', async () => {
    const { finishedSpans, points } = startTelemetry()
    const { sandbox, client, body } = start()
    sandbox.setOptions({ idempotency: 'conflict' })
    sandbox.faults.add({ operation: 'payments.create', at: 'after', status: 503 })

    const { response } = await client.payments.create(body).withResponse()

    expect(response).toMatchObject({ recovered: true, attempts: [{}, {}, {}] })
    expect(finishedSpans()[0]?.attributes['http.request.resend_count']).toBe(1)
    const retries = (await points()).filter(({ name }) => name === 'payments.client.retries')
    expect(retries.map(({ value }) => value)).toEqual([1])
  })

  it('keeps the call’s span active while the call runs', async () => {
    const telemetry = startTelemetry()
    const { client, body, activeSpans } = start()

    await client.payments.create(body)

    expect(activeSpans).toEqual(idsOf(telemetry))
    expect(activeSpanId()).toBeUndefined()
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

  it.each([true, false])('adds trace headers to requests only if `propagate` is true: %s', async (propagate) => {
    propagation.setGlobalPropagator(propagator)
    onTestFinished(() => propagation.disable())
    const telemetry = startTelemetry({ propagate })
    const { sandbox, client, body } = start()
    const sent: (string | null)[] = []
    const fetch = (url: string, init: RequestInit) => {
      sent.push(new Headers(init.headers).get('traceparent'))
      return sandbox.fetch(url, init)
    }

    await client.withOptions({ fetch }).payments.create(body)

    expect(sent).toEqual([propagate ? expect.stringContaining(idsOf(telemetry)[0] ?? '') : null])
  })
})

describe('the OpenTelemetry span of a webhook', () => {
  it('keeps the webhook’s span active while the event function runs', async () => {
    const telemetry = startTelemetry()
    const secret = 'a secret of at least 16 bytes'
    const active: unknown[] = []
    const handler = createHandler({ secret, on: { 'PAYMENT.STATUS': () => void active.push(activeSpanId()) } })
    const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment: { id: 'pay_1' } })

    await handler(new Request('https://shop.test/', { method: 'POST', headers: { ...sign(body, secret) }, body }))

    expect(active).toEqual(idsOf(telemetry))
  })

  it('has the type of a signed event that violates its schema', async () => {
    const { finishedSpans } = startTelemetry()
    const secret = 'a secret of at least 16 bytes'
    const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment: { id: 7 } })

    await createHandler({ secret })(
      new Request('https://shop.test/', { method: 'POST', headers: { ...sign(body, secret) }, body }),
    )

    expect(finishedSpans()[0]).toMatchObject({ name: 'webhook PAYMENT.STATUS', status: { code: SpanStatusCode.ERROR } })
  })
})
