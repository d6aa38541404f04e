/**
 * Whether a failed call took effect:
 *
 * - `not_sent`: the service cannot have acted.
 * - `rejected`: the service responded that it did not act.
 * - `unknown`: the service may or may not have acted; the message explains how to find out.
 * - `accepted`: the service responded 2xx, but the response could not be read.
 */
export type Outcome = 'not_sent' | 'rejected' | 'unknown' | 'accepted'

/**
 * The safe next step after a failed call:
 *
 * - `same-key`: retry later with the same idempotency key and the same body. The call may have taken effect, or it
 *   failed for a reason other than its content. An operation without a key can be called again unchanged.
 * - `new-key`: the service rejected the content of the request. Change the request, and send it with a new key. This is
 *   safe only if no earlier call with the old key had a different result.
 * - `check-first`: the operation cannot be retried safely, and may have taken effect. Check the current state first.
 * - `no`: the arguments or the configuration are invalid. No request was sent, and a retry fails again.
 */
export type Retry = 'same-key' | 'new-key' | 'check-first' | 'no'

/** The parts of an error response that determine the outcome of the request. */
export interface ErrorFacts {
  readonly status: number
  /** Whether the body has the service's error format. If not, a proxy or a firewall may have sent the response. */
  readonly hasEnvelope: boolean
  readonly hasErrorId: boolean
  /** The error id. Absent if it must not be printed, because it contains a value of the request. */
  readonly errorId?: string | undefined
}

/**
 * Returns the outcome of one request from its error response.
 *
 * - 408, 5xx, or a redirect of a write: `unknown`, because some servers continue to process the request.
 * - 400 or 409 without an error id, if the request had an idempotency key: `unknown`, because the error id would show
 *   whether the key was already used.
 * - 409 with an error id such as `RequestInProgress`: `unknown`, because an earlier request with this key may take
 *   effect.
 * - Any other 4xx: `rejected`.
 */
export function outcomeOfResponse(
  response: Pick<ErrorFacts, 'status' | 'hasErrorId' | 'errorId'>,
  { method, hasKey }: { method: string; hasKey: boolean },
): Outcome {
  const { status, hasErrorId } = response
  if (status === 408 || (status >= 300 && status < 400)) return method === 'GET' ? 'rejected' : 'unknown'
  if (hasKey && ((isConflictStatus(status) && !hasErrorId) || isInProgress(response))) return 'unknown'
  return status >= 400 && status < 500 ? 'rejected' : 'unknown'
}

/**
 * Returns the safe next step after a failed call.
 *
 * @param call.isRepeatable Whether a second request is safe, because the operation only reads, has an idempotency key,
 * or is idempotent.
 * @param call.response The error response that ended the call.
 * @param call.isInvalid Whether the SDK rejected the arguments or the configuration.
 */
export function retryOf({
  outcome,
  isRepeatable,
  response,
  isInvalid,
}: {
  outcome: Outcome
  isRepeatable: boolean
  response?: ErrorFacts | undefined
  isInvalid: boolean
}): Retry {
  if (outcome === 'not_sent') return isInvalid ? 'no' : 'same-key'
  if (outcome === 'rejected') return response !== undefined && concernsContent(response) ? 'new-key' : 'same-key'
  return isRepeatable ? 'same-key' : 'check-first'
}

const contentStatuses: ReadonlySet<number> = new Set([400, 404, 409, 422])

/** Returns whether the service rejected the content of a request, so that sending it again is useless. */
export function concernsContent(response: Omit<ErrorFacts, 'hasErrorId'>): boolean {
  const { hasEnvelope, status } = response
  return hasEnvelope && contentStatuses.has(status) && !isKeyConflict(response) && !isInProgress(response)
}

/** Returns whether the response reports that an earlier request is still running. */
function isInProgress({ status, errorId }: Pick<ErrorFacts, 'status' | 'errorId'>): boolean {
  return status === 409 && errorId !== undefined && /InProgress$/i.test(errorId)
}

/** Returns whether the response reports that the idempotency key was already used, for this or another request. */
export function isKeyConflict({ status, errorId }: Pick<ErrorFacts, 'status' | 'errorId'>): boolean {
  return isConflictStatus(status) && errorId !== undefined && /IdempotencyKey(AlreadyExists|Reused)$/i.test(errorId)
}

/** Older versions of the service report conflicts with the status 400. */
function isConflictStatus(status: number): boolean {
  return status === 409 || status === 400
}
