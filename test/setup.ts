import { afterAll, afterEach, expect } from 'vitest'

/** A rejection nobody handled and a warning of the process (a leaked listener, a deprecated call) fail the test they came from. */
const complaints: unknown[] = []

// Kept, for a test may put fake timers in its place.
const { setImmediate } = globalThis

const complain = (complaint: unknown) => complaints.push(complaint)

process.on('unhandledRejection', complain)
process.on('warning', complain)

afterEach(async () => {
  // Node reports both one turn late.
  await new Promise((resolve) => setImmediate(resolve))
  expect(complaints.splice(0), 'unhandled rejections and process warnings').toEqual([])
})

afterAll(() => {
  process.off('unhandledRejection', complain)
  process.off('warning', complain)
})
