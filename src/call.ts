import type { Attempt } from './errors.js'

/** What is known about the answer besides its data. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number
  readonly headers: Headers
  /** Every request that was made for this call. */
  readonly attempts: readonly Attempt[]
  /** The key that was sent, on operations that take one. */
  readonly idempotencyKey?: string
  /**
   * An earlier attempt with this idempotency key took effect although its answer was lost; `data` was read afterwards.
   */
  readonly recovered?: true
}

/** A result together with what is known about its answer. */
export interface Answer<T> {
  readonly data: T
  readonly response: ResponseInfo
}

/** A promise of the plain result; `withResponse()` tells more. */
export class Call<T> extends Promise<T> {
  readonly #answer: Promise<Answer<T>>

  /** Derived promises are plain ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** @internal */
  constructor(answer: Promise<Answer<T>>) {
    super(() => {})
    this.#answer = answer
  }

  // The answer is the only source, so that a failure has one owner.
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: as promises declare it, so that callers may name the error they expect.
    onRejected?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onFulfilled, onRejected)
  }

  /** The same call with its result looked at in another way. @internal */
  map<U>(look: (data: T) => U): Call<U> {
    return callOf(async () => {
      const { data, response } = await this.#answer
      return { data: look(data), response }
    })
  }

  /** The result together with status, headers, attempts and idempotency key. */
  withResponse(): Promise<Answer<T>> {
    return this.#answer
  }
}

/** A call whose answer some work brings. What the work throws rejects the call. */
export function callOf<T>(work: () => Promise<Answer<T>>): Call<T> {
  return new Call(work())
}
