import assert from 'node:assert/strict'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace'
import { runRecipe } from '../recipe.mjs'
import { apiKey, body, closedUrl, failureOf, newClient, recorded } from '../support.mjs'

/** Starts `payments-client/opentelemetry` and OpenTelemetry's Node SDK with the code block in the guide. */
export default async function start() {
  const exporter = new InMemorySpanExporter()
  const telemetry = {
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    instrumentations: [new HttpInstrumentation()],
    autoDetectResources: false,
  }
  class ConfiguredSdk extends NodeSDK {
    constructor() {
      super(telemetry)
    }
  }
  const modules = { '@opentelemetry/sdk-node': { NodeSDK: ConfiguredSdk } }
  const { stop } = await runRecipe('observability.md', 'new NodeSDK()', { modules })

  async function spansOf(work) {
    exporter.reset()
    await trace.getTracer('shop').startActiveSpan('checkout', (span) => work().finally(() => span.end()))
    return exporter.getFinishedSpans()
  }
  const named = (spans, name) => spans.find((span) => span.name === name)
  const parentOf = (span) => span.parentSpanContext?.spanId

  return {
    async spans() {
      const client = await newClient('/retry')
      const spans = await spansOf(() => client.payments.capture('pay_1', { amount: 100 }))
      const call = named(spans, 'payments.capture')
      assert.equal(call.kind, SpanKind.CLIENT)
      assert.equal(parentOf(call), named(spans, 'checkout').spanContext().spanId)
      assert.equal(call.attributes['http.request.resend_count'], 1)
      assert.deepEqual(
        call.events.map(({ name, attributes }) => [name, attributes['http.response.status_code']]),
        [
          ['payments.attempt', 503],
          ['payments.attempt', 200],
        ],
      )
      const requests = spans.filter((span) => span.kind === SpanKind.CLIENT && span !== call)
      assert.deepEqual(
        requests.map(parentOf),
        [1, 2].map(() => call.spanContext().spanId),
      )
      assert.equal((await recorded('/retry')).length, 2)
    },
    async failure() {
      const client = await newClient('', { baseUrl: closedUrl, maxRetries: 0 })
      const spans = await spansOf(() => failureOf(client.payments.create(body)))
      const call = named(spans, 'payments.create')
      assert.equal(call.status.code, SpanStatusCode.ERROR)
      assert.deepEqual(
        [call.attributes['error.type'], call.attributes['payments.outcome']],
        ['ERR_CONNECTION', 'not_sent'],
      )
    },
    async secrets() {
      const printed = JSON.stringify(
        exporter.getFinishedSpans().map(({ name, attributes, events }) => ({ name, attributes, events })),
      )
      assert.ok(!printed.includes(apiKey), 'A span contains the API key')
      stop()
      assert.equal((await spansOf(async () => (await newClient('/ok')).payments.get('pay_1'))).length, 2)
    },
  }
}
