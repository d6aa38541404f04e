import { agree } from '../core/internal/objects.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import {
  comparedOperations,
  isOpenState,
  type OperationState,
  openStates,
  type PaymentSnapshot,
  type Resolution,
  type StoredOperation,
} from './record.js'

// Pure functions that compute how a journal's records and claims change: each takes the stored record and claim, and
// returns the changes to store. All databases share these functions.

/** Milliseconds until a claim expires if it is not renewed. */
export const claimTtlMs = 20_000

/**
 * Milliseconds between two renewals of a claim. If the latest renewal is older, the owner renews the claim before
 * sending a request.
 */
export const renewAfterMs = 5_000

/**
 * The minimum time, in milliseconds, between the last request of a crashed or disconnected process and the next claim:
 * the process sent the request at most `renewAfterMs` after a renewal, and the claim expired `claimTtlMs` after that
 * renewal.
 */
const crashedBeforeMs = claimTtlMs - renewAfterMs

/** The claim on a resource (a payment, or the payments of an order), and a snapshot of the payment. */
export interface Claim {
  readonly owner?: string | undefined
  /** The key of the operation that the owner is executing. */
  readonly key?: string | undefined
  /** The time at which the claim expires. Without an owner: the time at which the latest operation ended. */
  readonly expiresAt: number
  /** A snapshot of the payment after its latest operation. */
  readonly known?: PaymentSnapshot | undefined
}

/** The stored state that a rule reads. */
export interface Held {
  readonly row?: StoredOperation | undefined
  readonly claim?: Claim | undefined
  /** The open `payments.create` operations of the same order, without this operation. */
  readonly creates: readonly StoredOperation[]
  /** The database's current time, in milliseconds since 1970. */
  readonly now: number
}

/**
 * A function that runs in the database transaction in which the journal stores an operation's result. Receives the
 * payment in the service's latest response, if there was one.
 */
export type StoreHook = (row: StoredOperation, transaction: unknown, payment?: PaymentCore) => unknown

/** The result of a rule, and the records and claims to store. */
export interface Change<T> {
  readonly result: T
  readonly row?: StoredOperation | undefined
  readonly claim?: Claim | undefined
  /** A claim to store on another resource, unless that resource already has one. */
  readonly learned?: { readonly resource: string; readonly claim: Claim } | undefined
  /** Runs in the transaction that stores the change. */
  readonly hook?: Hook | undefined
}

export interface Hook {
  call(transaction: unknown): unknown
  /** Called when `call` has succeeded. `isIdle` means that `call` ran no statement in the transaction. */
  onEnd(isIdle: boolean): void
}

/** The fields of an operation that is not yet stored. */
export type NewOperation = Pick<
  StoredOperation,
  'key' | 'fingerprint' | 'resource' | 'operation' | 'id' | 'orderId' | 'body' | 'resendFor' | 'details'
> &
  Required<Pick<StoredOperation, 'baseUrl' | 'apiVersion'>>

/** The result of trying to claim an operation, that is, to reserve it for one process. */
export interface Begun {
  /** The operation's record after the claim. Absent if the journal has no record of its key. */
  readonly row?: StoredOperation | undefined
  /** Whether the caller now has the claim and may execute the operation. */
  readonly isClaimed: boolean
  /** The reason that the operation must not be executed. */
  readonly problem?:
    | { readonly kind: 'foreign' }
    /** Another payment of the same order is open. */
    | { readonly kind: 'open-payment'; readonly open: StoredOperation }
  /** The key of the operation that another owner is executing on the resource. */
  readonly waitsFor?: string | undefined
  /** A snapshot of the payment after its latest operation, if the journal recorded it. */
  readonly known?: PaymentSnapshot | undefined
  /** The database's current time, in milliseconds since 1970. */
  readonly now: number
}

