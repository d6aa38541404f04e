import { ConfigurationError, RequestValidationError } from '../errors.js'
import { Interrupted } from '../internal/deadline.js'
import { isObject } from '../internal/objects.js'
import { problemWith } from '../internal/validation.js'
import type { IdempotencyKeyFunction } from '../options.js'
import { idempotencyKey } from './call-options.js'
import type { CallRecord } from './call-record.js'
import { interrupted } from './failure.js'

/** Uses the caller's idempotency key, or creates one as the client's option `idempotency` specifies. */
export function assignKey(call: CallRecord): void | Promise<void> {
  const { request, settings } = call
  if (request.operation.class !== 'keyed') return
  const { idempotency } = settings
  call.isKeyGenerated = request.options.idempotencyKey === undefined && idempotency === 'auto'
  call.idempotencyKey = call.isKeyGenerated ? settings.runtime.uuid() : request.options.idempotencyKey
  if (typeof idempotency === 'function' && call.idempotencyKey === undefined) return assignWithin(call, idempotency)
}

async function assignWithin(call: CallRecord, create: IdempotencyKeyFunction): Promise<void> {
  try {
    call.idempotencyKey = await call.deadline.run(() => createKey(create, call))
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
 * Returns a string that identifies a request: different requests never have the same string. Journals store only the
 * string's hash, because the string contains customer data. The order of fields has no effect, because a
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
