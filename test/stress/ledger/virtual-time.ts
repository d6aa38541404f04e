import { vi } from 'vitest'

/** The number of database queries that are in progress. Virtual time stands still until they end. */
let queries = 0

/** Makes virtual time stand still until a promise settles. */
export async function realTime<T>(work: () => Promise<T>): Promise<T> {
  queries += 1
  try {
    return await work()
  } finally {
    queries -= 1
  }
}

/** All work that does not wait for a timer finishes within this number of event loop turns. */
const turnsOfWork = 3

/**
 * Runs a function in virtual time: when the function only waits for timers, the next timer fires immediately.
 *
 * Replaces `setTimeout`, `performance.now` and `Math.random` while the function runs, so no other code may run at the
 * same time.
 *
 * @param jitter The constant result of `Math.random`, which determines every backoff.
 * @throws {Error} The function waits, but no timer is pending.
 */
export async function inVirtualTime<T>(jitter: number, work: () => Promise<T>): Promise<T> {
  const random = vi.spyOn(Math, 'random').mockReturnValue(jitter)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  let isOver = false
  const outcome = work().finally(() => {
    isOver = true
  })
  // Prevents an unhandled rejection. The error is still thrown below.
  outcome.catch(() => {})
  try {
    for (await rest(); !isOver; await rest()) {
      if (vi.getTimerCount() === 0) throw new Error('The function waits, but no timer is pending')
      vi.advanceTimersToNextTimer()
    }
    return await outcome
  } finally {
    vi.useRealTimers()
    random.mockRestore()
  }
}

async function rest(): Promise<void> {
  for (let turn = 0; turn < turnsOfWork || queries > 0; turn++) {
    if (queries > 0) turn = 0
    await new Promise((resolve) => setImmediate(resolve))
  }
}
