import { tracingChannel } from 'node:diagnostics_channel'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'payments-client'
import { instrumentPayments } from 'payments-client/opentelemetry'
import { onTestFinished } from 'vitest'

/** Collects spans, metrics, diagnostics channel messages and log lines until the end of the test. */
export function startTelemetry({ propagate = false } = {}) {
  const spans = new InMemorySpanExporter()
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 31 - 1 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const stop = instrumentPayments({ tracerProvider, meterProvider, propagate })

  const messages: (Record<string, unknown> & { message: string })[] = []
  const subscriptions = ['call', 'attempt', 'operation', 'webhook', 'orders'].map((name) => {
    const publish = (event: string) => (context: object) =>
      void messages.push({ ...context, message: `${name} ${event}` })
    const channel = tracingChannel(`payments-client:${name}`)
    const subscribers = { start: publish('start'), asyncEnd: publish('asyncEnd'), error: publish('error') } as never
    channel.subscribe(subscribers)
    return () => channel.unsubscribe(subscribers)
  })

  const lines: string[] = []
  const levels = ['debug', 'info', 'warn', 'error'] as const
  const logger = Object.fromEntries(
    levels.map((level) => [level, (line: string) => void lines.push(`${level} ${line}`)]),
  ) as unknown as Logger

  onTestFinished(async () => {
    stop()
    for (const unsubscribe of subscriptions) unsubscribe()
    await meterProvider.shutdown()
  })

  return {
    stop,
    messages,
    lines,
    logger,
    finishedSpans: () => spans.getFinishedSpans(),
    /** Returns the data points of all metrics, each with its metric's name. */
    async points() {
      await reader.forceFlush()
      const latest = exporter.getMetrics().at(-1)
      return (latest?.scopeMetrics ?? []).flatMap(({ metrics }) =>
        metrics.flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({
            name: descriptor.name,
            attributes,
            value: typeof value === 'number' ? value : Number(Object(value).count),
          })),
        ),
      )
    },
  }
}
