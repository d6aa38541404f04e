import { RequestValidationError } from '../core/errors.js'
import type { DecisionKind } from '../core/helpers/order-keys.js'
import type { Issue } from '../core/internal/issues.js'
import { isObject } from '../core/internal/objects.js'
import {
  anyValue,
  boolean,
  checkOptions,
  custom,
  date,
  func,
  integer,
  matching,
  milliseconds,
  optionsOf,
  problemWith,
  signal,
  withMethods,
} from '../core/internal/validation.js'
import type { Transport } from '../core/transport/transport.js'
import { journaled } from '../operations/effects.js'
import { identifier } from '../stores/store-options.js'
import { eventFunctions } from '../webhooks/handler.js'
import type { CallOptions, DecideOptions, OrderFilter, OrdersOptions, PayOptions, WebhookOptions } from './types.js'
import { orderStates } from './types.js'

/** An order ID, or the ID of a capture or refund. */
const idSchema = custom<string>(
  (value) => typeof value === 'string' && /^\P{Cc}{1,128}$/u.test(value) && value.length <= 128 && value.isWellFormed(),
  'must be 1 to 128 characters of well-formed text without control characters',
  'invalid_value',
)

export const ordersShape = {
  client: withMethods<OrdersOptions['client']>('withOptions'),
  // The engines check the database.
  database: anyValue,
  onChange: func<NonNullable<OrdersOptions['onChange']>>(),
  keyPrefix: matching(/^[!-~]{0,40}$/, 'must be at most 40 characters from ! to ~'),
  tablePrefix: identifier,
  schema: identifier,
}

const call = { signal, timeout: milliseconds, totalTimeout: milliseconds }
const decide = optionsOf<DecideOptions>({ ...call, transaction: anyValue })

/** The options of each method. */
export const schemas = {
  pay: optionsOf<PayOptions>({ ...call, reopen: boolean, resendFor: integer(0) }),
  resume: optionsOf<CallOptions>(call),
  capture: decide,
  refund: decide,
  cancel: decide,
  webhooks: optionsOf<WebhookOptions>({ secret: anyValue, on: anyValue, onError: func() }, ['secret']),
  events: eventFunctions,
  recover: optionsOf<{ limit?: number; signal?: AbortSignal }>({ limit: integer(1), signal }),
  sync: optionsOf<{ from?: Date; signal?: AbortSignal }>({ from: date, signal }),
  list: optionsOf<OrderFilter>({
    state: custom((value) => (orderStates as readonly unknown[]).includes(value), `must be ${orderStates.join(', ')}`),
    updatedSince: date,
    limit: integer(1, 1000),
    cursor: matching(/^-?\d+ /, 'must be the nextCursor of a page'),
  }),
}

/** Checks the options of a method that takes no order. */
export function checkMethod<Name extends 'recover' | 'sync' | 'list'>(name: Name, options: unknown) {
  const { values, issues } = checkOptions<object>(options, schemas[name] as never)
  rejectIssues(issues, name)
  return values
}

/** Returns the issues of an order ID. Together with the key prefix, it must not be longer than other IDs. */
export function orderIdIssues(prefix: string, orderId: unknown): Issue[] {
  const problem = problemWith(idSchema, orderId) ?? problemWith(idSchema, prefix + String(orderId))
  return problem ? [{ ...problem, path: ['orderId'] }] : []
}

/** Throws a `RequestValidationError` if there are issues. */
export function rejectIssues(issues: Issue[], method: string): void {
  if (issues.length > 0) throw new RequestValidationError(issues, { operation: `orders.${method}` })
}

/** Checks the arguments of a call. Returns the body of its operation. */
export function checkCall(
  transport: Transport,
  kind: DecisionKind,
  { prefix, orderId, request, options }: { prefix: string; orderId: string; request: unknown; options: unknown },
): object {
  const issues = orderIdIssues(prefix, orderId)
  issues.push(...checkOptions<object>(options, schemas[kind] as never, { path: ['options'] }).issues)
  if (!isObject(request)) issues.push({ path: ['request'], code: 'invalid_type', message: 'must be an object' })
  const { id, orderId: own, ...others } = Object(request)
  if (own !== undefined) issues.push({ path: ['orderId'], code: 'not_allowed', message: 'must be the first argument' })
  const takesId = kind === 'capture' || kind === 'refund'
  const problem = takesId && Object.hasOwn(Object(request), 'id') && problemWith(idSchema, id)
  if (problem) issues.push({ ...problem, path: ['id'] })
  for (const name of kind === 'pay' ? ['amount', 'currencyCode'] : []) {
    if (others[name] === undefined) issues.push({ path: [name], code: 'missing', message: 'is missing' })
  }
  rejectIssues(issues, kind)
  const body = { ...(takesId || id === undefined ? others : { id, ...others }) }
  if (kind !== 'pay') {
    transport.prepare(journaled[`payments.${kind}`], { params: { id: 'id' }, body })
    return body
  }
  const create = { ...body, orderId: prefix + orderId }
  transport.prepare(journaled['payments.create'], { body: create })
  return create
}
