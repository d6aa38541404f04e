import { ConfigurationError, RequestValidationError } from '../errors.js'
import { sha256 } from '../internal/bytes.js'
import { Interrupted } from '../internal/deadline.js'
import { isObject } from '../internal/objects.js'
import { problemWith } from '../internal/validation.js'
import type { IdempotencyKeyFunction, IdempotencyStore } from '../options.js'
import { idempotencyKey } from './call-options.js'
import type { CallRecord } from './call-record.js'
import { interrupted } from './failure.js'

/** Uses the caller's idempotency key, or creates one as the client's option `idempotency` specifies. */
export function assignKey(call: CallRecord): void | Promise<void> {
  const { request, settings } = call
  if (request.operation.class !== 'keyed') return
  const { idempotency, idempotencyStore } = settings
  call.isKeyGenerated = request.options.idempotencyKey === undefined && idempotency === 'auto'
  call.idempotencyKey = call.isKeyGenerated ? settings.runtime.uuid() : request.options.idempotencyKey
  if (typeof idempotency === 'function' || idempotencyStore !== undefined) return assignWithin(call)
}

async function assignWithin(call: CallRecord): Promise<void> {
  const { idempotency, idempotencyStore } = call.settings
  try {
    await call.deadline.run(async () => {
      if (typeof idempotency === 'function') call.idempotencyKey ??= await createKey(idempotency, call)
      if (idempotencyStore !== undefined) await claimKey(idempotencyStore, call)
    })
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    throw call.toError(interrupted(error, 'queue', call.sent))
  }
}

async function createKey(create: IdempotencyKeyFunction, call: CallRecord): Promise<string | undefined> {
  const { operation, params, bodyValue } = call.request
  let key: string | undefined
  try {
    key = await create(operation.name, params, bodyValue)
  } catch {
    throw new ConfigurationError('The idempotency function threw an error or rejected', call.facts())
  }
  const problem = key === undefined ? undefined : problemWith(idempotencyKey, key)
  if (problem) throw new RequestValidationError([{ ...problem, path: ['idempotencyKey'] }], call.facts())
  return key
}

/**
 * Stores the request's fingerprint under the idempotency key. Throws if the key was used for another request, because
 * the service would return that request's response.
 */
async function claimKey(store: IdempotencyStore, call: CallRecord): Promise<void> {
  if (call.idempotencyKey === undefined) return
  const fingerprint = await sha256(identityOf(call))
  let stored: unknown
  try {
    stored = await store.claim(call.idempotencyKey, fingerprint)
  } catch {}
  if (typeof stored !== 'string') {
    throw new ConfigurationError(
      'The function claim of the idempotencyStore threw an error or did not return a string',
      call.facts(),
    )
  }
  if (stored === fingerprint) return
  // Does not suggest a new key, because this call may be a retry of a request that took effect.
  const message =
    'was used for another request, which may have taken effect: pass the same operation, path and body as before'
  const issue = { path: ['options', 'idempotencyKey'], code: 'not_allowed', message } as const
  throw new RequestValidationError([issue], call.facts())
}

/**
 * Returns a string that identifies a request: different requests never have the same string. Idempotency stores receive
 * only the string's hash, because the string contains customer data. The order of fields has no effect, because a
 * database may change the order in a stored body.
 */
export function identityOf({ request }: Pick<CallRecord, 'request'>): string {
  const { operation, target, bodyValue } = request
  const body = bodyValue === undefined ? '' : JSON.stringify(bodyValue, (_, value) => withSortedFields(value))
  return `${operation.method} ${target}\n${body}`
}

function withSortedFields(value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
}
