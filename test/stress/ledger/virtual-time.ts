/** A timer that has not fired yet. */
interface Timer {
  readonly id: number
  readonly dueAt: number
  readonly run: () => void
}

/** How many turns of the event loop may pass until work that waits for no timer has come to rest. */
const turnsOfWork = 3

/**
 * Do some work in a time of its own: whenever nothing is left to do but wait, the next timer is due at once. Meanwhile
 * `setTimeout` and `performance.now` belong to the work alone, so nothing else may run beside it.
 *
 * @throws {Error} The work waits for something that will never come.
 */
export async function inVirtualTime<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout, clearTimeout } = globalThis
  const timers = new Map<number, Timer>()
  let now = 0
  let started = 0
  globalThis.setTimeout = ((run: () => void, delayMs = 0) => {
    started += 1
    timers.set(started, { id: started, dueAt: now + Math.max(0, delayMs), run })
    return started
  }) as unknown as typeof setTimeout
  globalThis.clearTimeout = (id) => void timers.delete(id as number)
  // Covers the one that `performance` inherits, until it is deleted again.
  performance.now = () => now

  let isOver = false
  const outcome = work().finally(() => {
    isOver = true
  })
  // Whoever is told of a failure here will hear of it below, too.
  outcome.catch(() => {})
  try {
    for (await rest(); !isOver; await rest()) {
      const next = nextOf(timers)
      if (!next) throw new Error('Nothing is left to wait for, and yet the work is not over')
      timers.delete(next.id)
      now = next.dueAt
      next.run()
    }
    return await outcome
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout })
    Reflect.deleteProperty(performance, 'now')
  }
}

function nextOf(timers: ReadonlyMap<number, Timer>): Timer | undefined {
  return [...timers.values()].reduce<Timer | undefined>(
    (first, timer) => (first && first.dueAt <= timer.dueAt ? first : timer),
    undefined,
  )
}

async function rest(): Promise<void> {
  for (let turn = 0; turn < turnsOfWork; turn++) await new Promise((resolve) => setImmediate(resolve))
}
