/** The reason why work was cut short. */
export type Interruption =
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'abort'; readonly reason: unknown }

/** The reason with which a list aborts requests for pages that are no longer needed. */
export const iterationEnded = Symbol('The iteration ended')

/** Monotonic milliseconds: changes of the system clock do not move deadlines. */
export const monotonic = () => performance.now()

/** Thrown inside the package when a deadline or the caller's signal cut work short. */
export class Interrupted extends Error {
  constructor(readonly interruption: Interruption) {
    super(interruption.kind)
  }
}

/** The time limit of a whole call, and its caller's signal. */
export class Deadline {
  readonly #endsAt: number
  readonly #totalMs: number
  readonly #signal: AbortSignal | undefined

  constructor(totalMs: number, signal: AbortSignal | undefined) {
    this.#endsAt = monotonic() + totalMs
    this.#totalMs = totalMs
    this.#signal = signal
  }

  /** Milliseconds that remain for the whole call. */
  get remaining(): number {
    return this.#endsAt - monotonic()
  }

  /** Throws an `Interrupted` if no time remains, even if this process was too busy for the timer to fire. */
  throwIfOver(): void {
    if (this.remaining <= 0) throw new Interrupted({ kind: 'timeout', timeoutMs: this.#totalMs })
  }

  /** Starts a cutoff after `limitMs`, or earlier if the deadline ends or the signal aborts. Call its `end()`. */
  startCutoff(limitMs = Number.POSITIVE_INFINITY): Cutoff {
    const { remaining } = this
    const cutoff = new Cutoff()
    cutoff.start(Math.min(limitMs, remaining), remaining < limitMs ? this.#totalMs : limitMs, this.#signal)
    return cutoff
  }

  /** Runs work until it settles or the deadline or signal cuts it off. */
  async run<T>(work: (cutoff: Cutoff) => Promise<T>, limitMs?: number): Promise<T> {
    const cutoff = this.startCutoff(limitMs)
    try {
      cutoff.throwIfPassed()
      return await cutoff.race(work(cutoff))
    } finally {
      cutoff.end()
    }
  }

  /** Waits. Rejects with an `Interrupted` if the call ends first. */
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

/** Cuts work short. Cheaper than an `AbortSignal`, which is created only on request. */
export class Cutoff {
  #cause: Interrupted | undefined
  #listeners: ((cause: Interrupted) => void)[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopListening: (() => void) | undefined

  /** @internal */
  start(delayMs: number, timeoutMs: number, signal: AbortSignal | undefined): void {
    const abort = () => this.pass(new Interrupted({ kind: 'abort', reason: signal?.reason }))
    const timeOut = () => this.pass(new Interrupted({ kind: 'timeout', timeoutMs }))
    if (signal?.aborted) abort()
    else if (delayMs <= 0) timeOut()
    else {
      this.#timer = setTimeout(timeOut, delayMs)
      if (signal !== undefined) this.#stopListening = onAbort(signal, abort)
    }
  }

  /** Stops the timer and the listening. */
  end(): void {
    clearTimeout(this.#timer)
    this.#stopListening?.()
  }

  /** Calls back when the work is cut short, immediately if it already was. */
  listen(onCutoff: (cause: Interrupted) => void): void {
    if (this.#cause === undefined) this.#listeners.push(onCutoff)
    else onCutoff(this.#cause)
  }

  /** Settles as the work does, or rejects with an `Interrupted` as soon as it is cut short. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.listen(reject)
      work.then(resolve, reject)
    })
  }

  throwIfPassed(): void {
    if (this.#cause !== undefined) throw this.#cause
  }

  /** Creates an equivalent signal. */
  toSignal(): AbortSignal {
    const controller = new AbortController()
    this.listen((cause) => controller.abort(cause))
    return controller.signal
  }

  /** @internal */
  pass(cause: Interrupted): void {
    if (this.#cause !== undefined) return
    this.#cause = cause
    this.end()
    for (const listener of this.#listeners.splice(0)) listener(cause)
  }
}

/** The abort callbacks of each signal. */
const callbacks = new WeakMap<AbortSignal, Set<() => void>>()

/** Adds an abort callback, with one listener per signal regardless of the number of calls. Returns its removal. */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const all = callbacks.get(signal) ?? new Set()
  callbacks.set(signal, all.add(callback))
  signal.addEventListener('abort', runCallbacks)
  return () => {
    all.delete(callback)
    if (all.size === 0) signal.removeEventListener('abort', runCallbacks)
  }
}

function runCallbacks(this: AbortSignal): void {
  for (const callback of callbacks.get(this) ?? []) callback()
}
