import type * as z from 'zod'
import { RequestValidationError } from '../core/errors.js'
import type { DecisionKind } from '../core/helpers/order-keys.js'
import type { Issue, IssueCode } from '../core/internal/issues.js'
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
  requireOptions,
  signal,
  withMethods,
} from '../core/internal/validation.js'
import type { Transport } from '../core/transport/transport.js'
import { journaled } from '../operations/effects.js'
import { identifier } from '../stores/store-options.js'
import { eventFunctions } from '../webhooks/handler.js'
import type { CallOptions, DecideOptions, OrderFilter, OrdersOptions, PayOptions, WebhookOptions } from './types.js'
import { orderStates } from './types.js'

/** An order ID, or the ID of a capture, refund or cancellation. */
const idSchema = custom<string>(
  (value) => typeof value === 'string' && /^\P{Cc}{1,128}$/u.test(value) && value.length <= 128 && value.isWellFormed(),
  'must be 1 to 128 characters of well-formed text without control characters',
  'invalid_value',
)

export const ordersShape = {
  client: withMethods<OrdersOptions['client']>('withOptions'),
  // Accepts any value here, because the stores check the database.
  database: anyValue,
  onChange: func<NonNullable<OrdersOptions['onChange']>>(),
  keyPrefix: matching(/^[!-~]{0,40}$/, 'must be at most 40 characters from ! to ~'),
  tablePrefix: identifier,
  schema: identifier,
}

const call = { signal, timeout: milliseconds, totalTimeout: milliseconds }
const decide = optionsOf<DecideOptions>({ ...call, transaction: anyValue })

/** The schema of each method's options. */
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

/** Checks and returns the options of a method that does not take an order ID. */
export function optionsIn<Name extends 'recover' | 'sync' | 'list'>(name: Name, options: unknown) {
  const fail = (issues: Issue[]) => new RequestValidationError(issues, { operation: `orders.${name}` })
  return requireOptions<object>(options, schemas[name] as never, { fail }) as Partial<z.infer<(typeof schemas)[Name]>>
}

/** Checks the order ID and the options of a method. The key prefix counts towards the ID's maximum length. */
export function checkOrder(
  method: DecisionKind | 'resume' | 'get',
  { prefix, orderId, options }: { prefix: string; orderId: unknown; options?: unknown },
  issues: Issue[] = [],
): void {
  const rest = 128 - prefix.length
  const message = `must have at most ${rest} characters, because the key prefix also counts`
  const isTooLong = String(orderId).length > rest
  const problem = problemWith(idSchema, orderId) ?? (isTooLong && { code: 'invalid_value' as const, message })
  if (problem) issues.unshift({ ...problem, path: ['orderId'] })
  if (method !== 'get') {
    issues.push(...checkOptions<object>(options, schemas[method] as never, { path: ['options'] }).issues)
  }
  if (issues.length > 0) throw new RequestValidationError(issues, { operation: `orders.${method}` })
}

/** Checks the arguments of a call. Returns the body of its operation. */
export function checkCall(
  transport: Transport,
  kind: DecisionKind,
  { request, ...call }: { prefix: string; orderId: string; request: unknown; options: unknown },
): object {
  const issues: Issue[] = []
  if (!isObject(request)) issues.push({ path: ['request'], code: 'invalid_type', message: 'must be an object' })
  const { id, ...fields } = Object(request)
  const takesId = kind !== 'pay'
  const problem = takesId && Object.hasOwn(Object(request), 'id') && problemWith(idSchema, id)
  if (problem) issues.push({ ...problem, path: ['id'] })
  const reject = (name: string, code: IssueCode, message: string) => issues.push({ path: [name], code, message })
  if (fields.orderId !== undefined) reject('orderId', 'not_allowed', 'must be the first argument')
  for (const name of kind === 'pay' ? ['amount', 'currencyCode'] : []) {
    if (fields[name] === undefined) reject(name, 'missing', 'is missing')
  }
  // Without a transaction, the request is sent at once.
  const options = Object(call.options)
  if (takesId && Object.hasOwn(options, 'transaction') && options.transaction === undefined) {
    const message = 'must be your open transaction: omit this option to send the request at once'
    issues.push({ path: ['options', 'transaction'], code: 'missing', message })
  }
  checkOrder(kind, call, issues)
  const body = takesId || id === undefined ? fields : { id, ...fields }
  const create = kind === 'pay' && { ...body, orderId: call.prefix + call.orderId }
  if (create) transport.prepare(journaled['payments.create'], { body: create })
  else transport.prepare(journaled[`payments.${kind as 'capture'}`], { params: { id: 'id' }, body })
  return create || body
}
