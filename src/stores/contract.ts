/**
 * The result of a claim:
 *
 * - `new`: you now have the claim.
 * - `busy`: another owner has the claim.
 * - `done`: the delivery was already handled.
 */
export type ClaimResult = 'new' | 'busy' | 'done'

/** The payment or dispute that an event is about. */
export interface WebhookResource {
  /** Name of the resource, for example `payment:pay_1`. Events for one resource are handled one at a time. */
  readonly id: string
  /**
   * Time of the event: when the payment was last updated, or when the dispute was reported. In milliseconds since 1970,
   * with microseconds as a fraction.
   */
  readonly timeMs?: number
  /**
   * Name under which event times are recorded and compared, for example `dispute:dp_1` for a dispute.
   * @default the `id` of the resource
   */
  readonly timeline?: string
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
   * Claims a delivery for `owner`, so that no other process handles it. Must be atomic: if several callers claim a
   * delivery at the same time, exactly one receives `new`. If `owner` already has the claim, extends the claim and
   * resolves to `new`, because a driver may send a command twice.
   *
   * @param key The delivery key (64 hexadecimal digits), or `resource:` and the ID of a resource.
   * @param ttlMs Milliseconds until the claim expires, unless it is renewed. After that, another owner can claim the
   * delivery.
   */
  claim(key: string, ttlMs: number, owner: string): ClaimResult | Promise<ClaimResult>
  /**
   * Extends a claim. Resolves to false if another owner has the claim. If the store lacks this function, a claim
   * expires after its first `ttlMs`.
   */
  renew?(key: string, ttlMs: number, owner: string): boolean | Promise<boolean>
  /** Marks the delivery as handled. Resolves to false if another owner has the claim. */
  // biome-ignore lint/suspicious/noConfusingVoidType: stores may return nothing.
  complete(key: string, owner: string): boolean | void | Promise<boolean | void>
  /** Releases the claim, so that a redelivery is handled. Does nothing if another owner has the claim. */
  release(key: string, owner: string): void | Promise<void>
  /** Records the time of a handled event for its resource. Resolves to the latest time that was recorded earlier, if any. */
  advance?(resource: string, timeMs: number): number | undefined | Promise<number | undefined>
  /** Resolves to the newest event time that is recorded for a resource, in milliseconds since 1970. */
  newest?(resource: string): number | undefined | Promise<number | undefined>
  /**
   * Claims the delivery, runs `work`, records the resource's time and completes the delivery, all in one database
   * transaction. Rolls the transaction back if `work` rejects.
   *
   * @param work Receives the signal `lost`, which aborts if the connection is lost. The database then rolls the
   * transaction back.
   * @param options.waitMs Milliseconds to wait while another event for the same resource is handled, or until a
   * connection is free. @default 5000
   * @param options.serialize Handles events for the resource one at a time. @default true
   */
  transact?<T>(
    key: string,
    resource: WebhookResource | undefined,
    work: (transaction: Transaction, stale: boolean, lost?: AbortSignal) => Promise<T>,
    options?: { waitMs?: number; serialize?: boolean | undefined },
  ): Promise<{ status: 'handled'; value: T } | { status: 'busy' | 'done' }>
}

const resourcePrefix = 'resource:'

/** Returns the key for the claim on a resource. */
export const claimOf = (resource: WebhookResource) => `${resourcePrefix}${resource.id}`

/** Returns whether a key is for the claim on a resource instead of a delivery. */
export const isResourceClaim = (key: string) => key.startsWith(resourcePrefix)

/** Returns the name under which a resource's event times are recorded. */
export const timelineOf = ({ id, timeline = id }: WebhookResource) => timeline

/** @deprecated Use `WebhookStore`. */
export type DeduplicationStore = WebhookStore
