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
  /2,000 calls (succeed|fail)/,
  /concurrent calls > complete over/,
  /last call > the process exits/,
  /are sent only once after a fault: (?!clientSessions\.create)/,
  /masked in linear time/,
  /cause at most 100 extra requests/,
  /no secret in hooks, .*: (?!an? |4)/,
  /completes every call that has an idempotency key/,
  /over fetch.*(reconnects without|the response is cut off|truncated at any byte)/,
  /stops decompressing at the size limit/,
  /is accepted with null fields/,
  /1,000 issues for 150000/,
  // These suites repeat the conformance tests over another HTTP adapter.
  / over (HTTP|msw) > /,
]

beforeEach(({ task, skip }) => skip(slow.some((pattern) => pattern.test(task.fullTestName))))
