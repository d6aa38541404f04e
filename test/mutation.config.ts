import { defineConfig } from 'vitest/config'

/** The tests that detect mutants of one group: unit tests in this process. In other processes, a mutant has no effect. */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    // With all tests, each mutant that survives would take more than ten minutes.
    include: [`test/{observability,${process.env['GROUP'] ?? 'webhooks'}}/**/*.test.ts`],
    exclude: [
      '**/node_modules/**',
      // Compares stack traces, which contain the functions of Stryker.
      'test/core/transport/call-path.test.ts',
      // Hundreds of simulated runs per mutant would take hours.
      'test/orders/explore.test.ts',
    ],
    setupFiles: ['test/setup.ts'],
    env: { SEED: '1', RUNS: '50' },
    // Stryker stops a mutant that hangs.
    testTimeout: 600_000,
  },
})
