import { createRequire } from 'node:module'
import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { instrumentPayments } from 'payments-client/opentelemetry'
import { open } from './payments-client.mjs'

export const silent = open

/** Traces calls with `payments-client/opentelemetry`. */
export function instrumented(service) {
  provide()
  instrumentPayments()
  return checked(open(service))
}

/** Traces calls with OpenTelemetry's HTTP instrumentation. */
export function http(service) {
  provide()
  new HttpInstrumentation().enable()
  // Loads `node:http` with `require`, because OpenTelemetry patches modules when they are required.
  createRequire(import.meta.url)('node:http')
  return checked(open(service))
}

let spans = 0

/** Sets up tracing and metrics with exporters that discard all data. */
function provide() {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const exporter = {
    export(finished, done) {
      spans += finished.length
      done({ code: 0 })
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
  const reader = new PeriodicExportingMetricReader({
    exporter: { ...exporter, export: (_, done) => done({ code: 0 }) },
    exportIntervalMillis: 60_000,
  })
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
}

/** Wraps the calls. Throws if a call creates no span, because its measurement would then be too low. */
function checked({ read, create }) {
  const check = (operation) => async (index) => {
    const before = spans
    const amount = await operation(index)
    if (spans === before) throw new Error('The call created no span')
    return amount
  }
  return { read: check(read), create: check(create) }
}
