import { onTestFinished, vi } from 'vitest'
import { type Runtime, runtimeOption, systemRuntime } from '../../src/core/internal/runtime.js'

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

/**
 * Returns an option with which the time limits of a client's calls pass only when `expire` is called. So a test does not
 * depend on the speed of the machine.
 */
export function manualLimits() {
  const timers = new Set<() => void>()
  const runtime: Runtime = {
    ...systemRuntime,
    setTimeout(callback) {
      timers.add(callback)
      return callback
    },
    clearTimeout: (timer) => void timers.delete(timer as () => void),
  }
  const expire = () => {
    for (const callback of timers) callback()
  }
  return { option: { [runtimeOption]: runtime } as object, expire }
}

/** Waits 20 turns of the event loop, in which all work without timers finishes. */
export async function othersFinish(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
