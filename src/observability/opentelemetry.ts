import {
  type Attributes,
  context,
  type MeterProvider,
  metrics,
  type ObservableResult,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import {
  type CountableJournal,
  type CountableOrders,
  journalKey,
  type OperationTrace,
  type OrdersTrace,
  ordersKey,
  runInside,
  subscribe,
  tracingChannel,
  type WebhookTrace,
} from '../core/internal/channels.js'
import { boolean, optionsOf, requireOptions, withMethods } from '../core/internal/validation.js'
import { eventTypes } from '../core/schemas/known-values.js'
import { version } from '../core/version.js'

/** Options for `instrumentPayments`. */
export interface InstrumentationOptions {
  /** Creates the spans. @default the global tracer provider */
  tracerProvider?: TracerProvider
  /** Creates the metrics. @default the global meter provider */
  meterProvider?: MeterProvider
  /** Adds trace headers (`traceparent`) to the requests to the service. @default false */
  propagate?: boolean
}

const schema = optionsOf<InstrumentationOptions>({
  tracerProvider: withMethods('getTracer'),
  meterProvider: withMethods('getMeter'),
  propagate: boolean,
})

/**
 * Creates spans and metrics for every call of every client in this process, for every webhook, and for the operations
 * in journals.
 *
 * - One span per call (`payments.capture`, kind CLIENT) with one event `payments.attempt` per attempt. The span is
 *   active while the call runs, so spans of the HTTP instrumentation become its children.
 * - One span per webhook (`webhook PAYMENT.STATUS`, kind CONSUMER), active while your function runs.
 * - One span per operation that `operations.run` or `operations.recover` executes (`recover payments.capture`, kind
 *   INTERNAL), active while it runs.
 * - Metrics: `http.client.request.duration`, `payments.client.call.duration`, `payments.client.retries`,
 *   `payments.webhook.deliveries`, `payments.client.operations.settled`, `payments.client.operations.open`,
 *   `payments.client.orders.synced`, `payments.client.orders.review`. The gauges count the open operations in each
 *   journal, and the orders that need a review, when the metrics are exported.
 *
 * Spans and metrics never contain a token, an API key, an idempotency key, an amount or a customer ID.
 *
 * @param options Providers, and whether to send trace headers.
 * @returns A function that stops the instrumentation.
 * @throws {ConfigurationError} An option is unknown or invalid.
 * @example
 * const stop = instrumentPayments()
 */
export function instrumentPayments(options: InstrumentationOptions = {}): () => void {
  const given = requireOptions(options, schema)
  const { tracerProvider = trace, meterProvider, propagate = false } = given
  const tracer = tracerProvider.getTracer('payments-client', version)
  let created: (Instruments & { provider: MeterProvider }) | undefined
  // Creates the instruments again when the meter provider changes, because instruments that were created before the
  // application set the global provider never record anything.
  const instruments = () => {
    const provider = meterProvider ?? metrics.getMeterProvider()
    if (created?.provider !== provider) {
      created?.open.removeCallback(countOpen)
      created?.review.removeCallback(countReviews)
      created = { provider, ...createInstruments(provider) }
      created.open.addCallback(countOpen)
      created.review.addCallback(countReviews)
    }
    return created
  }
  /** The journals that operations have used, keyed by the name of their table. */
  const journals = new Map<string, CountableJournal>()
  async function countOpen(result: ObservableResult): Promise<void> {
    const totals = new Map<string, number>()
    for (const counts of await Promise.all([...journals.values()].map((journal) => journal.countOpen()))) {
      for (const [state, count] of Object.entries(counts)) totals.set(state, (totals.get(state) ?? 0) + count)
    }
    for (const [state, total] of totals) result.observe(total, { 'payments.state': state })
  }
  /** The orders that `recover` and `sync` have used. */
  const shops: CountableOrders[] = []
  async function countReviews(result: ObservableResult): Promise<void> {
    const counts = await Promise.all(shops.map((orders) => orders.countReviews()))
    if (counts.length > 0) result.observe(counts.reduce((total, count) => total + count, 0))
  }
  const stops = [
    ...subscribeCalls(tracer, instruments, propagate),
    ...subscribeOperations(tracer, instruments, journals),
    subscribe<OrdersTrace>(tracingChannel('orders'), {
      start({ [ordersKey]: orders }) {
        const isKnown = shops.some(({ database, name }) => database === orders?.database && name === orders.name)
        if (orders && !isKnown) shops.push(orders)
        instruments()
      },
      end: ({ changed }) => void (changed && instruments().synced.add(changed)),
    }),
    spanPer<WebhookTrace>('webhook', {
      start: () => tracer.startSpan('webhook', { kind: SpanKind.CONSUMER }),
      end(span, { eventType = '', delivery = 'failed', stale }) {
        const type = knownTypes.has(eventType) ? eventType : 'unrecognized'
        const attributes: Attributes = { 'payments.event_type': type, 'payments.delivery': delivery }
        if (stale !== undefined) attributes['payments.stale'] = stale
        span.updateName(`webhook ${type}`)
        span.setAttributes(attributes)
        instruments().deliveries.add(1, attributes)
      },
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    created?.open.removeCallback(countOpen)
    created?.review.removeCallback(countReviews)
  }
}

/** Creates the spans and metrics of calls and their attempts. */
function subscribeCalls(tracer: Tracer, instruments: () => Instruments, propagate: boolean): (() => void)[] {
  const calls = new Map<string, { span: Span; operation: string; sent: number }>()
  return [
    spanPer<CallTrace>('call', {
      start(call) {
        const attributes = { ...callAttributes(call), 'payments.call_id': call.callId }
        const span = tracer.startSpan(call.operation, { kind: SpanKind.CLIENT, attributes })
        calls.set(call.callId, { span, operation: call.operation, sent: 0 })
        return span
      },
      end(span, call) {
        const { sent = 0 } = calls.get(call.callId) ?? {}
        calls.delete(call.callId)
        const { outcome, durationMs = 0 } = call
        // Ignores a call that ended because the caller stopped iterating over a list.
        if (outcome === undefined) return
        const result = { 'payments.outcome': outcome, ...resultAttributes(call) }
        span.setAttributes(sent > 1 ? { ...result, 'http.request.resend_count': sent - 1 } : result)
        instruments().callDuration.record(durationMs / 1_000, { ...callAttributes(call), ...result })
      },
    }),
    subscribe<AttemptTrace>(tracingChannel('attempt'), {
      start(attempt) {
        const call = calls.get(attempt.callId)
        if (propagate && call) {
          propagation.inject(trace.setSpan(context.active(), call.span), attempt.headers, {
            set: (headers, name, value) => headers.set(name, value),
          })
        }
      },
      end(attempt) {
        const call = calls.get(attempt.callId)
        const isSent = attempt.durationMs !== undefined
        // Does not count a request that fetches the payment after a key conflict.
        if (isSent && call?.operation === attempt.operation && ++call.sent > 1) {
          instruments().retries.add(1, callAttributes(attempt))
        }
        if (attempt.status === undefined && attempt.error === undefined) return
        const seconds = (attempt.durationMs ?? 0) / 1_000
        const result = resultAttributes(attempt)
        call?.span.addEvent('payments.attempt', {
          'payments.attempt.number': attempt.attempt,
          'payments.attempt.duration': seconds,
          ...result,
        })
        instruments().requestDuration.record(seconds, { ...callAttributes(attempt), ...result })
      },
    }),
  ]
}

/**
 * Counts the operations in journals and creates their spans. Adds each journal that an operation uses to `journals`.
 */
function subscribeOperations(
  tracer: Tracer,
  instruments: () => Instruments,
  journals: Map<string, CountableJournal>,
): (() => void)[] {
  return [
    subscribe<OperationTrace>(tracingChannel('operation'), {
      start({ [journalKey]: journal }) {
        if (journal) journals.set(journal.name, journal)
        // Creates the gauge of open operations now, so that it exists before the first operation is finished.
        instruments()
      },
      end({ operation, state, isFinal }) {
        if (isFinal) instruments().settled.add(1, { 'payments.operation': operation, 'payments.state': state })
      },
    }),
    spanPer<OperationTrace>('operation', {
      // Starts no span for a direct client call, which already has one.
      start: ({ operation, by }) => (by === 'call' ? undefined : tracer.startSpan(`${by} ${operation}`)),
      end(span, { operation, state }) {
        span.setAttributes({ 'payments.operation': operation, 'payments.state': state })
      },
    }),
  ]
}

type Instruments = ReturnType<typeof createInstruments>

function createInstruments(provider: MeterProvider) {
  const meter = provider.getMeter('payments-client', version)
  return {
    requestDuration: meter.createHistogram('http.client.request.duration', {
      description: 'Duration of one attempt',
      unit: 's',
      advice: { explicitBucketBoundaries: requestBuckets },
    }),
    callDuration: meter.createHistogram('payments.client.call.duration', {
      description: 'Duration of a call with all of its attempts and waits',
      unit: 's',
      advice: { explicitBucketBoundaries: [...requestBuckets, 30, 60, 120] },
    }),
    retries: meter.createCounter('payments.client.retries', { description: 'Number of retries', unit: '1' }),
    deliveries: meter.createCounter('payments.webhook.deliveries', {
      description: 'Webhook deliveries, by result',
      unit: '1',
    }),
    settled: meter.createCounter('payments.client.operations.settled', {
      description: 'Operations in the journal that were finished, by final state',
      unit: '{operation}',
    }),
    open: meter.createObservableGauge('payments.client.operations.open', {
      description: 'Operations in the journal that are not finished',
      // With the unit 1, some exporters would add `ratio` to the name.
      unit: '{operation}',
    }),
    synced: meter.createCounter('payments.client.orders.synced', {
      description: 'Payments of orders that sync found changed, because their webhooks were lost',
      unit: '{payment}',
    }),
    review: meter.createObservableGauge('payments.client.orders.review', {
      description: 'Orders that need a review',
      unit: '{order}',
    }),
  }
}

/** Histogram boundaries in seconds, as the semantic conventions require. The defaults are in milliseconds. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/**
 * The event types to record in metrics. Other types are not recorded, because the sender can choose any string, which
 * may contain data and create an unlimited number of metrics.
 */
const knownTypes: ReadonlySet<string> = new Set(eventTypes)

interface RequestTrace {
  readonly callId: string
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly serverAddress: string
  readonly serverPort: number
  status?: number
  durationMs?: number
  error?: unknown
}

interface CallTrace extends RequestTrace {
  outcome?: string
}

interface AttemptTrace extends RequestTrace {
  readonly attempt: number
  readonly headers: Headers
}

function callAttributes({ operation, method, path, serverAddress, serverPort }: RequestTrace): Attributes {
  return {
    'payments.operation': operation,
    'http.request.method': method,
    // If the arguments of `client.request` are rejected, its path is empty.
    ...(path && { 'url.template': path }),
    'server.address': serverAddress,
    'server.port': serverPort,
  }
}

function resultAttributes({ status, error }: RequestTrace): Attributes {
  return { ...(status === undefined ? undefined : { 'http.response.status_code': status }), ...errorAttributes(error) }
}

/**
 * Returns the `code` of a `PaymentsError`, or the class name of another error. Messages are omitted, because they may
 * contain data.
 */
function errorAttributes(error: unknown): Attributes {
  if (error === undefined) return {}
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return { 'error.type': typeof code === 'string' ? code : String(name ?? 'Error') }
}

interface SpanLifecycle<Trace> {
  start(trace: Trace): Span | undefined
  end(span: Span, trace: Trace): void
}

/**
 * Creates a span for each trace on a diagnostics channel, unless `start` returns undefined. The span is active until
 * the trace ends.
 */
function spanPer<Trace extends { readonly error?: unknown }>(
  name: 'call' | 'operation' | 'webhook',
  { start, end }: SpanLifecycle<Trace>,
): () => void {
  const spans = new WeakMap<Trace, Span>()
  return subscribe<Trace>(tracingChannel(name), {
    start(operation) {
      const span = start(operation)
      if (span === undefined) return
      spans.set(operation, span)
      const active = trace.setSpan(context.active(), span)
      runInside(operation, (work) => context.with(active, work))
    },
    end(operation) {
      const span = spans.get(operation)
      if (span === undefined) return
      end(span, operation)
      if (operation.error !== undefined) {
        span.setAttributes(errorAttributes(operation.error))
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  })
}
