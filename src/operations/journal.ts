import type { OpenCounts, OperationState, PaymentSnapshot, StoredOperation } from './record.js'

/** Options that all journals have in common. */
export interface JournalOptions {
  /**
   * Captures, cancellations, refunds and authorizations are retried for this many milliseconds after their first
   * request. Must be at least five minutes shorter than the time for which the service remembers idempotency keys,
   * because a retry may arrive late.
   * @default 86400000, one day
   */
  keyLifetime?: number
  /**
   * `payments.create` is retried for this many milliseconds after its first request. With 0, an open payment is looked
   * up, but never sent again.
   * @default 60000
   */
  resendFor?: number
  /** Milliseconds for which `prune` keeps finished records. @default 7776000000, 90 days */
  rememberFor?: number
  /**
   * Whether the journal stores request bodies. Without bodies, open operations are looked up, but not sent again.
   * @default true
   */
  storeBodies?: boolean
}

/** A function that runs in the database transaction in which the journal stores an operation's result. */
export type StoreHook = (row: StoredOperation, transaction: unknown) => unknown

/** The result of an attempt to claim an operation, which means to reserve it for one process. */
export interface Begun {
  /** The operation's record after the claim. May be absent if another owner has the claim. */
  readonly row?: StoredOperation | undefined
  /** Whether the caller now has the claim, and may execute the operation. */
  readonly isClaimed: boolean
  /** A snapshot of the payment after its latest operation, if the journal recorded it. */
  readonly known?: PaymentSnapshot | undefined
  /** The database's current time, in milliseconds since 1970. */
  readonly now: number
}

/** The record fields that change at the end of a call. */
export const endFields = [
  'state',
  'firstSentAt',
  'attempts',
  'orderId',
  'paymentId',
  'transactionId',
  'status',
  'errorId',
  'reason',
  'before',
  'details',
] as const

/** The changes to a record that are stored at the end of a call. */
export interface Ending {
  readonly row: Pick<StoredOperation, (typeof endFields)[number]>
  /** Whether the call sent a request that may still take effect. If so, `lastSentAt` becomes the current time. */
  readonly isSent: boolean
  /** A snapshot of the payment, if the response shows its latest state. */
  readonly known?: PaymentSnapshot | undefined
  /** Runs in the transaction that stores these changes. If it succeeds, the record is marked as acknowledged. */
  readonly onSettled?: StoreHook | undefined
}

/** Filters for `operations.list`. */
export interface ListFilter {
  readonly state?: OperationState | undefined
  readonly paymentId?: string | undefined
  /** Returns only records that were stored before this time. */
  readonly before?: number | undefined
}

/** Milliseconds until a claim expires if it is not renewed. */
export const claimTtlMs = 60_000

/** Milliseconds between two renewals of a claim. */
export const renewAfterMs = claimTtlMs / 4

/** Milliseconds after a renewal in which the owner of a claim may send requests. */
export const maySendForMs = claimTtlMs / 3

/**
 * The minimum time, in milliseconds, between the last request of a process that then crashed or lost its connection to
 * the database, and the next claim. The process sent this request at most `maySendForMs` after a renewal, and its claim
 * expired `claimTtlMs` after this renewal.
 */
export const crashedBeforeMs = claimTtlMs - maySendForMs

/**
 * The database of a journal. Every function is one statement or one transaction, and uses only the database's clock. A
 * claim reserves a resource, for example a payment, for one owner until it expires.
 *
 * `begin`, `resume` and `next` claim an operation for `owner`: they succeed unless another owner has an unexpired claim
 * on the operation's resource. If the operation is open, they also set `inFlight` and count a request. The state then
 * becomes `unknown` if an earlier request may have taken effect, and `sent` otherwise.
 */
export interface JournalStore {
  /** The name of the journal's table. It distinguishes the journals in one process. */
  readonly name: string
  /** Whether `onSettled` must be synchronous, as in SQLite, where other statements share the connection. */
  readonly isSynchronous?: boolean
  /**
   * Stores a planned operation in the caller's transaction, unless the journal already has its key. Resolves to the
   * fingerprint (a hash of the operation's values) that is now stored under the key.
   */
  plan(transaction: unknown, row: NewOperation): Promise<string>
  /** Does the same as `plan` in a synchronous database. */
  planSync?(transaction: unknown, row: NewOperation): string
  /**
   * Claims an operation, and stores the operation if it is new. Does not claim the operation if another operation is
   * stored under the same key.
   */
  begin(row: NewOperation, owner: string): Promise<Begun>
  /** Claims a stored operation. Resolves to undefined if the key does not exist. */
  resume(key: string, owner: string): Promise<Begun | undefined>
  /**
   * Claims an open operation whose resource has no unexpired claim. Chooses the oldest operation that was never
   * claimed, else the operation with the oldest claim. With `unacknowledged`, also chooses finished operations whose
   * result `onSettled` did not receive.
   *
   * @param except Keys to skip.
   */
  next(owner: string, except: readonly string[], unacknowledged: boolean): Promise<Begun | undefined>
  /** Extends a claim before it expires. Resolves to false if another owner has the claim. */
  renew(resource: string, owner: string): Promise<boolean>
  /** Stores a snapshot of the payment, taken before the operation's first request. */
  note(key: string, before: PaymentSnapshot): Promise<void>
  /**
   * Stores the changes at the end of a call, and releases the claim. Resolves to the changed record. If another owner
   * has the claim, stores nothing and resolves to undefined.
   */
  finish(row: StoredOperation, owner: string, ending: Ending): Promise<StoredOperation | undefined>
  /** Releases a claim, so that another owner can claim the operation. Does nothing if another owner has the claim. */
  release(resource: string, owner: string): Promise<void>
  /** Returns the records for a payment, or for all payments of an order. */
  related(to: {
    readonly paymentId?: string | undefined
    readonly orderId?: string | undefined
  }): Promise<StoredOperation[]>
  get(key: string): Promise<StoredOperation | undefined>
  list(filter: ListFilter): Promise<StoredOperation[]>
  countOpen(): Promise<OpenCounts>
  migrate(): Promise<void>
  prune(): Promise<number>
}

/** The fields of an operation that is not yet stored. */
export const newFields = [
  'key',
  'fingerprint',
  'resource',
  'operation',
  'id',
  'orderId',
  'body',
  'resendFor',
  'details',
] as const

/** An operation that is not yet stored. */
export type NewOperation = Pick<StoredOperation, (typeof newFields)[number]>
