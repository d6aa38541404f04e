import { defineConfig } from 'vitest/config'

/** Compiles the code blocks in `docs`, which is independent of the Node.js version. */
const testOfDocs = 'test/docs/types.test.ts'

/**
 * Tests of logic that uses few features of Node.js: simulations, schemas, the sandbox's rules, SQL statements, code in
 * guides and a compiler. The gate runs them only on the project's version, because the remaining tests use the same code
 * on every version: transports, timers, streams, `node:sqlite`, processes and all database drivers. `npm run check:all`
 * runs them on every version.
 */
const versionless = [
  'test/{conformance,core/{contract,helpers,schemas},docs,orders,testing/explore}/**',
  'test/stress/{journal,ledger,orders}/**',
  'test/stores/{chaos,compile,explore,journal-schedules,loyalty,operations-command,orders,orders-guide}.test.ts',
  'test/stores/{postgres-journal,queues,recover,webhook-server}.test.ts',
]

const omitted = ['**/node_modules/**', ...(process.env['QUICK'] ? versionless : [])]

export default defineConfig({
  // Examples and tests import the package by its name, which the paths in tsconfig.json resolve to src.
  resolve: { tsconfigPaths: true },
  test: {
    // Only a test that hangs reaches these limits, even on a slow and busy machine. Long runs of property tests may take
    // hours.
    testTimeout: process.env['RUNS'] ? 7_200_000 : 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'examples/testing/*.test.ts'],
          exclude: [
            ...omitted,
            'test/{browser,frameworks,openapi,package,site,tools}/**',
            'test/stores/!(memory|sqlite).test.ts',
            testOfDocs,
          ],
          setupFiles: ['test/setup.ts'],
          maxWorkers: '100%',
          // Loading src again for each file would take half of the time. Every test restores the globals that it changes.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'stores',
          include: ['test/stores/!(memory|sqlite).test.ts'],
          exclude: omitted,
          globalSetup: ['test/stores/setup.ts'],
          setupFiles: ['test/setup.ts'],
          // Half of the time is spent waiting for databases. By default, vitest leaves one core idle.
          maxWorkers: '100%',
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/*.test.ts'],
          globalSetup: ['test/browser/setup.ts'],
          setupFiles: ['test/browser/problems.ts'],
          isolate: false,
          // Vitest requires another group than that of the projects with another number of workers.
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [testOfDocs],
          typecheck: {
            enabled: true,
            // TypeScript 7 needs a quarter of the time of TypeScript 6.
            checker: 'node_modules/typescript-7/bin/tsc',
            tsconfig: './tsconfig.types.json',
            include: ['test/**/*.test-d.ts'],
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'smoke',
          include: ['test/package/smoke.test.ts'],
          globalSetup: ['test/package/smoke-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/*.test.ts'],
          globalSetup: ['test/package/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'tools',
          include: ['test/tools/*.test.ts'],
          // The gate does not install the engines.
          exclude: process.env['QUICK'] ? ['test/tools/engines.test.ts'] : [],
          globalSetup: ['test/tools/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'openapi',
          include: ['test/openapi/*.test.ts'],
          globalSetup: ['test/openapi/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'guides',
          include: ['test/frameworks/explore.test.ts'],
          globalSetup: ['test/frameworks/explore-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'frameworks',
          include: ['test/frameworks/frameworks.test.ts'],
          globalSetup: ['test/frameworks/setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'site',
          include: ['test/site/*.test.ts'],
          globalSetup: ['test/site/setup.ts'],
        },
      },
    ],
    coverage: {
      // Unlike v8, it does not slow down code outside src, such as the TypeScript compiler.
      provider: 'istanbul',
      include: ['src/**/*.ts'],
      // Tested with real servers and in a browser: npm run check -- stores browser.
      exclude: ['src/stores/{postgres,redis}/**', 'src/testing/inspector/**'],
      reporter: ['text-summary', 'html', 'json-summary'],
      thresholds: { lines: 95, branches: 95 },
    },
  },
})
