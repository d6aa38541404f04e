import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { beforeEach } from 'vitest'

// Every run must detect the same changes.
fc.configureGlobal({ seed: 1 })

for (const file of globSync(process.env['MUTATION_LAZY'] ?? '')) {
  for (const schema of Object.values(await import(resolve(file)))) {
    try {
      // A copy builds everything that a schema caches.
      void { ...Object(schema) }
    } catch {
      // The test that needs it will fail.
    }
  }
}

/** Tests that take too long for what they alone would detect. */
const large = [
  'C04 has no listener after 10,000',
  'C05 all succeed',
  'C05 are not_sent',
  'C06 a process',
  'I02 are new UUIDs',
  'P01 uses',
  'R07 sends',
  'N17',
  'N22 costs',
  'T06 never',
  'T13 stops at the size limit if it inflates',
  'U05 is rejected or',
  'W15 verifies 10 MB',
]

/** The conformance suite repeats its tests over each transport. */
const again = / over (HTTP|msw)$/

beforeEach(({ task, skip }) =>
  skip(large.some((start) => task.name.startsWith(start)) || again.test(task.suite?.name ?? '')),
)
