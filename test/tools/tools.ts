/** A tool that runs in a separate process. */
export interface Tool {
  readonly name: string
  /** A module in this folder. Its default export starts the tool and returns the cases. */
  readonly module: string
  /** The argument for the default export, for example a version. */
  readonly argument?: string
  readonly nodeOptions?: string[]
  readonly environment?: (recorderUrl: string) => Record<string, string>
  /** Whether the process trusts the tests' private certificate authority. */
  readonly trusted?: true
  /** Whether the gate includes the tool. */
  readonly quick?: true
}

/** Environment variables that turn off the exporters of OpenTelemetry's Node SDK. */
const openTelemetry = { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }

export const tools: readonly Tool[] = [
  { name: 'none', module: 'cases/none.mjs', quick: true },
  {
    name: 'opentelemetry-http',
    module: 'cases/opentelemetry.mjs',
    argument: 'http',
    environment: () => openTelemetry,
    quick: true,
  },
  {
    name: 'opentelemetry-undici',
    module: 'cases/opentelemetry.mjs',
    argument: 'undici',
    environment: () => openTelemetry,
    quick: true,
  },
  { name: 'opentelemetry', module: 'cases/instrument-payments.mjs', environment: () => openTelemetry, quick: true },
  { name: 'prometheus', module: 'cases/prometheus.mjs', quick: true },
  { name: 'sentry', module: 'cases/sentry.mjs', argument: 'http', quick: true },
  { name: 'sentry-fetch', module: 'cases/sentry.mjs', argument: 'fetch' },
  {
    name: 'newrelic',
    module: 'cases/newrelic.mjs',
    environment: () => ({
      NEW_RELIC_NO_CONFIG_FILE: 'true',
      NEW_RELIC_APP_NAME: 'shop',
      NEW_RELIC_LICENSE_KEY: 'a'.repeat(40),
      NEW_RELIC_LOG: 'stderr',
      NEW_RELIC_LOG_LEVEL: 'error',
      // Makes the agent print its data instead of connecting to New Relic.
      NEW_RELIC_SERVERLESS_MODE_ENABLED: 'true',
      NEW_RELIC_DISTRIBUTED_TRACING_ENABLED: 'true',
      NEW_RELIC_ACCOUNT_ID: '1',
      NEW_RELIC_TRUSTED_ACCOUNT_KEY: '1',
      NEW_RELIC_PRIMARY_APPLICATION_ID: '1',
    }),
  },
  { name: 'elastic-apm', module: 'cases/elastic-apm.mjs' },
  {
    name: 'dd-trace',
    module: 'cases/dd-trace.mjs',
    environment: () => ({
      DD_TRACE_AGENT_URL: 'http://127.0.0.1:9',
      DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
      DD_REMOTE_CONFIGURATION_ENABLED: 'false',
      DD_TRACE_STARTUP_LOGS: 'false',
    }),
  },
  { name: 'nock 13', module: 'cases/nock.mjs', argument: 'nock13' },
  { name: 'nock 14', module: 'cases/nock.mjs', argument: 'nock14' },
  { name: 'nock 15', module: 'cases/nock.mjs', argument: 'nock15', quick: true },
  { name: 'msw 2', module: 'cases/msw.mjs', argument: 'msw2' },
  { name: 'msw 3', module: 'cases/msw.mjs', argument: 'msw3', quick: true },
  { name: 'undici 6', module: 'cases/undici.mjs', argument: 'undici6' },
  { name: 'undici 7', module: 'cases/undici.mjs', argument: 'undici7' },
  { name: 'undici 8', module: 'cases/undici.mjs', argument: 'undici8', quick: true },
  { name: 'node-fetch 3', module: 'cases/node-fetch.mjs' },
  {
    name: 'NODE_USE_ENV_PROXY',
    module: 'cases/environment-proxy.mjs',
    environment: (recorderUrl) => ({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: recorderUrl }),
  },
  { name: 'proxies', module: 'cases/proxies.mjs', trusted: true, quick: true },
  { name: 'certificates', module: 'cases/client-certificate.mjs', quick: true },
  { name: 'pino', module: 'cases/loggers.mjs', argument: 'pino', quick: true },
  { name: 'winston', module: 'cases/loggers.mjs', argument: 'winston', quick: true },
  { name: 'types', module: 'cases/types.mjs', quick: true },
  { name: 'Jest', module: 'cases/fake-timers.mjs', argument: 'jest' },
  { name: 'vitest', module: 'cases/fake-timers.mjs', argument: 'vitest' },
  { name: 'node:test', module: 'cases/fake-timers.mjs', argument: 'node' },
  {
    name: 'Express',
    module: 'cases/express.mjs',
    nodeOptions: ['--require', './express/tracing.cjs'],
    environment: () => openTelemetry,
  },
]
