import { onTestFinished, vi } from 'vitest'

const { setImmediate } = globalThis

/** Replaces timers and the clock with fakes during the test. I/O and promises work as usual. */
export function stopClock(now = new Date('2026-03-01T12:00:00Z')) {
  // Without this line, a second call of `stopClock` would keep the first call's time.
  vi.useRealTimers()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now })
  onTestFinished(() => {
    vi.useRealTimers()
  })

  /** Advances the fake clock until the promise settles, and returns the elapsed milliseconds. */
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

/** Waits 20 turns of the event loop, in which all work without timers finishes. */
export async function othersFinish(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
