type Awaitable<T> = T | Promise<T>

/** State of a delivery when it is claimed: `new` (claimed for you), `busy` (claimed by another owner) or `done`. */
export type ClaimResult = 'new' | 'busy' | 'done'

/** The payment that an event belongs to. */
export interface WebhookResource {
  /** For example `payment:pay_1`. */
  readonly id: string
  /** When the payment was last updated, in milliseconds since 1970. */
  readonly timeMs?: number
}

/**
 * Remembers which deliveries were handled. Several processes must share one store. Every function may return a promise.
 *
 * `transact` replaces the other functions if the store has it. Check your own store with `testWebhookStore` from
 * `payments-client/sandbox`.
 */
export interface WebhookStore<Transaction = unknown> {
  /**
   * Claims a delivery for `owner`. Atomic: of several concurrent callers exactly one gets `new`.
   *
   * @param key The delivery key, 64 hexadecimal digits, or `resource:` and the name of a resource.
   * @param ttlMs How long the claim lasts unless it is renewed. After that another owner can claim the delivery.
   */
  claim(key: string, ttlMs: number, owner: string): Awaitable<ClaimResult>
  /** Extends a claim. Resolves to false if another owner has it. Without this function claims are not extended. */
  renew?(key: string, ttlMs: number, owner: string): Awaitable<boolean>
  /** Marks the delivery as handled. Resolves to false if another owner has the claim. */
  // biome-ignore lint/suspicious/noConfusingVoidType: stores may return nothing.
  complete(key: string, owner: string): Awaitable<boolean | void>
  /** Releases the claim, so that a redelivery is handled. Does nothing if another owner has it. */
  release(key: string, owner: string): Awaitable<void>
  /** Records the time of the newest handled event of a resource. Resolves to the newest time known before. */
  advance?(resource: string, timeMs: number): Awaitable<number | undefined>
  /** Resolves to the newest recorded time of a resource, in milliseconds since 1970. */
  newest?(resource: string): Awaitable<number | undefined>
  /**
   * Runs `work` in one database transaction together with the delivery's claim, its completion and the resource's time.
   * If `work` rejects, the transaction is rolled back.
   *
   * @param options.waitMs How long to wait for other events of the resource; undefined if events are not serialized.
   */
  transact?<T>(
    key: string,
    resource: WebhookResource | undefined,
    work: (transaction: Transaction, stale: boolean) => Promise<T>,
    options?: { waitMs?: number },
  ): Promise<{ status: 'handled'; value: T } | { status: 'busy' | 'done' }>
}

/** @deprecated Use `WebhookStore`. */
export type DeduplicationStore = WebhookStore
