import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { beforeEach, inject, vi } from 'vitest'

// Allows any number of listeners, because a test file that stops after a failure does not remove its listeners.
process.setMaxListeners(0)

// Loads all modules again for each mutant, because a mutant has no effect on values that a loaded module has cached. In
// the first run, which has no mutant, loads them for each test file, so that Stryker sees which files use them.
const change = inject('activeMutant' as never)
if (change === undefined || Reflect.get(globalThis, 'lastChange') !== change) vi.resetModules()
Reflect.set(globalThis, 'lastChange', change)

// Fixes the seed, so that every run detects the same mutants. A few random cases are enough for that.
fc.configureGlobal({ seed: 1, numRuns: 50 })

for (const file of globSync(process.env['MUTATION_LAZY'] ?? '')) {
  for (const schema of Object.values(await import(resolve(file)))) {
    try {
      // Reads every property of the schema, because a schema computes and caches its properties when they are first
      // read.
      void { ...Object(schema) }
    } catch {
      // Ignored here, because the tests that use this schema report the error.
    }
  }
}

/** Slow tests that detect few additional mutants, by their suites and titles. */
const slow = [
  /C04 .*2,000 calls/,
  /C05 complete/,
  /C06 the process exits/,
  /I07 .*: (?!clientSessions\.create)/,
  /N17 .*linear time/,
  /R07 cause/,
  /S01 is tested/,
  /S02 .*: (?!an? |4)/,
  /T06 completes/,
  /over fetch.*(T06 reconnects|T09 .*cut off|T14 .*any byte)/,
  /T13 stops/,
  /V02 is accepted/,
  /W15 needs/,
  /1,000 issues for 150000/,
  // These suites repeat the conformance tests over another HTTP adapter.
  / over (HTTP|msw) > /,
]

beforeEach(({ task, skip }) => skip(slow.some((pattern) => pattern.test(task.fullTestName))))
