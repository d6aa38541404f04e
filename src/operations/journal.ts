import { ConfigurationError } from '../core/errors.js'
import { boolean, integer, type Shape } from '../core/internal/validation.js'
import type { OpenCounts, OperationState, StoredOperation } from './record.js'
import type { Change, Held } from './rules.js'

/** Options that every journal accepts. */
export interface JournalOptions {
  /**
   * Captures, cancellations, refunds and authorizations are retried for this many milliseconds after their first
   * request. Must be at least five minutes shorter than the service remembers idempotency keys, because a retry may
   * arrive late.
   * @default 86400000, one day
   */
  keyLifetime?: number
  /**
   * `payments.create` is retried for this many milliseconds after its first request, but not after `keyLifetime`. With
   * 0, an open payment is looked up, but never resent.
   * @default 60000; `keyLifetime` if `paymentMethod.paymentType` is SUBSCRIPTION or UNSCHEDULED
   */
  resendFor?: number
  /** Milliseconds for which `prune` keeps finished records. @default 7776000000, 90 days */
  rememberFor?: number
  /**
   * Whether the journal stores request bodies. Without bodies, open operations are looked up, but not resent.
   * @default true
   */
  storeBodies?: boolean
}

export const journalRules: Shape<JournalOptions> = {
  keyLifetime: integer(1),
  resendFor: integer(0),
  rememberFor: integer(1),
  storeBodies: boolean,
}

/** Selects the records that have all given values. */
export interface ListFilter {
  readonly state?: OperationState | undefined
  /** The payment that an operation created, changed or will change. */
  readonly paymentId?: string | undefined
  readonly orderId?: string | undefined
  /** Returns only records that were stored before this time. */
  readonly before?: number | undefined
}

/** A record that cannot be read, for example because another program changed it. */
export class DamagedRecord extends ConfigurationError {
  constructor(
    readonly key: string,
    problem: string,
  ) {
    super(`The journal's record of the key ${key} is damaged: ${problem}`, { idempotencyKey: key })
  }
}

/** The resource that a change locks, and the records that the change reads. */
export interface Place {
  /** The resource to lock, for example `payment:pay_1`. */
  readonly resource: string
  /** The key of the record to read. */
  readonly key?: string | undefined
  /** If present, the open payments of this order are also read. */
  readonly orderId?: string | undefined
}

type Work<T> = (held: Held) => Change<T>

/** A journal's database. Stores the changes that `rules.ts` returns, and takes all times from the database's clock. */
export interface JournalStore {
  /** The name of the journal's table. It distinguishes the journals in one process. */
  readonly name: string
  /** Whether `onSettled` must be synchronous, as in SQLite, where other statements share the connection. */
  readonly isSynchronous?: boolean
  /**
   * Locks a resource, reads its claim and a record, calls `work`, and stores its change, all in one transaction. Calls
   * `work` again if the transaction is retried.
   *
   * @param hasHook Whether the change may have a hook, such as `onSettled`. If so, the transaction is not retried, and
   * some connections remain free for the hook.
   */
  update<T>(place: Place, work: Work<T>, hasHook?: boolean): Promise<T>
  /** Works like `update`, but in the caller's open transaction, and does not claim the resource. */
  updateIn<T>(transaction: unknown, place: Place, work: Work<T>): Promise<T>
  /** Works like `updateIn`, but in a synchronous database. */
  updateInSync?<T>(transaction: unknown, place: Place, work: Work<T>): T
  /**
   * Returns the next operation of `baseUrl` for `recover`: an open operation that no longer has to wait or, with
   * `unacknowledged`, a finished operation whose result `onSettled` has not received. Skips claimed resources.
   * Operations that were never claimed come first, followed by those with the oldest claims.
   */
  next(filter: RecoveryFilter): Promise<Place | undefined>
  /** Counts the operations that `next` omits because they must wait or belong to another service. */
  countSkipped(filter: RecoveryFilter): Promise<Skipped>
  find(key: string): Promise<StoredOperation | undefined>
  /** Returns records, oldest first. */
  list(filter: ListFilter): Promise<(StoredOperation | DamagedRecord)[]>
  countOpen(): Promise<OpenCounts>
  migrate(): Promise<void>
  /** Removes records `recordsMs` after their operations finished, and request bodies after `bodiesMs`. */
  prune(ages: { readonly recordsMs: number; readonly bodiesMs: number }): Promise<number>
}

/** Selects the operations that one call of `recover` finishes. */
export interface RecoveryFilter {
  /** Origin and path of the client's base URL. */
  readonly baseUrl: string
  /** Keys to skip. */
  readonly except: readonly string[]
  /** Whether to include finished operations whose result `onSettled` has not received. */
  readonly unacknowledged: boolean
}

export interface Skipped {
  readonly waiting: number
  readonly foreign: number
  /** The first key of an operation that belongs to another service. */
  readonly firstForeign?: string | undefined
}

/** A journal's store and options, and the state shared by all calls that use the journal. */
export interface JournalSettings {
  readonly store: JournalStore
  readonly keyLifetime: number
  /** The journal's option `resendFor`. Undefined if it is not set. */
  readonly resendFor: number | undefined
  readonly storeBodies: boolean
  /** Milliseconds by which the service's clock is ahead of the database's clock, according to the latest response. */
  clockOffset: number | undefined
}
