/** Why a piece of work was cut short. */
export type Interruption =
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'abort'; readonly reason: unknown }

/** Monotonic milliseconds: clock changes do not move deadlines. */
export const monotonic = () => performance.now()

/**
 * A call's time limit and its caller's signal, as one thing that can cut work short.
 *
 * Listeners are added without options: an object of options would inherit a `signal` put on `Object.prototype`, and an
 * aborted one would keep the listener out.
 */
export class Deadline {
  readonly #endsAt: number
  readonly #totalMs: number
  readonly #caller: AbortSignal | undefined

  constructor(totalMs: number, caller: AbortSignal | undefined) {
    this.#endsAt = monotonic() + totalMs
    this.#totalMs = totalMs
    this.#caller = caller
  }

  /** Milliseconds left for the whole call. */
  get remaining(): number {
    return this.#endsAt - monotonic()
  }

  /** Throws an `Interrupted` when no time is left, even where this process was too busy for the timer to fire. */
  throwIfOver(): void {
    if (this.remaining <= 0) throw new Interrupted({ kind: 'timeout', timeoutMs: this.#totalMs })
  }

  /**
   * Do some work, for at most `limitMs` if that is less than what is left. Rejects with an `Interrupted` as soon as time or the caller ends it, whether the
   * work notices or not; `signal` tells the work to stop.
   */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, limitMs = Number.POSITIVE_INFINITY): Promise<T> {
    const { remaining } = this
    const timeoutMs = remaining < limitMs ? this.#totalMs : limitMs
    const controller = new AbortController()
    const onAbort = () => controller.abort(new Interrupted({ kind: 'abort', reason: this.#caller?.reason }))
    if (this.#caller?.aborted) onAbort()
    const timer = setTimeout(
      () => controller.abort(new Interrupted({ kind: 'timeout', timeoutMs })),
      Math.max(0, Math.min(limitMs, remaining)),
    )
    this.#caller?.addEventListener('abort', onAbort)
    try {
      controller.signal.throwIfAborted()
      this.throwIfOver()
      return await Promise.race([rejection(controller.signal), work(controller.signal)])
    } finally {
      clearTimeout(timer)
      this.#caller?.removeEventListener('abort', onAbort)
    }
  }

  /** Wait. Rejects with an `Interrupted` when the call ends first. */
  sleep(ms: number): Promise<void> {
    return this.run(
      (signal) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, ms)
          signal.addEventListener('abort', () => clearTimeout(timer))
        }),
    )
  }
}

/** Thrown inside the transport when a deadline or the caller cut work short. */
export class Interrupted extends Error {
  constructor(readonly interruption: Interruption) {
    super(interruption.kind)
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}
