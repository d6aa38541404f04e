import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { ReusedProcess } from './process.js'

/**
 * Starts with the test files that failed last time, because the next mutant is usually in similar code. Then runs the
 * fastest files first.
 */
class SoonestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const expected = (file: TestSpecification) => {
      const last = this.ctx.cache.getTestSpecificationResult(file)
      return last?.failed ? -1 : (last?.duration ?? 0)
    }
    return files.toSorted((a, b) => expected(a) - expected(b))
  }
}

export default defineConfig({
  plugins: [
    {
      name: 'reused-process',
      // Sets the pool in a plugin, because Stryker's own options would replace the option `pool`.
      configureVitest({ project }) {
        project.config.pool = 'reused'
        project.config.poolRunner = { name: 'reused', createPoolWorker: (options) => new ReusedProcess(options) }
      },
    },
  ],
  resolve: { tsconfigPaths: true },
  test: {
    include: process.env['MUTATION_TESTS']?.split(' '),
    exclude: [
      '**/node_modules/**',
      // Excluded, because these tests check files or run other processes, in which a mutant has no effect.
      'test/{bench,docs,package,runtimes}/**',
      'test/conformance/table.test.ts',
      'test/faults/package.test.ts',
      'test/core/transport/call-path.test.ts',
      // Excluded, because these tests take too long.
      'test/stress/**',
    ],
    setupFiles: [fileURLToPath(new URL('./setup.ts', import.meta.url)), 'test/setup.ts'],
    // Runs all files in one process, because starting a process per file would take most of the time.
    isolate: false,
    sequence: { sequencer: SoonestFirst },
    // A timeout counts as a detected mutant, so this limit must be long enough for a busy machine.
    testTimeout: 10_000,
  },
})
