import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What noticed the last change may well notice the next, which is near it. Then the short ones: most changes are noticed soon. */
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
      // They look at files and programs, not at what src does in this process.
      'test/{bench,docs,package,runtimes}/**',
      'test/conformance/table.test.ts',
      'test/faults/package.test.ts',
      'test/webhooks/none.test.ts',
      // They take longer than they would find.
      'test/stress/**',
    ],
    setupFiles: [fileURLToPath(new URL('./setup.ts', import.meta.url)), 'test/setup.ts'],
    // A process for each file would take most of the time.
    isolate: false,
    sequence: { sequencer: SoonestFirst },
    // Enough for a busy machine: a test that is merely late would count as one that has noticed.
    testTimeout: 10_000,
  },
})
