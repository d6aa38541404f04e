import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { beforeEach } from 'vitest'

// Makes every run detect the same changes.
fc.configureGlobal({ seed: 1 })

for (const file of globSync(process.env['MUTATION_LAZY'] ?? '')) {
  for (const schema of Object.values(await import(resolve(file)))) {
    try {
      // Copying a schema builds all the values that it caches.
      void { ...Object(schema) }
    } catch {
      // The tests that use this schema will report the error.
    }
  }
}

/** Slow tests that detect few additional changes, by the start of their titles. */
const large = [
  'C04 has no listener left after 2,000',
  'C05 complete 10,000',
  'C05 reject as not_sent if still queued',
  'C06 the process exits',
  'I02 are new UUIDs',
  'N22 has one listener',
  'P01 needs no more memory',
  'R07 cause',
  'T06 completes calls with an idempotency key',
  'T13 stops decompressing',
  'U05 either is rejected',
  'W15 needs little more time for 10 MB',
]

/** Suites that repeat the conformance tests over another HTTP adapter. */
const again = / over (HTTP|msw)$/

beforeEach(({ task, skip }) =>
  skip(large.some((start) => task.name.startsWith(start)) || again.test(task.suite?.name ?? '')),
)
