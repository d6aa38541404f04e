/** A pending timer. */
interface Timer {
  readonly id: number
  readonly dueAt: number
  readonly run: () => void
}

/** Turns of the event loop until all work without timers is done. */
const turnsOfWork = 3

/**
 * Runs work in virtual time: if it only waits, the next timer fires immediately. Meanwhile `setTimeout` and
 * `performance.now` are replaced, so no other work may run.
 *
 * @throws {Error} The work waits without a timer.
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
  // Shadows the inherited method until it is deleted.
  performance.now = () => now

  let isOver = false
  const outcome = work().finally(() => {
    isOver = true
  })
  // The same failure is thrown below.
  outcome.catch(() => {})
  try {
    for (await rest(); !isOver; await rest()) {
      const next = nextOf(timers)
      if (!next) throw new Error('The work waits without a timer')
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
