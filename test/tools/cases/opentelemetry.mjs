import assert from 'node:assert/strict'
import { SpanKind, trace } from '@opentelemetry/api'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace'
import { wireCases } from '../support.mjs'

/** @param transport `http` for requests over node:http, `undici` for requests over fetch. */
export default function start(transport) {
  const exporter = new InMemorySpanExporter()
  new NodeSDK({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    instrumentations: [new HttpInstrumentation(), new UndiciInstrumentation()],
    autoDetectResources: false,
  }).start()
  const tracer = trace.getTracer('shop')
  const within = (work) => tracer.startActiveSpan('checkout', (span) => work().finally(() => span.end()))
  const client = transport === 'undici' ? { fetch: (url, init) => fetch(url, init) } : {}
  return {
    ...wireCases({ within, trace: ['traceparent'], client }),
    async spans() {
      const spans = exporter.getFinishedSpans()
      const roots = new Set(spans.filter(({ name }) => name === 'checkout').map((span) => span.spanContext().traceId))
      const requests = spans.filter(({ kind }) => kind === SpanKind.CLIENT)
      // One get, one create, two captures with a retry each, one session, and one refused connection.
      assert.equal(requests.length, 8)
      for (const span of requests) assert.ok(roots.has(span.spanContext().traceId), 'A span is not part of the trace')
    },
  }
}