export interface ClaimOptions {
  readonly owner: string
  /** The operation to store if the journal has no record of its key. */
  readonly given?: NewOperation | undefined
  /** Origin and path of the client's base URL. */
  readonly baseUrl: string
  /** Whether a `payments.create` may run while another `payments.create` of the same order is open. */
  readonly ignoresOpenPayments?: boolean
}

/** The record fields that change at the end of an execution. */
export type RecordChanges = Pick<
  StoredOperation,
  | 'state'
  | 'firstSentAt'
  | 'attempts'
  | 'orderId'
  | 'paymentId'
  | 'transactionId'
  | 'status'
  | 'errorId'
  | 'reason'
  | 'before'
  | 'details'
>

/** The changes to store at the end of an execution. */
export interface Ending {
  readonly row: RecordChanges
  /** Whether the call sent a request that may still take effect. If so, `lastSentAt` becomes the current time. */
  readonly isSent: boolean
  /** Milliseconds during which `operations.recover` does not send the operation. */
  readonly waitMs?: number | undefined
  /** Whether the result replaces an earlier final state, so that `onSettled` receives the record again. */
  readonly isCorrection?: boolean
  /** A snapshot of the payment, if the response shows its latest state. */
  readonly known?: PaymentSnapshot | undefined
  /** Runs in the transaction that stores these changes. If it succeeds, the record is marked as acknowledged. */
  readonly onSettled?: StoreHook | undefined
  /** Called when `onSettled` has succeeded. */
  readonly onEnd?: Hook['onEnd'] | undefined
}

/** States in which a `payments.create` blocks another `payments.create` for the same order. */
export const unfinishedStates: readonly OperationState[] = [...openStates, 'needs_review']

/** Plans an operation, unless the journal already contains its key. The result is the record that is now stored. */
export function plan(held: Held, given: NewOperation): Change<Begun> {
  const { row, now } = held
  const problem = row === undefined ? openPaymentProblem(held, given, true) : undefined
  if (row !== undefined || problem) return { result: { row, isClaimed: false, now, ...problem } }
  const stored = planned(given, now)
  return { result: { row: stored, isClaimed: false, now }, row: stored }
}

/** Claims an operation and, if it is open, marks it as in flight. Stores the operation if it is new. */
export function claim(held: Held, { owner, given, baseUrl, ignoresOpenPayments }: ClaimOptions): Change<Begun> {
  const { row, now } = held
  const released = held.claim?.owner === undefined ? held.claim : undefined
  const known = released?.known
  const unclaimed = (rest: Partial<Begun>): Change<Begun> => ({ result: { row, isClaimed: false, now, ...rest } })
  if (row !== undefined && isForeign(row, baseUrl)) return unclaimed({ problem: { kind: 'foreign' } })
  if (row && given && (row.fingerprint !== given.fingerprint || !isOpenState(row.state))) return unclaimed({})
  const operation = row ?? (given && planned(given, now))
  if (operation === undefined) return unclaimed({})
  const problem = ignoresOpenPayments ? undefined : openPaymentProblem(held, operation, row === undefined)
  if (problem) return unclaimed(problem)
  if (isHeldByOther(held, owner)) return unclaimed({ waitsFor: held.claim?.key })

  // The start time is always later than the end time of the payment's previous operation, so that the times show the
  // order of the operations. For `payments.create`, the start time is exact, because `firstRequestAt` compares it with
  // `createdAt`.
  const isExact = operation.operation === 'payments.create' || held.claim?.owner !== undefined
  const sentAt = isExact ? now : Math.max(now, (held.claim?.expiresAt ?? 0) + 1)
  const claimed = isOpenState(operation.state)
    ? inFlight(operation, sentAt, released)
    : { ...operation, lastClaimedAt: sentAt }
  return {
    result: { row: claimed, isClaimed: true, known, now },
    row: claimed,
    // If the previous owner crashed, `known` is undefined, because the owner's request may have changed the payment.
    claim: { owner, key: operation.key, expiresAt: sentAt + claimTtlMs, known },
  }
}

/**
 * Marks an open operation as in flight and counts its next request. The state becomes `unknown` if an earlier request
 * may have taken effect, and `sent` otherwise.
 */
