import type { FinalState, OpenState, StoredOperation } from './record.js'

// `decide` returns the next step for an open operation, for example a lookup. The other files in this folder collect
// the facts for this decision and perform the step.

/** The fields of an open record that determine the next step. */
export type OpenOperation = Pick<
  StoredOperation,
  'operation' | 'state' | 'orderId' | 'createdAt' | 'firstSentAt' | 'lastSentAt' | 'resendFor' | 'details'
>

const isCreate = ({ operation }: OpenOperation): boolean => operation === 'payments.create'

/** The effect of an operation on its payment, as the service reports it. */
export interface Effect {
  readonly paymentId: string
  readonly transactionId?: string | undefined
  readonly status?: string | undefined
  readonly dateUpdated?: string | undefined
  readonly capturedAfter?: number | undefined
}

/** The result of searching the service's data for the effect of an operation. */
export type LookupResult =
  | { readonly kind: 'effect'; readonly effect: Effect }
  /** There is no effect. */
  | { readonly kind: 'none' }
  /** There is no effect, and there will be none, because the payment that the operation changes has failed. */
  | { readonly kind: 'failed' }
  /** A new payment may still appear in the list. */
  | { readonly kind: 'not-yet' }
  /** The effect may belong to an older open operation, which has to be finished first. */
  | { readonly kind: 'older-first' }
  /** The effect may belong to a newer open operation, whose own result will become certain. */
  | { readonly kind: 'newer-first' }
  /** The current state does not show whether the operation took effect. */
  | { readonly kind: 'unclear'; readonly reason: string }
  /** The service does not find the payment that the operation changes. */
  | { readonly kind: 'missing' }
  /** The service did not respond. */
  | { readonly kind: 'unreadable' }

/** The result of sending the operation's request. */
export type Reply =
  /** The operation took effect, through this request or an earlier request with the same key. */
  | { readonly kind: 'done'; readonly result: LookupResult }
  /** The service rejected the content of the request. `isOnlyRequest` means that the call sent no request before. */
  | { readonly kind: 'rejected'; readonly isAmbiguous: boolean; readonly isOnlyRequest: boolean }
  /** The SDK rejected the stored arguments, because its version or its options have changed. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** Any other failure. */
  | { readonly kind: 'open'; readonly isSent: boolean; readonly isAmbiguous: boolean; readonly isKeyUsed?: boolean }

export interface Facts {
  readonly by: 'call' | 'run' | 'settle'
  /**
   * Whether the caller supplied the request body, so that the body can be sent even if the journal does not store it.
   */
  readonly hasBody?: boolean
  readonly now: number
  /** The service's time in the latest response that contained one. */
  readonly serviceNow?: number | undefined
  readonly keyLifetime: number
  readonly reply?: Reply | undefined
  /** The result of the latest lookup of the operation's effect. Absent if a request was sent after this lookup. */
  readonly seen?: LookupResult | undefined
}

/** The times that limit how long an operation may be retried. */
export type Times = Pick<Facts, 'now' | 'serviceNow' | 'keyLifetime'>

export type Step =
  | { readonly do: 'send' }
  | { readonly do: 'look' }
  /** The operation stays open. */
  | { readonly do: 'keep'; readonly state: OpenState }
  | {
      readonly do: 'finish'
      readonly state: FinalState
      readonly effect?: Effect | undefined
      readonly reason?: string | undefined
    }

/** Milliseconds after which a request no longer takes effect. */
export const takesEffectWithinMs = 90_000

/** Milliseconds after `plan` in which `operations.run` may send a payment whose `resendFor` is 0. */
const firstSendWithin = 60_000

/** Returns the next step for an open operation. */
export function decide(operation: OpenOperation, facts: Facts): Step {
  return facts.reply === undefined ? beforeRequest(operation, facts) : afterRequest(operation, facts, facts.reply)
}

function beforeRequest(operation: OpenOperation, facts: Facts): Step {
  const { firstSentAt, resendFor, details } = operation
  const { by, seen, serviceNow } = facts
  const state = operation.state as OpenState
  const canSend = facts.hasBody === true || details.isBodyOmitted !== true
  const isAmbiguous = state === 'unknown'
  // Looks up the payment first, because the response also contains the service's time, and this time decides whether
  // the request may still be sent.
  if (by === 'settle' && seen === undefined && (isCreate(operation) || isAmbiguous)) return { do: 'look' }
  const isFirst = firstSentAt === undefined
  const age = ageOf(operation, facts)
  // The service did not respond, so the time on its clock is unknown, and the operation may be older than `age`.
  const isTimeUnknown = seen?.kind === 'unreadable' && serviceNow === undefined

  if (isCreate(operation)) {
    if (age < resendFor && canSend) return isTimeUnknown ? { do: 'keep', state } : { do: 'send' }
    if (isFirst && resendFor === 0 && age < firstSendWithin)
      return by === 'settle' ? { do: 'keep', state } : { do: 'send' }
    // Without an order id, the payment cannot be looked up.
    if (!isAmbiguous && operation.orderId === undefined)
      return finish('not_executed', { reason: 'no request took effect before resendFor had passed' })
    return afterLook(state, seen, withoutPayment(operation))
  }

  const isRemembered = isFirst || age < facts.keyLifetime
  if (isRemembered && canSend) return isTimeUnknown ? { do: 'keep', state } : { do: 'send' }
  const forgotten = finish('needs_review', {
    reason: 'no effect is visible, and the service may have forgotten the key',
  })
  return afterLook(state, seen, isRemembered ? { do: 'keep', state } : forgotten)
}

