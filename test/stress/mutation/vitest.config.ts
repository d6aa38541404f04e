import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Runs files that failed last first, because the next change is nearby, then short ones. */
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
  resolve: { tsconfigPaths: true },
  test: {
    include: process.env['MUTATION_TESTS']?.split(' '),
    exclude: [
      '**/node_modules/**',
      // They check files and programs, not src in this process.
      'test/{bench,docs,package,runtimes}/**',
      'test/conformance/table.test.ts',
      'test/faults/package.test.ts',
      'test/webhooks/none.test.ts',
      // They take too long.
      'test/stress/**',
    ],
    setupFiles: [fileURLToPath(new URL('./setup.ts', import.meta.url)), 'test/setup.ts'],
    // A process for each file would take most of the time.
    isolate: false,
    sequence: { sequencer: SoonestFirst },
    // Enough for a busy machine, because a timeout counts as a detection.
    testTimeout: 30_000,
  },
})
