import tracer from 'dd-trace'
import { wireCases } from '../support.mjs'

export default function start() {
  tracer.init({ service: 'shop', startupLogs: false, runtimeMetrics: false })
  return wireCases({
    within: (work) => tracer.trace('checkout', work),
    trace: ['x-datadog-trace-id', 'x-datadog-parent-id'],
    added: ['traceparent', 'tracestate', 'x-datadog-sampling-priority', 'x-datadog-tags', 'baggage'],
    replacesFetch: true,
  })
}
