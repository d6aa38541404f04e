import { onTestFinished, vi } from 'vitest'
// Loads the adapter now, because a load during a test takes real time.
import '../../src/transport/http/fetch.js'

const { setImmediate } = globalThis

/** Stops the clock. Work without timers continues. */
export function stopClock(now = new Date('2026-03-01T12:00:00Z')) {
  // Fake timers that are already in use would keep their time.
  vi.useRealTimers()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now })
  onTestFinished(() => {
    vi.useRealTimers()
  })

  /** Fires timers until the work is done. Returns the elapsed milliseconds. */
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

/** Waits until all work without timers is done. */
export async function othersFinish(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
