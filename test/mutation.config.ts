import { defineConfig } from 'vitest/config'

/** The tests that detect mutants: unit tests in this process. In other processes, a mutant has no effect. */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: [
      'test/client.test.ts',
      'test/{cli,conformance,core,faults,operations,orders,testing,webhooks}/**/*.test.ts',
    ],
    exclude: [
      '**/node_modules/**',
      'test/conformance/table.test.ts',
      'test/core/transport/call-path.test.ts',
      'test/faults/package.test.ts',
    ],
    setupFiles: ['test/setup.ts'],
    env: { SEED: '1', RUNS: '50' },
    // A timeout counts as a detected mutant, so this limit must be long enough for a busy machine.
    testTimeout: 20_000,
  },
})
