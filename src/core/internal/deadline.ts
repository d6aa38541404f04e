import { type Runtime, Stopwatch, systemRuntime } from './runtime.js'

export type Interruption =
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'abort'; readonly reason: unknown }

/** The abort reason of a page request when the caller stops reading the list. */
export const iterationEnded = Symbol('The iteration ended')

/**
 * Returns whether a page request was aborted because the caller stopped iterating over the list. This does not count
 * as a failure, because the caller no longer needs the page.
 */
export function isEndOfIteration(error: unknown): boolean {
  return Object(error).reason === iterationEnded
}

/** Thrown internally when a time limit or the caller's signal interrupts work. */
export class Interrupted extends Error {
  constructor(readonly interruption: Interruption) {
    super(interruption.kind)
  }
}

export class Deadline {
  readonly #elapsed: () => number
  readonly #totalMs: number
  readonly #signal: AbortSignal | undefined
  readonly #runtime: Runtime

  /**
   * @param isRecorded Whether a journal records the call. If so, the time during which the machine is suspended counts
   * towards the limit, because another process may finish the operation meanwhile.
   */
  constructor(totalMs: number, signal: AbortSignal | undefined, runtime: Runtime = systemRuntime, isRecorded = false) {
    this.#runtime = runtime
    const stopwatch = new Stopwatch(runtime)
    const start = runtime.now()
    this.#elapsed = isRecorded ? () => stopwatch.elapsed : () => runtime.now() - start
    this.#totalMs = totalMs
    this.#signal = signal
  }

  get remaining(): number {
    return this.#totalMs - this.#elapsed()
  }

  /** Throws an `Interrupted` if no time remains. In a busy process, the timer may not have fired yet. */
  throwIfOver(): void {
    if (this.remaining <= 0) throw new Interrupted({ kind: 'timeout', timeoutMs: this.#totalMs })
  }

  /**
   * Starts a cutoff that fires after `limitMs`, at the deadline or on abort. Call `end()` when the
   * work is done.
   */
  startCutoff(limitMs = Number.POSITIVE_INFINITY): Cutoff {
    const { remaining } = this
    const timeoutMs = remaining < limitMs ? this.#totalMs : limitMs
    return new Cutoff(this.#runtime, Math.min(limitMs, remaining), timeoutMs, this.#signal)
  }

  async run<T>(work: (cutoff: Cutoff) => Promise<T>, limitMs?: number): Promise<T> {
    const cutoff = this.startCutoff(limitMs)
    try {
      cutoff.throwIfPassed()
      return await cutoff.race(work(cutoff))
    } finally {
      cutoff.end()
    }
  }

  /** Rejects with an `Interrupted` if the deadline or the signal interrupts the wait. */
  sleep(ms: number): Promise<void> {
    return this.run(
      (cutoff) =>
        new Promise((resolve) => {
          const timer = this.#runtime.setTimeout(resolve, ms)
          cutoff.listen(() => this.#runtime.clearTimeout(timer))
        }),
    )
  }
}

/**
 * Interrupts work at a time limit or when the caller's signal aborts. Uses less CPU time than an `AbortSignal`, which
 * only `toSignal` creates.
 */
export class Cutoff {
  #cause: Interrupted | undefined
  #listeners: readonly ((cause: Interrupted) => void)[] = []
  #timer: unknown
  #stopListening: (() => void) | undefined

  /**
   * @param delayMs The milliseconds until the timeout.
   * @param timeoutMs The caller's time limit, which the error reports. It can be longer than `delayMs`.
   */
  constructor(
    private readonly runtime: Runtime,
    delayMs: number,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ) {
    const timeOut = () => this.#pass({ kind: 'timeout', timeoutMs })
    if (signal?.aborted) this.#pass({ kind: 'abort', reason: signal.reason })
    else if (delayMs <= 0) timeOut()
    else {
      this.#timer = runtime.setTimeout(timeOut, delayMs)
      if (signal) this.#stopListening = onAbort(signal, () => this.#pass({ kind: 'abort', reason: signal.reason }))
    }
  }

  get hasPassed(): boolean {
    return this.#cause !== undefined
  }

  end(): void {
    this.runtime.clearTimeout(this.#timer)
    this.#stopListening?.()
  }

  /** Calls `onCutoff` when the cutoff fires, or immediately if the cutoff has already fired. */
  listen(onCutoff: (cause: Interrupted) => void): void {
    if (this.#cause === undefined) this.#listeners = [...this.#listeners, onCutoff]
    else onCutoff(this.#cause)
  }

  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.listen(reject)
      work.then(resolve, reject)
    })
  }

  throwIfPassed(): void {
    if (this.#cause !== undefined) throw this.#cause
  }

  toSignal(): AbortSignal {
    const controller = new AbortController()
    this.listen((cause) => controller.abort(cause))
    return controller.signal
  }

  #pass(interruption: Interruption): void {
    const cause = new Interrupted(interruption)
    this.#cause = cause
    // Calls `end` before the listeners, because a listener may abort the caller's signal.
    this.end()
    for (const listener of this.#listeners) listener(cause)
  }
}

/** The abort callbacks of a signal. */
class AbortCallbacks extends Set<() => void> {
  /** An arrow function, because Workers with a compatibility date before 2025-08-01 call listeners without `this`. */
  readonly run = () => {
    for (const callback of this) callback()
  }
}

const callbacks = new WeakMap<AbortSignal, AbortCallbacks>()

/**
 * Adds an abort callback and returns a function that removes it. All callbacks share one listener, because Node prints
 * a warning if a signal has many listeners.
 */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const all = callbacks.get(signal) ?? new AbortCallbacks()
  callbacks.set(signal, all.add(callback))
  signal.addEventListener('abort', all.run)
  return () => {
    all.delete(callback)
    if (all.size === 0) signal.removeEventListener('abort', all.run)
  }
}
