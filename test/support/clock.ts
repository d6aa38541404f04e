import { onTestFinished, vi } from 'vitest'
// Loaded with the first call otherwise, which takes a while that no clock here knows of.
import '../../src/transport/http/fetch.js'

const { setImmediate } = globalThis

/** A clock that only this moves. What is not about time goes on as ever. */
export function stopClock(now = new Date('2026-03-01T12:00:00Z')) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now })
  onTestFinished(() => {
    vi.useRealTimers()
  })

  /** Moves on from timer to timer until the work is done, and returns how many milliseconds that took. */
  async function passUntil(work: PromiseLike<unknown>): Promise<number> {
    const start = performance.now()
    let done = false
    const finish = () => {
      done = true
    }
    work.then(finish, finish)
    for (;;) {
      await othersFinish()
      if (done) return performance.now() - start
      await vi.advanceTimersToNextTimerAsync()
    }
  }

  return { passUntil }
}

/** Everything that does not wait for the clock goes as far as it can. */
export async function othersFinish(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
