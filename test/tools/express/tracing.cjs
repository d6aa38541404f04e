/** Starts OpenTelemetry. The shop loads this file before its application, as OpenTelemetry recommends. */
const { getNodeAutoInstrumentations } = require('@opentelemetry/auto-instrumentations-node')
const { NodeSDK } = require('@opentelemetry/sdk-node')
const { InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace')

const exporter = new InMemorySpanExporter()
new NodeSDK({
  serviceName: 'shop',
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
  instrumentations: [getNodeAutoInstrumentations()],
  autoDetectResources: false,
}).start()

globalThis.finishedSpans = () => exporter.getFinishedSpans()
