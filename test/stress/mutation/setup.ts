import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { beforeEach } from 'vitest'

// What one run notices the next one has to notice too.
fc.configureGlobal({ seed: 1 })

for (const file of globSync(process.env['MUTATION_REMEMBERS'] ?? '')) {
  for (const schema of Object.values(await import(resolve(file)))) {
    try {
      // Copying a schema asks for all that it can make.
      void { ...Object(schema) }
    } catch {
      // A test that needs it will say so.
    }
  }
}

/** Tests with ten thousand calls, megabytes or a process in them: what they alone would notice is not worth the wait. */
const large = [
  'C04 10,000',
  'C05 10,000',
  'C05 the bound',
  'C06 a process',
  'I02 are UUIDs',
  'P01 a million',
  'R07 an outage',
  'S05 pays all the same',
  'T06 closed',
  'T13 a body that inflates',
  'U05 any text',
  'W15 verifies 10 MB',
]

/** The conformance suite asks everything over each carrier: what it finds over one it finds over all. */
const again = / over (HTTP|msw)$/

beforeEach(({ task, skip }) =>
  skip(large.some((start) => task.name.startsWith(start)) || again.test(task.suite?.name ?? '')),
)
