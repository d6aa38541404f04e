import type { FinalState, OpenState, StoredOperation } from './record.js'

// Decides what an open operation becomes. Everything else in this folder collects the facts and performs the steps.

/** The fields of an open record that determine the next step. */
export type OpenOperation = Pick<
  StoredOperation,
  'operation' | 'state' | 'createdAt' | 'firstSentAt' | 'resendFor' | 'details'
>

const isCreate = ({ operation }: OpenOperation): boolean => operation === 'payments.create'

/** The effect of an operation, as the service reports it. */
export interface Effect {
  readonly paymentId: string
  readonly transactionId?: string | undefined
  readonly status?: string | undefined
  readonly capturedAfter?: number | undefined
}

/** The result of looking for an operation's effect. */
export type Sighting =
  | { readonly kind: 'effect'; readonly effect: Effect }
  /** There is no effect. */
  | { readonly kind: 'none' }
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

/** The result of sending the operation. */
export type Reply =
  /** The operation took effect, now or by an earlier request with the same key. */
  | { readonly kind: 'done'; readonly sighting: Sighting }
  /** The service rejected the request for its content. */
  | { readonly kind: 'rejected'; readonly isAmbiguous: boolean }
  /** The SDK rejected the stored arguments, because its version or its options have changed. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** Any other failure. */
  | { readonly kind: 'open'; readonly isSent: boolean; readonly isAmbiguous: boolean; readonly isKeyUsed?: boolean }

export interface Facts {
  readonly by: 'call' | 'run' | 'settle'
  /** Whether the caller has the body, so that the journal need not store it. */
  readonly hasBody?: boolean
  readonly now: number
  /** The service's time in the latest response that contained one. */
  readonly serviceNow?: number | undefined
  readonly keyLifetime: number
  readonly reply?: Reply | undefined
  /** The result of the latest look, after the latest reply. */
  readonly seen?: Sighting | undefined
}

/** The facts that limit retries. */
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

/** Milliseconds in which `operations.run` may send a planned payment whose `resendFor` is 0. */
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
  // The look also returns the service's time, which decides whether the operation is still sent.
  if (by === 'settle' && seen === undefined && (isCreate(operation) || isAmbiguous)) return { do: 'look' }
  const isFirst = firstSentAt === undefined
  const age = ageOf(operation, facts)
  // Without the service's time, more time may have passed on its clock.
  const isTimeUnknown = seen?.kind === 'unreadable' && serviceNow === undefined

  if (isCreate(operation)) {
    if (age < resendFor && canSend) return isTimeUnknown ? { do: 'keep', state } : { do: 'send' }
    if (isFirst && resendFor === 0 && age < firstSendWithin)
      return by === 'settle' ? { do: 'keep', state } : { do: 'send' }
    if (!isAmbiguous) return finish('not_executed', { reason: 'resendFor passed before a request could take effect' })
    return afterLook(state, seen, withoutPayment(operation))
  }

  const isRemembered = isFirst || age < facts.keyLifetime
  if (isRemembered && canSend) return isTimeUnknown ? { do: 'keep', state } : { do: 'send' }
  const forgotten = finish('needs_review', {
    reason: 'no effect is visible, and the service may have forgotten the key',
  })
  return afterLook(state, seen, isRemembered ? { do: 'keep', state } : forgotten)
}

/** Returns the step for a new payment that is not in the list. */
function withoutPayment({ details }: OpenOperation): Step {
  if (details.isKeyUsed) {
    const reason = 'the service reports that the key was used, but no payment with these values is in the list'
    return finish('needs_review', { reason })
  }
  if (details.httpStatus !== undefined) return finish('rejected')
  return finish('not_executed', { reason: 'no payment of this order appeared within a minute' })
}

/** Returns whether an operation will still be resent, so that its result will become certain. */
export function willBeResent(operation: OpenOperation, facts: Times): boolean {
  return operation.details.isBodyOmitted !== true && resendableFor(operation, facts) > 0
}

/** Returns for how many milliseconds an operation may still be resent. */
export function resendableFor(operation: OpenOperation, facts: Times): number {
  return (isCreate(operation) ? operation.resendFor : facts.keyLifetime) - ageOf(operation, facts)
}

/** Returns the age of an operation: the time since its first request or, before it, since it was stored. */
function ageOf(operation: OpenOperation, { now, serviceNow }: Omit<Times, 'keyLifetime'>): number {
  const startedAt = startOf(operation)
  const age = now - startedAt
  return serviceNow === undefined ? age : Math.max(age, serviceNow - (startedAt + (operation.details.clockOffset ?? 0)))
}

function startOf(operation: OpenOperation): number {
  const { createdAt, firstSentAt = createdAt, resendFor } = operation
  // If a process dies before it decides, its claim looks like a request. But this late, none was sent.
  const isTooLate = isCreate(operation) && firstSentAt - createdAt >= (resendFor || firstSendWithin)
  return isTooLate ? createdAt : firstSentAt
}

/**
 * Returns the step for an operation that is not resent.
 *
 * @param none The step if there is no effect.
 */
function afterLook(state: OpenState, seen: Sighting | undefined, none: Step): Step {
  switch (seen?.kind) {
    case undefined:
      return { do: 'look' }
    case 'effect':
      return finish('succeeded', { effect: seen.effect })
    case 'unclear':
      return finish('needs_review', { reason: seen.reason })
    case 'missing':
    case 'none':
      return none
    default:
      return { do: 'keep', state }
  }
}

function afterRequest(operation: OpenOperation, { seen }: Facts, reply: Reply): Step {
  const wasAmbiguous = operation.state === 'unknown'
  switch (reply.kind) {
    case 'done':
      if (reply.sighting.kind === 'effect') return finish('succeeded', { effect: reply.sighting.effect })
      if (reply.sighting.kind === 'unclear') return finish('needs_review', { reason: reply.sighting.reason })
      return { do: 'keep', state: 'unknown' }
    case 'invalid':
      return finish('needs_review', { reason: reply.reason })
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
        // With a remembered key, the service would not have rejected a request that took effect before.
        case 'older-first':
        case 'none':
          return finish('rejected')
        case 'unclear':
          return finish('needs_review', { reason: seen.reason })
        default:
          return { do: 'keep', state: 'unknown' }
      }
  }
}

function finish(state: FinalState, result: { effect?: Effect; reason?: string } = {}): Step {
  return { do: 'finish', state, ...result }
}