function inFlight(row: StoredOperation, sentAt: number, released: Claim | undefined): StoredOperation {
  // A capture or refund is sent only after `before` is stored. If `before` is absent, no request was sent.
  const isUnsent = comparedOperations.includes(row.operation) && row.before === undefined && row.state !== 'unknown'
  const isAmbiguous = row.state === 'unknown' || (row.inFlight && !isUnsent)
  // A process that cannot store its result releases the claim when its request has ended. `expiresAt` is then that time.
  // After a restored backup, it may be the end of an earlier operation, so the later of both times applies.
  const previousSentAt = Math.max(sentAt - crashedBeforeMs, released?.expiresAt ?? 0)
  return {
    ...row,
    lastClaimedAt: sentAt,
    state: isAmbiguous ? 'unknown' : 'sent',
    inFlight: true,
    attempts: isUnsent ? 1 : row.attempts + 1,
    firstSentAt: isUnsent ? sentAt : (row.firstSentAt ?? sentAt),
    lastSentAt: row.inFlight && mayHaveSent(row) ? previousSentAt : row.lastSentAt,
    // An operation with an intention is sent only after a search for lost effects, which needs the current payment.
    before: row.before ?? (isAmbiguous || row.details.intention !== undefined ? undefined : released?.known),
  }
}

/**
 * Returns whether the owner of the previous claim might have sent a request. After `resendFor` has passed, an owner only
 * looks for the payment of a `payments.create`, and does not send it.
 */
function mayHaveSent({ operation, firstSentAt = 0, resendFor, lastClaimedAt }: StoredOperation): boolean {
  return operation !== 'payments.create' || lastClaimedAt <= firstSentAt + resendFor
}

/** Extends a claim. The result is false if another owner has the claim. */
export function renew(held: Held, owner: string): Change<boolean> {
  const own = ownClaim(held, owner)
  return own ? { result: true, claim: { ...own, expiresAt: held.now + claimTtlMs } } : { result: false }
}

/** Stores a snapshot of the payment before the first request. The result is false if another owner has the claim. */
export function note(held: Held, owner: string, before: PaymentSnapshot): Change<boolean> {
  const isOwn = ownClaim(held, owner) !== undefined && held.row !== undefined
  return isOwn ? { result: true, row: { ...(held.row as StoredOperation), before } } : { result: false }
}

/** Releases a claim, so that another owner can claim the resource. */
export function release(held: Held, owner: string): Change<void> {
  const own = ownClaim(held, owner)
  return { result: undefined, claim: own && { expiresAt: endOf(own, held.now), known: own.known } }
}

/**
 * Stores the changes at the end of an execution and releases the claim. The result is the changed record, or undefined
 * if another owner has the claim.
 */
export function finish(held: Held, owner: string, ending: Ending): Change<StoredOperation | undefined> {
  const own = ownClaim(held, owner)
  const { row: stored, now } = held
  if (own === undefined || stored === undefined) return { result: undefined }
  const { isSent, waitMs, isCorrection, onSettled, onEnd = () => {} } = ending
  const changes = storable(ending.row)
  const endedAt = endOf(own, now)
  const isOpen = isOpenState(changes.state)
  const row: StoredOperation = {
    ...stored,
    ...changes,
    inFlight: false,
    lastSentAt: isSent ? now : stored.lastSentAt,
    finishedAt: isOpen ? undefined : ((isCorrection ? undefined : stored.finishedAt) ?? endedAt),
    acknowledgedAt: isCorrection ? undefined : stored.acknowledgedAt,
    notBefore: isOpen && waitMs !== undefined ? now + waitMs : undefined,
  }
  const isCreate = row.operation === 'payments.create'
  const known = ending.known ?? (isSent ? undefined : own.known)
  const result = onSettled ? { ...row, acknowledgedAt: now } : row
  return {
    result,
    row: result,
    // The claim of an order has no snapshot, because the order may have several payments.
    claim: { expiresAt: endedAt, known: isCreate ? undefined : known },
    learned:
      isCreate && row.paymentId !== undefined
        ? { resource: `payment:${row.paymentId}`, claim: { expiresAt: now, known } }
        : undefined,
    hook: onSettled && { call: (transaction) => onSettled(row, transaction), onEnd },
  }
}

