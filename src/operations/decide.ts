import type { FinalState, OpenState, StoredOperation } from './record.js'

// `decide` returns the next step for an unfinished operation, for example to send its request. The other files in this
// folder collect the facts for this decision and perform the step.

/** The fields of an open record that determine the next step. */
export type OpenOperation = Pick<
  StoredOperation,
  'operation' | 'state' | 'orderId' | 'createdAt' | 'firstSentAt' | 'lastSentAt' | 'attempts' | 'resendFor' | 'details'
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

/**
 * The result of searching the service's data for the effect of an operation:
 *
 * - `none`: The search found no effect.
 * - `failed`: The search found no effect, and none can follow, because the payment has failed.
 * - `impossible`: The search found no effect, and the stored snapshot shows no amount to capture or refund.
 * - `not-yet`: The list does not contain the payment yet. New payments can take up to a minute to appear.
 * - `other-first`: The effect may belong to another operation, which must be finished or reviewed first.
 * - `newer-first`: The effect may belong to a newer operation that is running or will be retried, and that must finish
 *   first.
 * - `missing`: The service responded that the payment does not exist.
 * - `unreadable`: The payment could not be read.
 */
export type LookupResult =
  | { readonly kind: 'effect'; readonly effect: Effect }
  /** The current state does not show whether the operation took effect. */
  | { readonly kind: 'unclear'; readonly reason: string }
  | {
      readonly kind:
        | 'none'
        | 'failed'
        | 'impossible'
        | 'not-yet'
        | 'other-first'
        | 'newer-first'
        | 'missing'
        | 'unreadable'
    }

/** The result of sending the operation's request. */
export type Reply =
  /**
   * The service returned the payment, for this request or an earlier one with the same key. If `result` is `none`, the
   * payment does not show the effect yet.
   */
  | { readonly kind: 'done'; readonly result: LookupResult }
  /** The service rejected the content of the request. `isOnlyRequest` means that the call sent only this request. */
  | { readonly kind: 'rejected'; readonly isAmbiguous: boolean; readonly isOnlyRequest: boolean }
  /**
   * The request was not sent, because the payment shows an effect that no record explains. `lost` is the result of the
   * search for such effects.
   */
  | { readonly kind: 'held'; readonly lost: LookupResult }
  /** The client rejected the stored arguments, because the client's version or options have changed. */
  | { readonly kind: 'invalid' }
  /** The request failed for another reason, for example a timeout, so the operation stays open. */
  | {
      readonly kind: 'open'
      readonly isSent: boolean
      readonly isAmbiguous: boolean
      readonly isKeyUsed?: boolean
      readonly isOnlyRequest?: boolean
    }

export interface Facts {
  readonly by: 'call' | 'run' | 'recover'
  /** Whether the caller supplied the request body. If so, the request can be sent even if no body is stored. */
  readonly hasBody?: boolean
  readonly now: number
  /** The service's time, taken from the latest response that included one. */
  readonly serviceNow?: number | undefined
  readonly keyLifetime: number
  readonly reply?: Reply | undefined
  /** The latest lookup result. Absent if a request was sent after that lookup. */
  readonly seen?: LookupResult | undefined
}

/** The times that determine whether an operation may still be retried. */
export type Times = Pick<Facts, 'now' | 'serviceNow' | 'keyLifetime'>

export type Step =
  | { readonly do: 'send' }
  | { readonly do: 'look' }
  /** The operation stays open: a later call continues it. */
  | { readonly do: 'keep'; readonly state: OpenState }
  | {
      readonly do: 'finish'
      readonly state: FinalState
      readonly effect?: Effect | undefined
      readonly reason?: string | undefined
    }

/** The longest time after which a sent request may still take effect, in milliseconds. */
export const takesEffectWithinMs = 90_000

/** How long after `plan` `operations.run` can still send a payment whose `resendFor` is 0, in milliseconds. */
const firstSendWithinMs = 60_000

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
  // Looks up the payment first, because the response also contains the service's time, which determines whether the
  // request may still be sent.
  if (by === 'recover' && seen === undefined && (isCreate(operation) || isAmbiguous)) return { do: 'look' }
  const isFirst = firstSentAt === undefined
  const age = ageOf(operation, facts)
  const isRemembered = (isFirst && canSend) || age < facts.keyLifetime
  // If the service did not respond, the time on its clock is unknown, and the operation may be older than `age`.
  const isTimeUnknown = seen?.kind === 'unreadable' && serviceNow === undefined

  if (isCreate(operation)) {
    // Once nobody is waiting for the result, only merchant-initiated payments are resent. A key that the service
    // reports as used is never resent, because the response would be the same.
    const isWanted = (by !== 'recover' || isFirst || details.isMerchantInitiated === true) && !details.isKeyUsed
    const isInTime = age < resendFor && isRemembered
    if (isInTime && canSend && isWanted) return isTimeUnknown ? { do: 'keep', state } : { do: 'send' }
    if (isFirst && resendFor === 0 && age < firstSendWithinMs)
      return by === 'recover' ? { do: 'keep', state } : { do: 'send' }
    // Without an order ID, the payment cannot be found in the list.
    if (!isAmbiguous && operation.orderId === undefined) {
      if (isInTime) return { do: 'keep', state }
      return finish('not_executed', { reason: 'no request took effect before resendFor had passed' })
    }
    // Keeps the operation open, because `run` may still get a definite response if the customer retries.
    if (seen?.kind === 'unclear' && isInTime) return { do: 'keep', state }
    return afterLook(state, seen, withoutPayment(operation))
  }

  if (isRemembered && canSend) return isTimeUnknown ? { do: 'keep', state } : { do: 'send' }
  const forgotten = isFirst
    ? finish('not_executed', { reason: 'no request was sent before keyLifetime had passed' })
    : finish('needs_review', { reason: 'no effect is visible, and the service may have forgotten the key' })
  return afterLook(state, seen, isRemembered ? { do: 'keep', state } : forgotten)
}

