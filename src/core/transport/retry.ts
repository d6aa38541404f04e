import type { WithResponse } from '../call.js'
import type { AnyOperation } from '../contract/operation.js'
import { paymentIn } from '../contract/operation.js'
import { AbortedError } from '../errors.js'
import type { Interrupted } from '../internal/deadline.js'
import type { PaymentCore } from '../schemas/payment.js'
import { attempt } from './attempt.js'
import { AttemptContext, CallRecord } from './call-record.js'
import { retryScheduled } from './events.js'
import { aborted, type Failure, interrupted, keyWasUsed } from './failure.js'
import { prepareRequest } from './request.js'
import { maxRetryAfterMs } from './retry-after.js'

/** Sends attempts until one succeeds, or until a retry would be unsafe or useless. */
export async function sendWithRetries(call: CallRecord): Promise<WithResponse<unknown>> {
  const { maxRetries = call.settings.maxRetries } = call.request.options
  const { refetch } = call.request.operation
  let waitedMs = 0
  for (let retry = 0; ; retry++) {
    const wasAmbiguous = call.isAmbiguous
    const result = await attempt(new AttemptContext(call, waitedMs))
    if (result.kind === 'success') {
      call.limits.retryBudget.earn()
      return call.toResult(result)
    }
    const { failure } = result
    if (refetch && (wasAmbiguous || call.isKeyGenerated) && keyWasUsed(failure)) return recover(call, refetch, failure)
    if (retry >= maxRetries || !call.mayRetry(failure)) throw call.toError(failure)
    waitedMs = await waitBeforeRetry(call, failure, retry)
  }
}

/**
 * Waits before the next attempt and returns the delay. Throws if the service requested too long a delay, if the
 * deadline or the journal's time limit passes, or if the retry budget is empty.
 */
async function waitBeforeRetry(call: CallRecord, failure: Failure, retry: number): Promise<number> {
  const { deadline, limits, settings } = call
  const retryAfterMs = failure.response?.retryAfterMs ?? 0
  if (retryAfterMs > maxRetryAfterMs || retryAfterMs >= deadline.remaining) throw call.toError(failure)
  const delayMs = Math.max(retryAfterMs, backoff(retry, settings.runtime.random()))
  if (call.sendingRules && delayMs >= call.sendingRules.remaining) throw call.toError(failure)
  if (!limits.retryBudget.spend()) throw call.toError(failure)
  retryScheduled(call, delayMs, failure.code)
  try {
    await deadline.sleep(delayMs)
    return delayMs
  } catch (error) {
    throw call.toError(interrupted(error as Interrupted, 'backoff', call.sent))
  }
}

/**
 * Returns a random delay in milliseconds. Its maximum doubles with every retry. Randomness spreads the retries of many
 * clients over time.
 */
export function backoff(retry: number, random: number): number {
  return random * Math.min(8_000, 500 * 2 ** retry)
}

/**
 * Recovers from a key conflict, which means that an earlier attempt took effect, but its response was lost. Fetches the
 * payment and returns it as the result of the call. Throws the conflict error if the payment cannot be fetched or does
 * not match the request.
 */
async function recover(call: CallRecord, refetch: AnyOperation, conflict: Failure): Promise<WithResponse<unknown>> {
  call.addOutcome('unknown')
  const { identity, request, settings, limits, deadline, attempts } = call
  const { paymentId } = conflict.response ?? {}
  const id = paymentIn(request) ?? paymentId
  if (id === undefined || (paymentId !== undefined && paymentId !== id)) throw call.toError(conflict)
  try {
    const { headers, timeout, maxRetries } = request.options
    const options = { headers, timeout, maxRetries }
    const retrieval = prepareRequest(settings, refetch, { params: { id } }, options, () => ({}))
    const result = await sendWithRetries(new CallRecord(identity, retrieval, limits, deadline, attempts))
    const { operation, bodyValue } = request
    // Compares the payment with the request, because an earlier call may have used the same key for another request.
    if (operation.isConsistent?.(result.data as PaymentCore, bodyValue) !== false) return call.toResult(result, true)
  } catch (error) {
    if (error instanceof AbortedError) throw call.toError(aborted('unknown', error.reason))
  }
  throw call.toError(conflict)
}
