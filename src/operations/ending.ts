import type { WithResponse } from '../core/call.js'
import { type AnyOperation, namesOf } from '../core/contract/operation.js'
import type { ApiError, CallFacts, PaymentsError } from '../core/errors.js'
import type { PaymentCore } from '../core/schemas/payment.js'
import type { CallRecord } from '../core/transport/call-record.js'
import { type Reply, resendableFor, type Step, type Times } from './decide.js'
import { ofOpenOperation, recordedError } from './errors.js'
import type { Lookup } from './lookup.js'
import { isOpenState, type StoredOperation } from './record.js'
import type { Ending } from './rules.js'

// These functions compute the changes to the operation's record, and the result of the call, when an execution ends.

export interface Progress {
  /** The operation's record without the attempt that the claim counted. After the ending is stored, the stored record. */
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
  reply?.kind === 'done' || reply?.kind === 'rejected' || (reply?.kind === 'open' && reply.isSent)

/** The shortest and longest wait between two executions that the service rejected, in milliseconds. */
const firstWaitMs = 5_000
const longestWaitMs = 600_000
/** The longest time to wait because of `Retry-After`, in milliseconds. */
const longestRetryAfterMs = 3_600_000

/**
 * Returns how long `operations.recover` waits after a 401, 403, 429 or 5xx response: the time in `Retry-After`, else a
 * delay that doubles with each further failure.
 */
function waitAfter(error: unknown, refusals: number): number | undefined {
  const { httpStatus = 0, retryAfterMs } = Object(error) as Partial<ApiError>
  if (!asksToWait(httpStatus)) return undefined
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, longestRetryAfterMs)
  return refusals > 1 ? Math.min(firstWaitMs * 2 ** (refusals - 2), longestWaitMs) : undefined
}

/** Limits a wait, so that a payment is looked up as soon as its `resendFor` has passed, and other operations are resent. */
function withinResendFor(waitMs: number | undefined, row: StoredOperation, times: Times): number | undefined {
  if (waitMs === undefined) return undefined
  const remaining = resendableFor(row, times)
  if (waitMs < remaining) return waitMs
  return Math.min(waitMs, row.operation === 'payments.create' && remaining > 0 ? remaining : longestWaitMs)
}

const asksToWait = (status: number) => [401, 403, 429].includes(status) || status >= 500

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
  // Does not count the GET request that fetched the payment after a key conflict.
  const isRecovered = reply?.kind === 'done' && lookup.response?.response.recovered === true
  const requests = (call?.attempts.length ?? 0) - Number(isRecovered)
  const measured = isSent(reply) ? clockOffset : undefined
  const failure = error ?? lookup.error
  const refusals = asksToWait(Object(failure).httpStatus ?? 0) ? (details.refusals ?? 0) + 1 : undefined
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
      before: firstSentAt === undefined && step.do === 'keep' ? undefined : row.before,
      details: {
        ...details,
        // Prefers the measurement of the first request, because a clock may have been set since the record was created.
        clockOffset: row.attempts === 0 ? (measured ?? details.clockOffset) : (details.clockOffset ?? measured),
        capturedAfter: effect?.capturedAfter,
        dateUpdated: effect?.dateUpdated,
        httpStatus: isRejected ? (rejection?.httpStatus ?? details.httpStatus) : undefined,
        refusals,
      },
    },
    waitMs: withinResendFor(waitAfter(failure, refusals ?? 0), row, lookup.times),
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
