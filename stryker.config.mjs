/** The files to change, by the folder of tests that must detect each change. */
const groups = {
  core: ['src/core/internal/outcome.ts', 'src/core/transport/{failure,idempotency,response,retry}.ts'],
  operations: ['src/operations/{captures,decide,effects,refunds,related,rules}.ts'],
  orders: ['src/orders/{facts,order}.ts'],
  webhooks: ['src/webhooks/{handler,sign,verify}.ts'],
}

const { GROUP = 'webhooks' } = process.env
if (!groups[GROUP]) throw new Error(`GROUP must be one of ${Object.keys(groups).join(', ')}`)

export default {
  mutate: groups[GROUP],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation.config.ts' },
  ignorePatterns: ['/dist', '/reports', '/coverage', '/.build', '/.site'],
  ignoreStatic: true,
  incremental: true,
  incrementalFile: `reports/mutation-${GROUP}.json`,
  dryRunTimeoutMinutes: 30,
  timeoutMS: 45_000,
  reporters: ['clear-text', 'progress-append-only', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  thresholds: { high: 95, low: 90, break: 85 },
}