/** Returns the next step for a `payments.create` operation if the payment list does not contain its payment. */
function withoutPayment(operation: OpenOperation): Step {
  const { details } = operation
  if (details.isKeyUsed) {
    const reason = 'the service reports that the key was used, but no payment with these values is in the list'
    return finish('needs_review', { reason })
  }
  if (details.httpStatus !== undefined) return finish('rejected')
  if (firstRequestAt(operation) === undefined) {
    return finish('not_executed', { reason: 'no request was sent before resendFor had passed' })
  }
  return finish('not_executed', { reason: 'no payment of this order appeared within 150 seconds of the last request' })
}

/** Returns whether the operation may still be resent with the same key. If it is, the response will show its result. */
export function mayBeResent(operation: OpenOperation, facts: Times): boolean {
  return operation.details.isBodyOmitted !== true && resendableFor(operation, facts) > 0
}

/** Returns the remaining milliseconds during which an operation may be resent. */
export function resendableFor(operation: OpenOperation, facts: Times): number {
  const limit = isCreate(operation) ? Math.min(operation.resendFor, facts.keyLifetime) : facts.keyLifetime
  return limit - ageOf(operation, facts)
}

/** Returns the remaining milliseconds during which an operation's next request may be sent. */
export function sendableFor(operation: OpenOperation, isFirst: boolean, facts: Times): number {
  if (!isFirst) return resendableFor(operation, facts)
  if (!isCreate(operation)) return Number.POSITIVE_INFINITY
  return (operation.resendFor || firstSendWithinMs) - ageOf(operation, facts)
}

/** Returns the time since the first request, or, if no request was sent, since the operation was stored. */
function ageOf(operation: OpenOperation, clocks: Clocks): number {
  // The start may be later than the current time, because it is stored as at least 1 ms after the end of the previous
  // operation on the same payment.
  return Math.max(0, ...timesSince(startOf(operation), operation, clocks))
}

type Clocks = Pick<Facts, 'now' | 'serviceNow'>

/** Returns the milliseconds since `time` on the database's clock and, if it is known, on the service's clock. */
function timesSince(time: number, { details }: OpenOperation, { now, serviceNow }: Clocks): number[] {
  const sinceTime = now - time
  return serviceNow === undefined ? [sinceTime] : [sinceTime, serviceNow - time - (details.clockOffset ?? 0)]
}

/**
 * Returns the time of the first request, or undefined if no request was sent. Claiming stores `firstSentAt` before the
 * request. If the payment was too old to be sent at that time, no request followed.
 */
export function firstRequestAt(operation: OpenOperation): number | undefined {
  const { createdAt, firstSentAt = createdAt, resendFor } = operation
  const isTooLate = isCreate(operation) && firstSentAt - createdAt >= (resendFor || firstSendWithinMs)
  return isTooLate ? undefined : operation.firstSentAt
}

function startOf(operation: OpenOperation): number {
  return firstRequestAt(operation) ?? operation.createdAt
}

/**
 * Returns the next step for an operation that must not be resent.
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
    case 'impossible':
      return finish('not_executed', { reason: 'nothing was left to capture or refund' })
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
    case 'held':
      return afterLook(operation.state as OpenState, reply.lost, { do: 'keep', state: operation.state as OpenState })
    case 'invalid':
      // A client with another version or other options may accept the arguments.
      return { do: 'keep', state: operation.state as OpenState }
    case 'open':
      // A retry would get the same response, so the result is final if the lookup found the effect or ruled it out.
      if (reply.isKeyUsed && (seen === undefined || ['effect', 'failed'].includes(seen.kind))) {
        return afterLook('unknown', seen, { do: 'keep', state: 'unknown' })
      }
      // The first request cannot have used the key, so a record is missing, for example after a restored backup.
      if (reply.isKeyUsed && reply.isOnlyRequest && operation.attempts === 0 && !isCreate(operation)) {
        const isInvisible = ['none', 'impossible', 'unclear'].includes(String(seen?.kind))
        if (isInvisible) return finish('needs_review', { reason: keyWasUsed })
      }
      if (wasAmbiguous || reply.isAmbiguous) return { do: 'keep', state: 'unknown' }
      return { do: 'keep', state: reply.isSent ? 'sent' : (operation.state as OpenState) }
    case 'rejected': {
      if (!wasAmbiguous && !reply.isAmbiguous) return finish('rejected')
      const stayUnknown: Step = { do: 'keep', state: 'unknown' }
      if (seen === undefined || !withoutEffect.includes(seen.kind)) return afterLook('unknown', seen, stayUnknown)
      // If an earlier request with this key had taken effect, the service would have returned its response instead of a
      // rejection. But a delayed request may still take effect.
      const sinceRequest = Math.min(...timesSince(lastRequestAt(operation), operation, facts))
      return reply.isOnlyRequest && sinceRequest >= takesEffectWithinMs ? finish('rejected') : stayUnknown
    }
  }
}

const keyWasUsed =
  'the key was used before this operation was sent: compare the payment with the dashboard, then call resolve'

/** The results of a search that did not find this operation's effect. */
const withoutEffect: readonly LookupResult['kind'][] = ['none', 'failed', 'impossible', 'other-first']

/** Returns the latest time at which a request may have been in progress. */
function lastRequestAt({ createdAt, firstSentAt = createdAt, lastSentAt = firstSentAt }: OpenOperation): number {
  return lastSentAt
}

function finish(state: FinalState, result: { effect?: Effect; reason?: string } = {}): Step {
  return { do: 'finish', state, ...result }
}
