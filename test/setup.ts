import { afterAll, afterEach, expect } from 'vitest'

/** Unhandled rejections and process warnings, for example about leaked listeners. The test that causes one fails. */
const complaints: unknown[] = []

// Saved, because a test may install fake timers.
const { setImmediate } = globalThis

const complain = (complaint: unknown) => complaints.push(complaint)

process.on('unhandledRejection', complain)
process.on('warning', complain)

afterEach(async () => {
  // Node reports both one turn of the event loop later.
  await new Promise((resolve) => setImmediate(resolve))
  expect(complaints.splice(0), 'unhandled rejections and process warnings').toEqual([])
})

afterAll(() => {
  process.off('unhandledRejection', complain)
  process.off('warning', complain)
})
