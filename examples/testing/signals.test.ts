// Tests of logs and spans: check the data that your operators receive.
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { PaymentsClient } from 'payments-client'
import { instrumentPayments } from 'payments-client/opentelemetry'
import { createSandbox } from 'payments-client/sandbox'
import { afterEach, expect, it, vi } from 'vitest'
import { pay } from './shop.js'

const exporter = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const stop = instrumentPayments({ tracerProvider })
afterEach(() => stop())

it('logs and traces a payment whose response was lost', async () => {
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const sandbox = createSandbox()
  const client = new PaymentsClient(sandbox.clientOptions({ logger, maxRetries: 0 }))
  sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })

  const verdict = await pay(client, { id: 'order-1', amount: 5000, paymentMethodToken: sandbox.tokens.card })

  expect(verdict).toBe('unclear')
  expect(logger.error).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('failed, outcome unknown'),
    expect.objectContaining({ operation: 'payments.create', outcome: 'unknown' }),
  )
  const [span] = exporter.getFinishedSpans()
  expect(span).toMatchObject({ name: 'payments.create', attributes: { 'payments.outcome': 'unknown' } })
  expect(logger.error.mock.lastCall?.[0]).toContain(span?.attributes['payments.call_id'])
})
