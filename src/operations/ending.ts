import type { WithResponse } from '../core/call.js'
import { type AnyOperation, namesOf } from '../core/contract/operation.js'
import type { ApiError, CallFacts, PaymentsError } from '../core/errors.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import type { CallRecord } from '../core/transport/call-record.js'
import type { Reply, Step } from './decide.js'
import { ofOpenOperation, recordedError } from './errors.js'
import type { Ending } from './journal.js'
import type { Lookup } from './lookup.js'
import { isOpenState, type StoredOperation } from './record.js'

// At the end of an execution, these functions compute the changes to the operation's record and the result of the call.

/** The state of an operation's execution. */
export interface Progress {
  /** The operation's record without the claim's changes: a claim counts the next request in advance. */
  readonly row: StoredOperation
  readonly operation: AnyOperation
  /** The client call. Absent if no request was prepared. */
  readonly call: CallRecord | undefined
  readonly reply: Reply | undefined
  /** The error with which the request failed. */
  readonly error: unknown
  readonly lookup: Lookup
}

/** Returns whether a request may have been sent. */
export const isSent = (reply: Reply | undefined): boolean =>
  reply !== undefined && reply.kind !== 'invalid' && !(reply.kind === 'open' && !reply.isSent)

/** Returns the fields of the operation's record that change when its execution ends. */
export function endingOf(
  { row, call, reply, error, lookup }: Progress,
  step: Extract<Step, { do: 'keep' | 'finish' }>,
  clockOffset: number | undefined,
): Ending {
  const { firstSentAt, details } = row
  const { effect, reason } = step.do === 'finish' ? step : {}
  const rejection = reply?.kind === 'rejected' ? (error as ApiError) : undefined
  const wasRejected = reply === undefined ? details.httpStatus !== undefined : rejection !== undefined
  const isRejected = wasRejected && !effect
  // Does not count the GET request that fetched the payment after a key conflict: it did not send the operation.
  const isRecovered = reply?.kind === 'done' && lookup.response?.response.recovered === true
  const requests = (call?.attempts.length ?? 0) - Number(isRecovered)
  return {
    row: {
      state: step.state,
      firstSentAt,
      attempts: firstSentAt === undefined ? 0 : row.attempts + requests,
      orderId: row.orderId ?? lookup.response?.data.orderId,
      paymentId: effect?.paymentId,
      transactionId: effect?.transactionId,
      status: effect?.status,
      errorId: isRejected ? (rejection?.errorId ?? row.errorId) : undefined,
      reason,
      before: firstSentAt === undefined ? undefined : row.before,
      details: {
        ...details,
        clockOffset: details.clockOffset ?? (isSent(reply) ? clockOffset : undefined),
        capturedAfter: effect?.capturedAfter,
        dateUpdated: effect?.dateUpdated,
        httpStatus: isRejected ? (rejection?.httpStatus ?? details.httpStatus) : undefined,
      },
    },
    isSent: isSent(reply) && !(reply?.kind === 'rejected' && reply.isOnlyRequest),
    known: lookup.known,
  }
}

/**
 * Returns the payment after the operation. If the operation did not succeed, throws an error that describes its state.
 */
export async function resultOf(progress: Progress): Promise<WithResponse<PaymentCore>> {
  const { row, operation, call, reply, error, lookup } = progress
  if (reply?.kind === 'done' && reply.result.kind !== 'none') return lookup.response as WithResponse<PaymentCore>
  if (row.state === 'succeeded') {
    const found = lookup.response ?? (await fetchResult(row, lookup))
    return (call?.toResult(found, true) ?? found) as WithResponse<PaymentCore>
  }
  if (error !== undefined && isOpenState(row.state)) throw ofOpenOperation(error, row)
  // In the state `not_executed`, this error reports that the key was used, so its `retry` does not apply.
  if (row.state === 'rejected' && (error as Partial<PaymentsError>)?.outcome === 'rejected') throw error
  const recorded = recordedError(row, operation, callFacts(progress))
  if (error !== undefined) Object.defineProperty(recorded, 'cause', { value: error })
  throw recorded
}

/**
 * Fetches the payment of an operation that succeeded. If that fails, throws an error with the outcome `accepted`,
 * because the operation took effect.
 */
async function fetchResult({ key, paymentId }: StoredOperation, lookup: Lookup): Promise<WithResponse<PaymentCore>> {
  try {
    return await lookup.get(paymentId)
  } catch (error) {
    throw Object.assign(error as Error, { outcome: 'accepted', retry: 'same-key', idempotencyKey: key })
  }
}

export function callFacts({ row, operation, call }: Progress): CallFacts {
  const own = { ...namesOf(operation), idempotencyKey: row.key, resourceId: row.id, attempts: [] }
  return { outcome: 'not_sent', retry: 'no', ...own, ...call?.facts() }
}
