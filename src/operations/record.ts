import type { PaymentStatus } from '../core/schemas/payment.js'
import type { DateTime } from '../core/schemas/schema.js'

/** An operation that a journal can record: every operation that takes an idempotency key. */
export type JournaledOperation =
  | 'payments.create'
  | 'payments.authorize'
  | 'payments.capture'
  | 'payments.cancel'
  | 'payments.refund'

/** A state of an unfinished operation, which `operations.recover` will continue. */
export type OpenState = 'planned' | 'sent' | 'unknown'

export const openStates: readonly OpenState[] = ['planned', 'sent', 'unknown']

/** A final state of an operation, which no longer changes. */
export type FinalState = 'succeeded' | 'rejected' | 'not_executed' | 'needs_review'

export const finalStates: readonly FinalState[] = ['succeeded', 'rejected', 'not_executed', 'needs_review']

/**
 * The state of a recorded operation:
 *
 * - `planned`: stored, and no request was sent.
 * - `sent`: a request was sent, and its result is not stored.
 * - `unknown`: a request may have taken effect.
 * - `succeeded`: the operation took effect.
 * - `rejected`: the service rejected the operation, so it took no effect.
 * - `not_executed`: the operation took no effect and will not be sent.
 * - `needs_review`: the service's responses do not show whether this operation took effect. See `reason`.
 */
export type OperationState = OpenState | FinalState

/** An operation in a journal. */
export interface OperationRecord {
  /** The idempotency key, which identifies the operation. */
  readonly key: string
  readonly operation: JournaledOperation
  /** The payment that the operation changes. Absent for `payments.create`. */
  readonly id?: string
  /** The request body. Absent if the request has none, or if the journal no longer stores it. */
  readonly body?: unknown
  readonly state: OperationState
  readonly createdAt: Date
  /** The time when the first request was started. */
  readonly firstSentAt?: Date
  /** The number of requests that were sent for this operation. */
  readonly attempts: number
  /** `payments.create` is retried for this many milliseconds after its first request. */
  readonly resendFor: number
  /** The payment that the operation created or changed. */
  readonly paymentId?: string
  /** The `processorTransactionId` of the refund transaction. Absent for other operations. */
  readonly transactionId?: string
  /** The payment's status after the operation. For a refund: the status of the refund transaction. */
  readonly status?: PaymentStatus
  /**
   * The payment's `dateUpdated` in the response that contained `status`. Absent if the operation's result was found in
   * a list, because lists omit this time.
   */
  readonly dateUpdated?: DateTime
  /** The service's identifier for the error, if the service rejected the operation. */
  readonly errorId?: string
  /** The reason for the state `not_executed` or `needs_review`. */
  readonly reason?: string
  /** The captured amount before a capture, in minor units. */
  readonly amountCapturedBefore?: number
  /** The captured amount after a capture or cancellation, in minor units. */
  readonly amountCapturedAfter?: number
  /** The time at which your function `onSettled` finished for this operation. */
  readonly acknowledgedAt?: Date
}

/** A person's decision on whether an operation took effect. */
export interface Resolution {
  readonly outcome: 'succeeded' | 'not_executed'
  /** The payment that the operation created. Only for `payments.create`, and only if it succeeded. */
  readonly paymentId?: string
  /** The `processorTransactionId` of the refund. Only for `payments.refund`, and only if it succeeded. */
  readonly transactionId?: string
}

/**
 * The amounts and refunds of a payment at one time. A comparison with a later state of the payment shows which
 * operations took effect in between.
 */
export interface PaymentSnapshot {
  /** The captured amount, in minor units. */
  readonly captured?: number | undefined
  /** The amount that a capture without `amount` captures. */
  readonly capturable?: number | undefined
  /** The amount that a refund without `amount` refunds. */
  readonly refundable?: number | undefined
  /** The IDs of all refund transactions. */
  readonly refunds?: readonly string[] | undefined
  /** The amounts of the refund transactions without an ID. */
  readonly unidentified?: readonly number[] | undefined
}

