interface Timer {
  readonly id: number
  readonly dueAt: number
  readonly run: () => void
}

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
  const { random } = Math
  Math.random = () => jitter
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
  // Overrides `Performance.prototype.now` until this property is deleted.
  performance.now = () => now

  let isOver = false
  const outcome = work().finally(() => {
    isOver = true
  })
  // Prevents an unhandled rejection. The error is still thrown below.
  outcome.catch(() => {})
  try {
    for (await rest(); !isOver; await rest()) {
      const next = nextOf(timers)
      if (!next) throw new Error('The function waits, but no timer is pending')
      timers.delete(next.id)
      now = next.dueAt
      next.run()
    }
    return await outcome
  } finally {
    Math.random = random
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
  for (let turn = 0; turn < turnsOfWork || queries > 0; turn++) {
    if (queries > 0) turn = 0
    await new Promise((resolve) => setImmediate(resolve))
  }
}
