import type { FinalState, OpenState } from './record.js'

// Decides what an open operation becomes. Everything else in this folder collects the facts and performs the steps.

/** The parts of an open record that determine the next step. Times are milliseconds on the database's clock. */
export interface OpenOperation {
  readonly isCreate: boolean
  /** `planned` or `sent`: no request can have taken effect. `unknown`: an earlier request may have. */
  readonly state: OpenState
  readonly createdAt: number
  /** Absent if no request was sent. */
  readonly firstSentAt?: number | undefined
  /** Milliseconds from the database's clock to the service's clock at the first request. */
  readonly clockOffset?: number | undefined
  readonly resendFor: number
  /** Whether the body that the request needs is at hand. */
  readonly canSend: boolean
  /** Whether the service rejected an earlier request for its content. */
  readonly wasRefused: boolean
}

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
  /** The effect may belong to a newer open operation, which is sent again, so that its result will become certain. */
  | { readonly kind: 'newer-first' }
  /** The current state does not show whether the operation took effect. */
  | { readonly kind: 'unclear'; readonly reason: string }
  /** The service did not respond. */
  | { readonly kind: 'unreadable' }

/** The result of sending the operation. */
export type Reply =
  /** The operation took effect, now or by an earlier request with the same key. */
  | { readonly kind: 'done'; readonly sighting: Sighting }
  /** The service rejected the request for its content. */
  | { readonly kind: 'refused'; readonly isAmbiguous: boolean }
  /** The SDK rejected the stored arguments, because its version or its options have changed. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** Any other failure. */
  | { readonly kind: 'open'; readonly isSent: boolean; readonly isAmbiguous: boolean }

export interface Facts {
  readonly by: 'call' | 'run' | 'settle'
  readonly now: number
  /** The service's time, if this process just received it. */
  readonly serviceNow?: number | undefined
  readonly keyLifetime: number
  readonly reply?: Reply | undefined
  /** The result of the latest look, after the latest reply. */
  readonly seen?: Sighting | undefined
}

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
  const { isCreate, state, firstSentAt, resendFor, canSend } = operation
  const { by, seen, serviceNow } = facts
  const isAmbiguous = state === 'unknown'
  // The look also returns the service's time, which decides whether the operation is still sent.
  if (by === 'settle' && seen === undefined && (isCreate || isAmbiguous)) return { do: 'look' }
  const isFirst = firstSentAt === undefined
  const age = ageOf(operation, facts)
  // Without the service's time, more time may have passed on its clock.
  const isTimeUnknown = seen?.kind === 'unreadable' && serviceNow === undefined

  if (isCreate) {
    if (age < resendFor && canSend) return isTimeUnknown ? { do: 'keep', state } : { do: 'send' }
    if (isFirst && resendFor === 0 && age < firstSendWithin)
      return by === 'settle' ? { do: 'keep', state } : { do: 'send' }
    if (!isAmbiguous) return finish('not_executed', undefined, 'resendFor passed before a request could take effect')
    return afterLook(operation, seen, age < resendFor)
  }

  const isRemembered = isFirst || age < facts.keyLifetime
  if (!isRemembered || !canSend) return afterLook(operation, seen, isRemembered)
  return isTimeUnknown ? { do: 'keep', state } : { do: 'send' }
}

/** Returns whether an operation is still sent again, so that its result will become certain. */
export function isSentAgain(operation: OpenOperation, facts: Omit<Facts, 'by'>): boolean {
  const limit = operation.isCreate ? operation.resendFor : facts.keyLifetime
  return operation.canSend && ageOf(operation, facts) < limit
}

/** Returns the age of an operation: the time since its first request or, before it, since it was stored. */
function ageOf(operation: OpenOperation, { now, serviceNow }: Pick<Facts, 'now' | 'serviceNow'>): number {
  const startedAt = startOf(operation)
  const age = now - startedAt
  return serviceNow === undefined ? age : Math.max(age, serviceNow - (startedAt + (operation.clockOffset ?? 0)))
}

function startOf({ isCreate, createdAt, firstSentAt = createdAt, resendFor }: OpenOperation): number {
  // If a process dies before it decides, its claim looks like a request. But this late, none was sent.
  const isTooLate = isCreate && firstSentAt - createdAt >= (resendFor || firstSendWithin)
  return isTooLate ? createdAt : firstSentAt
}

/** Finishes an operation that is not sent again. */
function afterLook(operation: OpenOperation, seen: Sighting | undefined, isRecent: boolean): Step {
  const { isCreate, state, wasRefused } = operation
  switch (seen?.kind) {
    case undefined:
      return { do: 'look' }
    case 'effect':
      return finish('succeeded', seen.effect)
    case 'unclear':
      return finish('needs_review', undefined, seen.reason)
    case 'none':
      if (isCreate) {
        return wasRefused
          ? finish('rejected')
          : finish('not_executed', undefined, 'no payment of this order appeared within a minute')
      }
      return isRecent
        ? { do: 'keep', state }
        : finish('needs_review', undefined, 'no effect is visible, and the service may have forgotten the key')
    default:
      return { do: 'keep', state }
  }
}

function afterRequest(operation: OpenOperation, { seen }: Facts, reply: Reply): Step {
  const wasAmbiguous = operation.state === 'unknown'
  switch (reply.kind) {
    case 'done':
      if (reply.sighting.kind === 'effect') return finish('succeeded', reply.sighting.effect)
      if (reply.sighting.kind === 'unclear') return finish('needs_review', undefined, reply.sighting.reason)
      return { do: 'keep', state: 'unknown' }
    case 'invalid':
      return finish('needs_review', undefined, reply.reason)
    case 'open':
      if (wasAmbiguous || reply.isAmbiguous) return { do: 'keep', state: 'unknown' }
      return { do: 'keep', state: reply.isSent ? 'sent' : operation.state }
    case 'refused':
      if (!wasAmbiguous && !reply.isAmbiguous) return finish('rejected')
      switch (seen?.kind) {
        case undefined:
          return { do: 'look' }
        case 'effect':
          return finish('succeeded', seen.effect)
        // With a remembered key, the service would not have rejected a request that took effect before.
        case 'older-first':
        case 'none':
          return finish('rejected')
        case 'unclear':
          return finish('needs_review', undefined, seen.reason)
        default:
          return { do: 'keep', state: 'unknown' }
      }
  }
}

function finish(state: FinalState, effect?: Effect, reason?: string): Step {
  return { do: 'finish', state, ...(effect && { effect }), ...(reason !== undefined && { reason }) }
}
