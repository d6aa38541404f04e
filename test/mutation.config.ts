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
      // Hundreds of simulated runs per mutant would take hours.
      'test/{orders,testing/explore}/{explore,guides,testing-shop}.test.ts',
    ],
    setupFiles: ['test/setup.ts'],
    env: { SEED: '1', RUNS: '50' },
    // Stryker stops a mutant that hangs.
    testTimeout: 600_000,
  },
})
