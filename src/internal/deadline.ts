/** Why a piece of work was cut short. */
export type Interruption =
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'abort'; readonly reason: unknown }

/** Monotonic milliseconds: clock changes do not move deadlines. */
export const monotonic = () => performance.now()

/** A call's time limit and its caller's signal, as one thing that can cut work short. */
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
   * Do some work, for at most `limitMs` if that is less than what is left. Rejects with an `Interrupted` as soon as time or
   * the caller ends it, whether the work notices or not; its `Cutoff` tells the work to stop.
   */
  run<T>(work: (cutoff: Cutoff) => Promise<T>, limitMs = Number.POSITIVE_INFINITY): Promise<T> {
    return new Promise((resolve, reject) => {
      const { remaining } = this
      const caller = this.#caller
      const cutoff = new Cutoff()
      const interrupt = (interruption: Interruption) => {
        const interrupted = new Interrupted(interruption)
        settle()
        reject(interrupted)
        cutoff.pass(interrupted)
      }
      const onAbort = () => interrupt({ kind: 'abort', reason: caller?.reason })
      const onTimeout = () => interrupt({ kind: 'timeout', timeoutMs: remaining < limitMs ? this.#totalMs : limitMs })
      const settle = () => {
        clearTimeout(timer)
        caller?.removeEventListener('abort', onAbort)
      }
      const timer = setTimeout(onTimeout, Math.max(0, Math.min(limitMs, remaining)))
      if (caller?.aborted) return onAbort()
      if (remaining <= 0) return onTimeout()
      // Without options: an object of them would inherit a `signal` put on `Object.prototype`, and an aborted one would
      // keep the listener out.
      caller?.addEventListener('abort', onAbort)
      work(cutoff).then(
        (value) => {
          settle()
          resolve(value)
        },
        (error) => {
          settle()
          reject(error)
        },
      )
    })
  }

  /** Wait. Rejects with an `Interrupted` when the call ends first. */
  sleep(ms: number): Promise<void> {
    return this.run(
      (cutoff) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, ms)
          cutoff.listen(() => clearTimeout(timer))
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

/**
 * Tells work that it was cut short. Every request has one, and an `AbortSignal` costs more than the rest of the waiting
 * together: so there is one only for those who ask.
 */
export class Cutoff {
  #cause: Interrupted | undefined
  #listeners: ((cause: Interrupted) => void)[] = []

  /** Be told when the work is cut short; at once when it was already. */
  listen(onCutoff: (cause: Interrupted) => void): void {
    if (this.#cause === undefined) this.#listeners.push(onCutoff)
    else onCutoff(this.#cause)
  }

  throwIfPassed(): void {
    if (this.#cause !== undefined) throw this.#cause
  }

  /** The same as a signal, for work that takes one. */
  toSignal(): AbortSignal {
    const controller = new AbortController()
    this.listen((cause) => controller.abort(cause))
    return controller.signal
  }

  /** @internal Cut the work short. */
  pass(cause: Interrupted): void {
    this.#cause = cause
    for (const tell of this.#listeners.splice(0)) tell(cause)
  }
}
