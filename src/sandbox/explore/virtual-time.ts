import type { Runtime } from '../../internal/runtime.js'
import { Random } from '../internal/random.js'

/** A clock for a shop's own code, which runs in virtual time. */
export interface ExploreClock {
  /** Milliseconds since 1970. */
  now(): number
  setTimeout(callback: () => void, delayMs: number): unknown
  clearTimeout(timer: unknown): void
}

interface Timer {
  readonly id: number
  readonly dueAt: number
  /** The number of the process that started the timer. */
  readonly owner: number
  readonly run: () => void
}

/** Thrown when the shop waits for something that never happens. */
export class NeverEnds extends Error {}

/** The number of event loop turns without activity after which all code waits for a timer. */
const quietTurns = 3
/** The time in which code that uses real timers or real I/O must continue. */
const realLimitMs = 2_000
const virtualLimitMs = 7 * 24 * 3_600_000

// Not every runtime has `setImmediate`.
const { setImmediate = setTimeout as (callback: () => void) => unknown } = globalThis
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Whether a client has sent a request in this process. Before that, it loads modules, which takes real time, so the
 * virtual time must wait.
 */
let isLoaded = false

export function clientLoaded(): void {
  isLoaded = true
}

/** The time of one run. It advances to the next timer as soon as all code waits. */
export class VirtualTime {
  #timers: Timer[] = []
  #count = 0
  #activity = 0
  #elapsedMs = 0

  /**
   * @param startMs Milliseconds since 1970.
   * @param usesIo Whether the shop's storage does real I/O, for which the time must wait.
   * @param onAdvance Receives the milliseconds by which the time advanced.
   */
  constructor(
    readonly startMs: number,
    readonly usesIo: boolean,
    readonly onAdvance: (ms: number) => void,
  ) {}

  get now(): number {
    return this.startMs + this.#elapsedMs
  }

  /** Records that the shop or the service did something, so the time does not advance yet. */
  touch(): void {
    this.#activity += 1
  }

  /** Lets a request take some time, so that events have different times. */
  tick(ms: number): void {
    this.#moveTo(this.#elapsedMs + ms)
  }

  schedule(owner: number, run: () => void, delayMs: number): number {
    this.touch()
    this.#count += 1
    const dueAt = this.#elapsedMs + Math.max(0, Number(delayMs) || 0)
    this.#timers.push({ id: this.#count, dueAt, owner, run })
    return this.#count
  }

  cancel(id: unknown): void {
    this.#timers = this.#timers.filter((timer) => timer.id !== id)
  }

  /** Removes the timers of a process that died. */
  cancelAll(owner: number): void {
    this.#timers = this.#timers.filter((timer) => timer.owner !== owner)
  }

  /** Waits for work, and fires timers while all code waits. Rejects with `NeverEnds` if the work cannot end. */
  async until<T>(work: Promise<T>, name: string): Promise<T> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    work.then(end, end)
    const limit = this.#elapsedMs + virtualLimitMs
    for (await this.#rest(); !isOver; await this.#rest()) {
      if (!this.#fireNext()) await this.#waitForActivity(() => isOver, name)
      if (this.#elapsedMs > limit) throw new NeverEnds(`${name} did not end within seven days of virtual time`)
    }
    return work
  }

  /** Lets time pass, and fires the timers that become due. */
  async pass(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms
    await this.#rest()
    while (this.#next() && (this.#next() as Timer).dueAt <= end) {
      this.#fireNext()
      await this.#rest()
    }
    this.#moveTo(Math.max(end, this.#elapsedMs))
    await this.#rest()
  }

  #next(): Timer | undefined {
    const earlier = (first: Timer | undefined, timer: Timer) => (first && first.dueAt <= timer.dueAt ? first : timer)
    return this.#timers.reduce<Timer | undefined>(earlier, undefined)
  }

  #fireNext(): boolean {
    const next = this.#next()
    if (!next) return false
    this.cancel(next.id)
    this.#moveTo(Math.max(next.dueAt, this.#elapsedMs))
    this.touch()
    next.run()
    return true
  }

  #moveTo(elapsedMs: number): void {
    const ms = elapsedMs - this.#elapsedMs
    this.#elapsedMs = elapsedMs
    if (ms > 0) this.onAdvance(ms)
  }

  async #rest(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet++) {
      const before = this.#activity
      if (this.usesIo || !isLoaded) await new Promise((resolve) => setTimeout(resolve, isLoaded ? 1 : 100))
      await nextTurn()
      if (this.#activity !== before) quiet = 0
    }
  }

  async #waitForActivity(isOver: () => boolean, name: string): Promise<void> {
    const before = this.#activity
    const giveUpAt = performance.now() + realLimitMs
    while (!isOver() && this.#activity === before) {
      if (performance.now() > giveUpAt) {
        throw new NeverEnds(
          `${name} waits for something other than a request, a webhook or a timer of \`clock\`: use the \`clock\` that start receives`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

/** Creates the runtime of one process's client. After the process died, its timers are gone. */
export function createRuntime(time: VirtualTime, owner: number, seed: string): Runtime & ExploreClock {
  const random = new Random(seed)
  return {
    now: () => time.now,
    setTimeout: (callback, delayMs) => time.schedule(owner, callback, delayMs),
    clearTimeout: (timer) => time.cancel(timer),
    random: () => random.fraction(),
    uuid: () => random.id('key'),
  }
}