/** The record fields that databases store together in one JSON string, because no query filters by them. */
export interface Details {
  /** The requested amount, in minor units. */
  readonly amount?: number | undefined
  readonly currency?: string | undefined
  /** Whether the body is absent because of the option `storeBodies: false`. */
  readonly isBodyOmitted?: true | undefined
  /** Milliseconds by which the service's clock was ahead of the database's clock at the first request. */
  readonly clockOffset?: number | undefined
  readonly capturedAfter?: number | undefined
  readonly dateUpdated?: DateTime | undefined
  /** Whether the service reported that the key was already used. */
  readonly isKeyUsed?: boolean | undefined
  /** The status of the response that rejected the operation. */
  readonly httpStatus?: number | undefined
  /** Whether another payment of the same order may be open. */
  readonly allowSecondPayment?: true | undefined
  /** Whether the merchant started the payment, for example to renew a subscription, so no customer waits for it. */
  readonly isMerchantInitiated?: true | undefined
  /**
   * The key prefix shared by all attempts of one decision. With this value, a capture or refund is sent only if the
   * payment shows no effect of an attempt whose record was lost.
   */
  readonly intention?: string | undefined
  /** Whether a person decided the state. */
  readonly isResolved?: true | undefined
  /** The number of consecutive executions that ended with 401, 403, 429 or 5xx. */
  readonly refusals?: number | undefined
}

/** A type as a journal stores it. Dates become milliseconds since 1970 on the database's clock. */
type Stored<T> = {
  readonly [Name in keyof T]:
    | (NonNullable<T[Name]> extends Date ? number : T[Name])
    | (Record<never, never> extends Pick<T, Name> ? undefined : never)
}

/** A record as a journal stores it. */
export interface StoredOperation
  extends Stored<Omit<OperationRecord, 'body' | 'dateUpdated' | 'amountCapturedBefore' | 'amountCapturedAfter'>> {
  /**
   * The name of the claim that a process needs before it sends the operation. All operations on a payment share one
   * claim.
   */
  readonly resource: string
  readonly orderId?: string | undefined
  /** The request body as JSON, exactly as it is sent. */
  readonly body?: string | undefined
  readonly fingerprint: string
  /** `true` while a call is running. Remains `true` if the process crashes during the call. */
  readonly inFlight: boolean
  /** The latest time at which a request may have been in progress. */
  readonly lastSentAt?: number | undefined
  /**
   * The time of the latest claim, or 0. `recover` starts with the oldest claim, so that a stuck operation does not
   * delay other operations.
   */
  readonly lastClaimedAt: number
  /**
   * A snapshot of the payment before the first request. `{}` if the payment could not be read. If this field is absent
   * for a capture or refund, no request was sent, even if `inFlight` is true.
   */
  readonly before?: PaymentSnapshot | undefined
  readonly details: Details
  readonly finishedAt?: number | undefined
  /** Origin and path of the service that the operation belongs to. Absent in records of earlier versions. */
  readonly baseUrl?: string | undefined
  /** The API version with which the operation is sent. Absent in records of earlier versions. */
  readonly apiVersion?: string | undefined
  /** The time before which `operations.recover` does not send the operation. */
  readonly notBefore?: number | undefined
}

/** The operations whose effect can be identified only by comparing the payment before and after the request. */
export const comparedOperations: readonly JournaledOperation[] = ['payments.capture', 'payments.refund']

export function isOpenState(state: OperationState): state is OpenState {
  return (openStates as readonly OperationState[]).includes(state)
}

/** Returns whether a request of this operation may have taken effect, or may still do so. */
export function mayHaveEffect({ state, inFlight, firstSentAt }: StoredOperation): boolean {
  return firstSentAt !== undefined && (state === 'unknown' || (state === 'sent' && inFlight))
}

/** The number of unfinished operations in each state. */
export type OpenCounts = Readonly<Record<OpenState, number>>

/** Converts pairs to the counts of all open states. States without a pair count 0. */
export const toOpenCounts = (counts: readonly (readonly [state: string, count: number])[]): OpenCounts => ({
  planned: 0,
  sent: 0,
  unknown: 0,
  ...Object.fromEntries(counts),
})

/** Converts a stored record to the record that callers receive. Omits fields without a value. */
export function toRecord(row: StoredOperation): OperationRecord {
  const toTime = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms))
  const record: Record<keyof OperationRecord, unknown> = {
    key: row.key,
    operation: row.operation,
    id: row.id,
    body: row.body === undefined ? undefined : JSON.parse(row.body),
    state: row.state,
    createdAt: toTime(row.createdAt),
    firstSentAt: toTime(row.firstSentAt),
    attempts: row.attempts,
    resendFor: row.resendFor,
    paymentId: row.paymentId,
    transactionId: row.transactionId,
    status: row.status,
    dateUpdated: row.details.dateUpdated,
    errorId: row.errorId,
    reason: row.reason,
    amountCapturedBefore: row.operation === 'payments.capture' ? row.before?.captured : undefined,
    amountCapturedAfter: row.details.capturedAfter,
    acknowledgedAt: toTime(row.acknowledgedAt),
  }
  const present = Object.entries(record).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as unknown as OperationRecord
}
