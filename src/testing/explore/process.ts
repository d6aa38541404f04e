import type { Runtime } from '../../core/internal/runtime.js'
import type { Scheduled } from '../sandbox/internal/clock.js'
import { Random } from '../sandbox/internal/random.js'
import { callStarted, type VirtualTime } from './virtual-time.js'

/** A clock that shows virtual time, for the shop's own code. */
export interface ExploreClock {
  /** Returns the virtual time, in milliseconds since 1970. */
  now(): number
  setTimeout(callback: () => void, delayMs: number): unknown
  clearTimeout(timer: unknown): void
  /**
   * Stops the virtual time until a promise settles, for example a database query. Otherwise, time limits may pass while
   * the shop waits for a real database.
   */
  pause<T>(work: Promise<T>): Promise<T>
}

/** One process of the shop. */
export class Process<Shop> {
  isAlive = true
  /** Whether the process dies before its next request, or when its work ends. */
  isDoomed = false
  shop?: Shop
  handler?: (request: Request) => Response | Promise<Response>
  readonly clock: ExploreClock
  readonly runtime: Runtime
  readonly #timers = new Set<Scheduled>()
  #onDeath = () => {}
  readonly #died = new Promise<undefined>((resolve) => {
    this.#onDeath = () => resolve(undefined)
  })

  constructor(time: VirtualTime, seed: string) {
    const random = new Random(seed)
    this.clock = {
      now: () => time.now,
      setTimeout: (callback, delayMs) => {
        if (!this.isAlive) return undefined
        const timer = time.schedule(callback, delayMs)
        this.#timers.add(timer)
        return timer
      },
      clearTimeout: (timer) => (timer as Scheduled | undefined)?.cancel(),
      pause: (work) => time.pause(work),
    }
    const uuid = () => {
      callStarted()
      return random.id('key')
    }
    this.runtime = { ...this.clock, wallTime: () => time.now, random: () => random.fraction(), uuid }
  }

  /** Resolves to the result of `work`, or to undefined if the process dies before `work` ends. */
  untilDeath<T>(work: T | Promise<T>): Promise<T | undefined> {
    return Promise.race([this.#died, work])
  }

  /** Ends the process by cancelling its timers. Promises that the process awaits never settle. */
  kill(): void {
    this.isAlive = false
    for (const timer of this.#timers) timer.cancel()
    this.#onDeath()
  }
}
