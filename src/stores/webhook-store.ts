type Awaitable<T> = T | Promise<T>

/**
 * The result of a claim:
 *
 * - `new`: you now have the claim.
 * - `busy`: another owner has it.
 * - `done`: the delivery was already handled.
 */
export type ClaimResult = 'new' | 'busy' | 'done'

/** The payment that an event is about. */
export interface WebhookResource {
  /** Name of the resource, for example `payment:pay_1`. */
  readonly id: string
  /** When the payment was last updated, in milliseconds since 1970. */
  readonly timeMs?: number
}

/**
 * Remembers which deliveries were handled. Processes that receive the same webhooks must share one store. Every
 * function may return a promise.
 *
 * If a store has the function `transact`, the handler calls only this function. Use `testWebhookStore` from
 * `payments-client/sandbox` to check your own store.
 */
export interface WebhookStore<Transaction = unknown> {
  /**
   * Claims a delivery for `owner`. Must be atomic: if several callers claim a delivery at the same time, exactly one
   * receives `new`.
   *
   * @param key The delivery key (64 hexadecimal digits), or `resource:` and the id of a resource.
   * @param ttlMs Milliseconds until the claim expires, unless it is renewed. After that, another owner can claim the
   * delivery.
   */
  claim(key: string, ttlMs: number, owner: string): Awaitable<ClaimResult>
  /**
   * Extends a claim. Resolves to false if another owner has it. If the store lacks this function, claims are not
   * extended.
   */
  renew?(key: string, ttlMs: number, owner: string): Awaitable<boolean>
  /** Marks the delivery as handled. Resolves to false if another owner has the claim. */
  // biome-ignore lint/suspicious/noConfusingVoidType: stores may return nothing.
  complete(key: string, owner: string): Awaitable<boolean | void>
  /** Releases the claim, so a redelivery is handled. Does nothing if another owner has it. */
  release(key: string, owner: string): Awaitable<void>
  /** Records the time of a handled event for its resource. Resolves to the newest time recorded before, if any. */
  advance?(resource: string, timeMs: number): Awaitable<number | undefined>
  /** Resolves to the newest recorded time of a resource, in milliseconds since 1970. */
  newest?(resource: string): Awaitable<number | undefined>
  /**
   * Claims the delivery, runs `work`, records the resource's time and completes the delivery, all in one database
   * transaction. Rolls the transaction back if `work` rejects.
   *
   * @param work Receives the signal `lost`, which aborts if the connection is lost. The database then rolls the
   * transaction back.
   * @param options.waitMs Milliseconds to wait while another event for the same resource is handled. If undefined,
   * events for a resource may be handled in parallel.
   */
  transact?<T>(
    key: string,
    resource: WebhookResource | undefined,
    work: (transaction: Transaction, stale: boolean, lost?: AbortSignal) => Promise<T>,
    options?: { waitMs?: number },
  ): Promise<{ status: 'handled'; value: T } | { status: 'busy' | 'done' }>
}

/**
 * A property of `claim` and `complete`, whose value is a function that combines several steps in one round trip.
 *
 * If an application wraps `claim` or `complete`, the wrapper lacks this property. The handler then calls the wrapper
 * for every step.
 */
export const inOneStep: unique symbol = Symbol.for('payments-client.inOneStep') as never

/** Combines `claim` for the delivery, `claim` for its resource, and `newest`. */
export type Begin = (
  key: string,
  resource: string,
  ttlMs: number,
  owner: string,
) => Promise<{ delivery: ClaimResult; resource?: ClaimResult; newest?: number | undefined } | undefined>

/** Combines `advance` (if the event has a time), `complete` for the delivery, and `release` for its resource. */
export type Finish = (key: string, resource: WebhookResource, owner: string) => Promise<boolean>

/** @deprecated Use `WebhookStore`. */
export type DeduplicationStore = WebhookStore
