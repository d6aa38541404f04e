import {
  type Attributes,
  type Context,
  context,
  type MeterProvider,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import {
  type AttemptTrace,
  attemptChannel,
  type CallTrace,
  callChannel,
  type TracingChannel,
  type WebhookTrace,
  webhookChannel,
} from '../internal/channels.js'
import { version } from '../version.js'

/** Options of `instrumentPayments`. */
export interface InstrumentationOptions {
  /** Creates the spans. @default the global tracer provider */
  tracerProvider?: TracerProvider
  /** Creates the metrics. @default the global meter provider */
  meterProvider?: MeterProvider
  /** Adds trace headers (`traceparent`) to the requests to the service. @default false */
  propagate?: boolean
}

/**
 * Creates spans and metrics for every call of every client in this process, and for every webhook.
 *
 * - One span per call (`payments.capture`, kind CLIENT) with one event `payments.attempt` per attempt. The span is active
 *   while the call runs, so that spans of the HTTP instrumentation become its children.
 * - One span per webhook (`webhook PAYMENT.STATUS`, kind CONSUMER), active while your function runs.
 * - Metrics: `http.client.request.duration`, `payments.client.call.duration`, `payments.client.retries`,
 *   `payments.webhook.deliveries`.
 *
 * No span and no metric contains a token, a key, an amount or the id of a customer.
 *
 * @param options Providers, and whether to send trace headers.
 * @returns A function that stops the instrumentation.
 * @example
 * const stop = instrumentPayments()
 */
export function instrumentPayments(options: InstrumentationOptions = {}): () => void {
  const { tracerProvider = trace, meterProvider = metrics, propagate = false } = options
  const tracer = tracerProvider.getTracer('payments-client', version)
  const meter = meterProvider.getMeter('payments-client', version)
  const requestDuration = meter.createHistogram('http.client.request.duration', {
    description: 'Duration of one attempt',
    unit: 's',
  })
  const callDuration = meter.createHistogram('payments.client.call.duration', {
    description: 'Duration of a call with all of its attempts and waits',
    unit: 's',
  })
  const retries = meter.createCounter('payments.client.retries', { description: 'Attempts after the first', unit: '1' })
  const deliveries = meter.createCounter('payments.webhook.deliveries', {
    description: 'Deliveries that were received, by result',
    unit: '1',
  })
  const callSpans = new WeakMap<object, Span>()

  const stops = [
    spanPer(callChannel(), {
      start(call: CallTrace) {
        const attributes = { ...callAttributes(call), 'payments.call_id': call.callId }
        const span = tracer.startSpan(call.operation, { kind: SpanKind.CLIENT, attributes })
        callSpans.set(call, span)
        return span
      },
      end(span, call) {
        const attributes = resultAttributes(call)
        const resends = (call.attempts ?? 1) - 1
        span.setAttributes(resends > 0 ? { ...attributes, 'http.request.resend_count': resends } : attributes)
        callDuration.record((call.durationMs ?? 0) / 1_000, { ...callAttributes(call), ...attributes })
      },
    }),
    subscribe(attemptChannel(), {
      start(attempt: AttemptTrace) {
        const span = callSpans.get(attempt.call)
        if (attempt.attempt > 1) retries.add(1, callAttributes(attempt.call))
        if (propagate && span) {
          propagation.inject(trace.setSpan(context.active(), span), attempt.headers, {
            set: (headers, name, value) => headers.set(name, value),
          })
        }
      },
      asyncEnd(attempt) {
        const attributes = attemptAttributes(attempt)
        callSpans.get(attempt.call)?.addEvent('payments.attempt', {
          'payments.attempt.number': attempt.attempt,
          'payments.attempt.duration': (attempt.durationMs ?? 0) / 1_000,
          ...attributes,
        })
        const seconds = (attempt.durationMs ?? 0) / 1_000
        requestDuration.record(seconds, { ...callAttributes(attempt.call), ...attributes })
      },
    }),
    spanPer(webhookChannel(), {
      start: () => tracer.startSpan('webhook', { kind: SpanKind.CONSUMER }),
      end(span, webhook: WebhookTrace) {
        const { eventType = 'unknown', delivery = 'failed', stale } = webhook
        const attributes: Attributes = { 'payments.event_type': eventType, 'payments.delivery': delivery }
        span.updateName(`webhook ${eventType}`)
        span.setAttributes(stale === undefined ? attributes : { ...attributes, 'payments.stale': stale })
        deliveries.add(1, attributes)
      },
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

function callAttributes({ operation, method, path, serverAddress, serverPort }: CallTrace): Attributes {
  return {
    'payments.operation': operation,
    'http.request.method': method,
    'url.template': path,
    'server.address': serverAddress,
    'server.port': serverPort,
  }
}

function resultAttributes({ outcome, status, error }: CallTrace): Attributes {
  return { 'payments.outcome': outcome, ...statusAttributes(status), ...errorAttributes(error) }
}

function attemptAttributes({ status, errorCode }: AttemptTrace): Attributes {
  return { ...statusAttributes(status), ...(errorCode === undefined ? undefined : { 'error.type': errorCode }) }
}

function statusAttributes(status: number | undefined): Attributes {
  return status === undefined ? {} : { 'http.response.status_code': status }
}

/** The code of our errors, else the name of the class: messages could contain data. */
function errorAttributes(error: unknown): Attributes {
  if (error === undefined) return {}
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return { 'error.type': typeof code === 'string' ? code : String(name ?? 'Error') }
}

interface SpanLifecycle<Trace> {
  start(trace: Trace): Span
  end(span: Span, trace: Trace): void
}

/** Creates a span for each operation of a channel, active while the operation runs. */
function spanPer<Trace extends { readonly error?: unknown }>(
  channel: TracingChannel<Trace> | undefined,
  { start, end }: SpanLifecycle<Trace>,
): () => void {
  const spans = new WeakMap<Trace, Span>()
  // A channel runs the operation by `run` of the store: here, with the span in OpenTelemetry's own context.
  const store = { run: (active: Context, operation: () => unknown) => context.with(active, operation) }
  channel?.start.bindStore(store as never, (operation) => {
    const span = start(operation as Trace)
    spans.set(operation as Trace, span)
    return trace.setSpan(context.active(), span) as never
  })
  const stop = subscribe(channel, {
    asyncEnd(operation) {
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
  return () => {
    channel?.start.unbindStore(store as never)
    stop()
  }
}

type Subscribers<Trace> = { start?: (trace: Trace) => void; asyncEnd: (trace: Trace) => void }

function subscribe<Trace extends object>(
  channel: TracingChannel<Trace> | undefined,
  { start, asyncEnd }: Subscribers<Trace>,
): () => void {
  const begin = (message: unknown) => start?.(message as Trace)
  const finish = (message: unknown) => asyncEnd(message as Trace)
  channel?.start.subscribe(begin)
  channel?.asyncEnd.subscribe(finish)
  return () => {
    channel?.start.unsubscribe(begin)
    channel?.asyncEnd.unsubscribe(finish)
  }
}
