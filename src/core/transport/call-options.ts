import type { AnyOperation } from '../contract/operation.js'
import { headersProblem, toHeaders } from '../internal/headers.js'
import type { Issue } from '../internal/issues.js'
import { isObject } from '../internal/objects.js'
import {
  boolean,
  checkOptions,
  integer,
  milliseconds,
  type Problem,
  type Rules,
  rule,
  signal,
} from '../internal/options.js'
import type { IdempotentRequestOptions, ResendableRequestOptions } from '../options.js'

type GivenOptions = IdempotentRequestOptions & ResendableRequestOptions

export type CallOptions = Omit<GivenOptions, 'headers'> & { headers?: Readonly<Record<string, string>> }

export const idempotencyKey = rule(
  (value) => typeof value === 'string' && /^[!-~]{1,255}$/.test(value),
  'must be 1 to 255 visible ASCII characters',
  'invalid_value',
)

const rules: Rules<GivenOptions> = {
  signal,
  timeout: milliseconds,
  totalTimeout: milliseconds,
  maxRetries: integer(0, 100),
  headers: headersProblem,
  idempotencyKey,
  resend: boolean,
  // `checkBody` checks the fields.
  extraBody: rule(isObject, 'must be an object of fields'),
}

export function checkCallOptions(operation: AnyOperation, given: unknown, issues: Issue[]): CallOptions {
  if (given === undefined) return {}
  const { values, issues: found } = checkOptions<GivenOptions>(given, rules, { path: ['options'] })
  issues.push(...found)
  const reject = (name: keyof GivenOptions, problem: Problem) => issues.push({ ...problem, path: ['options', name] })
  const notTaken: Problem = { code: 'not_allowed', message: `is not an option of ${operation.name}` }
  if (Object.hasOwn(Object(given), 'idempotencyKey')) {
    if (operation.class !== 'keyed') reject('idempotencyKey', notTaken)
    // Rejects an explicit `undefined`, because it is probably a mistake. If the SDK generated a key instead, a later
    // call with the intended key could take effect a second time.
    else if (Object(given).idempotencyKey === undefined) {
      reject('idempotencyKey', { code: 'missing', message: 'must not be undefined: pass a key, or omit the option' })
    }
  }
  if (values.resend !== undefined && !operation.resendable) reject('resend', notTaken)
  if (values.extraBody !== undefined && operation.body === undefined) reject('extraBody', notTaken)
  return { ...values, headers: values.headers && toHeaders(values.headers) }
}

export function isCallOption(name: unknown): boolean {
  return typeof name === 'string' && Object.hasOwn(rules, name)
}
