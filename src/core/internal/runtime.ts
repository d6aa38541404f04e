import { isObject } from './objects.js'

/**
 * The clock, timers and random values that a client uses. They come from the process, unless `explore` replaces them.
 */
export interface Runtime {
  /** Returns the milliseconds of a monotonic clock. It may stop while the machine is suspended. */
  now(): number
  /** Returns the system clock's time, in milliseconds since 1970. The time jumps when the clock is set. */
  wallTime(): number
  setTimeout(callback: () => void, delayMs: number): unknown
  clearTimeout(timer: unknown): void
  /** Returns a number from 0 to 1, like `Math.random`. */
  random(): number
  uuid(): string
}

export const systemRuntime: Runtime = {
  now: () => performance.now(),
  wallTime: () => Date.now(),
  // Looks up the global functions for each call, because test runners replace them.
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  random: () => Math.random(),
  uuid: () => crypto.randomUUID(),
}

/**
 * Measures time with both clocks and returns the larger difference, because the monotonic clock may stop while the
 * machine is suspended, and the system clock may be set back.
 */
export class Stopwatch {
  readonly #runtime: Runtime
  readonly #start: number
  readonly #wallStart: number

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#start = runtime.now()
    this.#wallStart = runtime.wallTime()
  }

  /** The milliseconds since this object was created. */
  get elapsed(): number {
    return Math.max(this.#runtime.now() - this.#start, this.#runtime.wallTime() - this.#wallStart)
  }
}

/** The client option that replaces the runtime. A symbol, because applications must not set it. */
export const runtimeOption: unique symbol = Symbol.for('payments-client.runtime') as never

export function runtimeIn(options: unknown): { runtime: Runtime } | undefined {
  const runtime = isObject(options) && (options as { [runtimeOption]?: Runtime })[runtimeOption]
  return runtime ? { runtime } : undefined
}