/**
 * Returns the changes that resolve an operation that needs a review, `same` if it was already resolved with this
 * answer, or `conflict` if it cannot be resolved. A later answer may add an ID.
 *
 * @param known The latest snapshot of the payment. After `not_executed`, later searches ignore the effects in it.
 */
export function resolve(row: StoredOperation, answer: Resolution, known = row.before): Ending | 'same' | 'conflict' {
  const { outcome, paymentId = row.paymentId ?? row.id, transactionId = row.transactionId } = answer
  const more = outcome === 'succeeded' ? { paymentId, transactionId } : { before: known }
  const isRepeated = row.details.isResolved && row.state === outcome
  if (
    isRepeated &&
    (outcome === 'not_executed' || (row.paymentId === paymentId && row.transactionId === transactionId))
  )
    return 'same'
  const isMoreExact = isRepeated && agree(row.paymentId, paymentId) && agree(row.transactionId, transactionId)
  if (row.state !== 'needs_review' && !isMoreExact) return 'conflict'
  const reason = outcome === 'succeeded' ? undefined : 'a person found that the operation took no effect'
  const details = { ...row.details, isResolved: true as const }
  return { row: { ...row, ...more, state: outcome, reason, details }, isSent: false, isCorrection: true }
}

/** Returns whether a record belongs to another service. Records of earlier versions have no base URL. */
export function isForeign({ baseUrl }: Pick<StoredOperation, 'baseUrl'>, own: string): boolean {
  return baseUrl !== undefined && baseUrl !== own
}

const planned = (given: NewOperation, now: number): StoredOperation => ({
  ...given,
  state: 'planned',
  inFlight: false,
  createdAt: now,
  attempts: 0,
  lastClaimedAt: 0,
})

function isHeldByOther({ claim, now }: Held, owner: string): boolean {
  return claim?.owner !== undefined && claim.owner !== owner && claim.expiresAt > now
}

function ownClaim({ claim }: Held, owner: string): Claim | undefined {
  return claim?.owner === owner ? claim : undefined
}

/** Returns the end time of an operation, which is never earlier than its start time. */
function endOf({ expiresAt }: Claim, now: number): number {
  return Math.max(now, expiresAt - claimTtlMs)
}

/**
 * Returns a problem if another payment of the same order is open. A stored payment is not blocked by a later payment
 * that was explicitly allowed.
 */
function openPaymentProblem(
  { creates }: Held,
  { operation, state, details }: Pick<StoredOperation, 'operation' | 'details'> & { state?: OperationState },
  isNew: boolean,
): Pick<Begun, 'problem'> | undefined {
  const isAffected = operation === 'payments.create' && (state === undefined || isOpenState(state))
  if (!isAffected || details.allowSecondPayment) return undefined
  const open = creates.find((other) => isNew || !other.details.allowSecondPayment)
  return open && { problem: { kind: 'open-payment', open } }
}

/** The maximum length of a string in a column. PostgreSQL's indexes allow about 2,700 bytes. */
export const maxTextLength = 600

/** Returns a string as databases can store and index it: without U+0000, well-formed, and not too long. */
export function storableText(text: string): string {
  return text.slice(0, maxTextLength).replaceAll('\0', '\uFFFD').toWellFormed()
}

const serviceTexts = ['orderId', 'paymentId', 'transactionId', 'status', 'errorId', 'reason'] as const

function storable(row: RecordChanges): RecordChanges {
  const texts = serviceTexts.map((field) => [field, row[field] === undefined ? undefined : storableText(row[field])])
  return { ...row, ...Object.fromEntries(texts) }
}