/** Returns the next step for a `payments.create` operation if the payment list does not contain its payment. */
function withoutPayment({ details }: OpenOperation): Step {
  if (details.isKeyUsed) {
    const reason = 'the service reports that the key was used, but no payment with these values is in the list'
    return finish('needs_review', { reason })
  }
  if (details.httpStatus !== undefined) return finish('rejected')
  return finish('not_executed', { reason: 'no payment of this order appeared within a minute' })
}

/** Returns whether the operation will be sent again with the same key, so that the response will show its result. */
export function willBeResent(operation: OpenOperation, facts: Times): boolean {
  return operation.details.isBodyOmitted !== true && resendableFor(operation, facts) > 0
}

/** Returns the number of milliseconds in which an operation may still be resent. */
export function resendableFor(operation: OpenOperation, facts: Times): number {
  return (isCreate(operation) ? operation.resendFor : facts.keyLifetime) - ageOf(operation, facts)
}

/**
 * Returns the time since the first request. If no request was sent, returns the time since the operation was stored.
 */
function ageOf(operation: OpenOperation, times: Clocks): number {
  return timeSince(startOf(operation), operation, times)
}

type Clocks = Pick<Facts, 'now' | 'serviceNow'>

/** Returns the milliseconds since a time on the database's clock: the larger difference of the two clocks. */
function timeSince(time: number, { details }: OpenOperation, { now, serviceNow = 0 }: Clocks): number {
  // A claim in the same millisecond as the payment's previous operation stores a start that is later than `now`.
  return Math.max(0, now - time, serviceNow - (time + (details.clockOffset ?? 0)))
}

/**
 * Returns the time of the first request, if there was one. A claim stores `firstSentAt` before the request, but a process
 * that claimed a payment after the time limit sent no request.
 */
export function firstRequestAt(operation: OpenOperation): number | undefined {
  const { createdAt, firstSentAt = createdAt, resendFor } = operation
  const isTooLate = isCreate(operation) && firstSentAt - createdAt >= (resendFor || firstSendWithin)
  return isTooLate ? undefined : operation.firstSentAt
}

function startOf(operation: OpenOperation): number {
  return firstRequestAt(operation) ?? operation.createdAt
}

/**
 * Returns the next step for an operation that may not be sent again.
 *
 * @param none The step to return if the lookup found no effect.
 */
function afterLook(state: OpenState, seen: LookupResult | undefined, none: Step): Step {
  switch (seen?.kind) {
    case undefined:
      return { do: 'look' }
    case 'effect':
      return finish('succeeded', { effect: seen.effect })
    case 'unclear':
      return finish('needs_review', { reason: seen.reason })
    case 'failed':
      return finish('not_executed', { reason: 'the payment has failed, and no effect is visible' })
    case 'missing':
    case 'none':
      return none
    default:
      return { do: 'keep', state }
  }
}

function afterRequest(operation: OpenOperation, facts: Facts, reply: Reply): Step {
  const { seen } = facts
  const wasAmbiguous = operation.state === 'unknown'
  switch (reply.kind) {
    case 'done':
      if (reply.result.kind === 'effect') return finish('succeeded', { effect: reply.result.effect })
      if (reply.result.kind === 'unclear') return finish('needs_review', { reason: reply.result.reason })
      return { do: 'keep', state: 'unknown' }
    case 'invalid': {
      const { reason } = reply
      if (!wasAmbiguous) return finish('not_executed', { reason })
      const none = isCreate(operation) ? withoutPayment(operation) : finish('needs_review', { reason })
      return afterLook('unknown', seen, none)
    }
    case 'open':
      if (wasAmbiguous || reply.isAmbiguous) return { do: 'keep', state: 'unknown' }
      return { do: 'keep', state: reply.isSent ? 'sent' : (operation.state as OpenState) }
    case 'rejected':
      if (!wasAmbiguous && !reply.isAmbiguous) return finish('rejected')
      switch (seen?.kind) {
        case undefined:
          return { do: 'look' }
        case 'effect':
          return finish('succeeded', { effect: seen.effect })
        // If an earlier request had taken effect, the service would have returned that request's response for the key,
        // and would not have rejected this request. But a delayed request may still take effect.
        case 'older-first':
        case 'failed':
        case 'none':
          return reply.isOnlyRequest && timeSince(lastRequestAt(operation), operation, facts) >= takesEffectWithinMs
            ? finish('rejected')
            : { do: 'keep', state: 'unknown' }
        case 'unclear':
          return finish('needs_review', { reason: seen.reason })
        default:
          return { do: 'keep', state: 'unknown' }
      }
  }
}

/** Returns the time of the last request that may be delayed. */
function lastRequestAt({ createdAt, firstSentAt = createdAt, lastSentAt = firstSentAt }: OpenOperation): number {
  return lastSentAt
}

function finish(state: FinalState, result: { effect?: Effect; reason?: string } = {}): Step {
  return { do: 'finish', state, ...result }
}
