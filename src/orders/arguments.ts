import { RequestValidationError } from '../core/errors.js'
import type { DecisionKind } from '../core/helpers/order-keys.js'
import type { Issue } from '../core/internal/issues.js'
import { isObject } from '../core/internal/objects.js'
import {
  anyValue,
  boolean,
  checkOptions,
  date,
  func,
  integer,
  milliseconds,
  nonEmptyString,
  oneOf,
  type Rules,
  rule,
  signal,
  withMethods,
} from '../core/internal/options.js'
import type { Transport } from '../core/transport/transport.js'
import { journaled } from '../operations/effects.js'
import { identifier } from '../stores/store-options.js'
import {
  type CallOptions,
  type DecideOptions,
  type OrderFilter,
  type OrdersOptions,
  orderStates,
  type PayOptions,
  type WebhookOptions,
} from './types.js'

const maxIdLength = 128

/** Accepts an order ID, or the ID of a capture or refund. */
const id = rule(
  (value) =>
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= maxIdLength &&
    value.isWellFormed() &&
    !/\p{Cc}/u.test(value),
  `must be 1 to ${maxIdLength} characters of well-formed text without control characters`,
  'invalid_value',
)

const call: Rules<CallOptions> = { signal, timeout: milliseconds, totalTimeout: milliseconds }
const pay: Rules<PayOptions> = { ...call, reopen: boolean, resendFor: integer(0) }
const decide: Rules<DecideOptions> = { ...call, transaction: anyValue }

export const ordersRules: Rules<OrdersOptions> = {
  client: withMethods('withOptions'),
  // The engines check the database.
  database: anyValue,
  onChange: func,
  keyPrefix: rule(
    (value) => typeof value === 'string' && /^[!-~]{0,40}$/.test(value),
    'must be at most 40 characters from ! to ~',
    'invalid_value',
  ),
  tablePrefix: identifier,
  schema: identifier,
}

export const webhookRules: Rules<WebhookOptions> = { secret: anyValue, on: anyValue, onError: func }

export const recoverRules = { limit: integer(1), signal }
export const syncRules = { from: date, signal }
export const filterRules: Rules<OrderFilter> = {
  state: oneOf(...orderStates),
  updatedSince: date,
  limit: integer(1, 1000),
  cursor: nonEmptyString,
}

/** Returns the issues of an order ID. Together with the key prefix, it must not be longer than other IDs. */
export function orderIdIssues(prefix: string, orderId: unknown): Issue[] {
  const problem = id(orderId) ?? id(prefix + orderId)
  return problem ? [{ ...problem, path: ['orderId'] }] : []
}

/** Throws a `RequestValidationError` if there are issues. */
export function rejectIssues(issues: readonly Issue[], operation: string): void {
  if (issues.length > 0) throw new RequestValidationError([...issues], { operation })
}

/** Checks the arguments of a call. Returns the body of the operation. */
export function checkCall(
  transport: Transport,
  kind: DecisionKind,
  { prefix, orderId, request, options }: { prefix: string; orderId: string; request: unknown; options: unknown },
): object {
  const operation = `orders.${kind}`
  const issues = orderIdIssues(prefix, orderId)
  const rules: Rules<PayOptions & DecideOptions> = { ...(kind === 'pay' ? pay : decide) } as never
  issues.push(...checkOptions(options, rules, { path: ['options'] }).issues)
  if (!isObject(request)) issues.push({ path: ['request'], code: 'invalid_type', message: 'must be an object' })
  const { id: given, ...body } = Object(request)
  const reject = (name: string, code: Issue['code'], message: string) =>
    issues.push({ path: [name], code, message } as Issue)
  if (Object.hasOwn(Object(request), 'id')) {
    const problem =
      kind === 'capture' || kind === 'refund'
        ? id(given)
        : { code: 'not_allowed' as const, message: `is not a field of ${operation}` }
    if (problem) issues.push({ ...problem, path: ['id'] })
  }
  if (Object.hasOwn(body, 'orderId'))
    reject('orderId', 'not_allowed', `is not a field of ${operation}: pass it as the first argument`)
  if (kind === 'pay' && body.amount === undefined)
    reject('amount', 'missing', 'must be the amount of the order in minor units')
  if (kind === 'pay' && body.currencyCode === undefined)
    reject('currencyCode', 'missing', 'must be the currency of the amount')
  rejectIssues(issues, operation)
  const sent = kind === 'pay' ? { ...body, orderId: prefix + orderId } : body
  const contract = journaled[operationOf(kind)]
  transport.prepare(contract, { ...(kind !== 'pay' && { params: { id: 'id' } }), body: sent })
  return sent
}

export function checkResume(prefix: string, orderId: string, options: unknown): void {
  const { issues } = checkOptions<CallOptions>(options, call, { path: ['options'] })
  rejectIssues([...orderIdIssues(prefix, orderId), ...issues], 'orders.resume')
}

export const operationOf = (kind: DecisionKind) => (kind === 'pay' ? 'payments.create' : (`payments.${kind}` as const))
