import { namesOf } from '../contract/operation.js'
import { ConfigurationError, RequestValidationError } from '../errors.js'
import { type Deadline, Interrupted } from '../internal/deadline.js'
import type { IdempotencyKeyFunction } from '../options.js'
import type { Settings } from '../settings.js'
import { idempotencyKeyProblem } from './call-options.js'
import { interrupted } from './failure.js'
import { History } from './history.js'
import { claimKey } from './key-store.js'
import type { PreparedRequest } from './request.js'

/** The key that goes out, if one does: the caller's, else as the client's options say. */
export async function idempotencyKeyFor(
  request: PreparedRequest,
  { idempotency, idempotencyStore: store }: Settings,
  deadline: Deadline,
): Promise<string | undefined> {
  if (request.operation.class !== 'keyed') return undefined
  const given = request.options.idempotencyKey ?? (idempotency === 'auto' ? crypto.randomUUID() : undefined)
  if (store === undefined && (given !== undefined || idempotency === 'off')) return given
  try {
    return await deadline.run(async () => {
      const key = given ?? (typeof idempotency === 'function' ? await makeKey(idempotency, request) : undefined)
      if (store !== undefined && key !== undefined) await claimKey(store, key, request)
      return key
    })
  } catch (error) {
    throw error instanceof Interrupted ? new History(request, given).toError(interrupted(error, 'queue')) : error
  }
}

/** Ask the caller's function for a key. */
async function makeKey(make: IdempotencyKeyFunction, request: PreparedRequest): Promise<string | undefined> {
  const call = namesOf(request.operation)
  let key: string | undefined
  try {
    key = await make(call.operation, request.params, request.bodyValue)
  } catch {
    throw new ConfigurationError('The idempotency function failed', { ...call, outcome: 'not_sent', attempts: [] })
  }
  const problem = key === undefined ? undefined : idempotencyKeyProblem(key)
  if (problem) throw new RequestValidationError([{ path: ['idempotencyKey'], message: problem }], call)
  return key
}
