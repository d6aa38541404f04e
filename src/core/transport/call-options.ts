import type { OverrideProperties } from 'type-fest'
import type { AnyOperation } from '../contract/operation.js'
import { headersProblem, toHeaders } from '../internal/headers.js'
import type { Issue } from '../internal/issues.js'
import { isObject } from '../internal/objects.js'
import {
  boolean,
  checkedBy,
  checkOptions,
  custom,
  integer,
  matching,
  milliseconds,
  optionsOf,
  type Problem,
  signal,
} from '../internal/validation.js'
import type { IdempotentRequestOptions, ResendableRequestOptions } from '../options.js'

type GivenOptions = IdempotentRequestOptions & ResendableRequestOptions

export type CallOptions = OverrideProperties<GivenOptions, { headers?: Readonly<Record<string, string>> }>

export const idempotencyKey = matching(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')

export const schema = optionsOf<GivenOptions>({
  signal,
  timeout: milliseconds,
  totalTimeout: milliseconds,
  maxRetries: integer(0, 100),
  headers: checkedBy(headersProblem),
  idempotencyKey,
  resend: boolean,
  allowSecondPayment: boolean,
  // `checkBody` checks the fields.
  extraBody: custom(isObject, 'must be an object of fields'),
})

export function checkCallOptions(operation: AnyOperation, given: unknown, issues: Issue[]): CallOptions {
  if (given === undefined) return {}
  const { values, issues: found } = checkOptions(given, schema, { path: ['options'] })
  issues.push(...found)
  const reject = (name: keyof GivenOptions, problem: Problem) => issues.push({ ...problem, path: ['options', name] })
  const notTaken: Problem = { code: 'not_allowed', message: `is not an option of ${operation.name}` }
  if (Object.hasOwn(Object(given), 'idempotencyKey')) {
    if (operation.class !== 'keyed') reject('idempotencyKey', notTaken)
    // Rejects an explicit `undefined`, because it is probably a mistake. If the client generated a key instead, a later
    // call with the intended key could repeat the operation.
    else if (Object(given).idempotencyKey === undefined) {
      reject('idempotencyKey', { code: 'missing', message: 'must not be undefined: pass a key, or omit the option' })
    }
  }
  if (Object(given).resend !== undefined && !operation.resendable) reject('resend', notTaken)
  if (Object(given).allowSecondPayment !== undefined && operation.name !== 'payments.create') {
    reject('allowSecondPayment', notTaken)
  }
  if (values.extraBody !== undefined && operation.body === undefined) reject('extraBody', notTaken)
  return { ...values, headers: values.headers && toHeaders(values.headers) }
}

export function isCallOption(name: unknown): boolean {
  return typeof name === 'string' && Object.hasOwn(schema.shape, name)
}
