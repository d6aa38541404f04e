import fc from 'fast-check'
import { afterAll, afterEach, expect, vi } from 'vitest'
// Loads ky before the tests. Loading takes real time, which would disturb a test that uses fake timers.
import 'ky'

const { SEED = '1', RUNS = '100' } = process.env
fc.configureGlobal({ seed: Number(SEED), numRuns: Number(RUNS) })

// A busy machine may need more than the usual second.
const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options = 60_000) => waitFor(callback, options)
vi.waitUntil = (callback, options = 60_000) => waitUntil(callback, options)

/** Unhandled rejections and process warnings (such as leaked listeners), which make the current test fail. */
const complaints: unknown[] = []

// Saved before a test can install fake timers.
const { setImmediate } = globalThis

const complain = (complaint: unknown) => complaints.push(complaint)

const complainOfWarning = (warning: Error) => {
  // Ignores the warning that `node:sqlite` is experimental in some versions of Node.
  if (warning.name !== 'ExperimentalWarning') complain(warning)
}

process.on('unhandledRejection', complain)
process.on('warning', complainOfWarning)

afterEach(async () => {
  // Node reports unhandled rejections one turn of the event loop later.
  await new Promise((resolve) => setImmediate(resolve))
  expect(complaints.splice(0), 'unhandled rejections and process warnings').toEqual([])
})

afterAll(() => {
  process.off('unhandledRejection', complain)
  process.off('warning', complainOfWarning)
})
