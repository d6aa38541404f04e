import type * as z from 'zod'
import type { AnyOperation, OperationClass } from '../contract/operation.js'
import { cartOf } from '../contract/version.js'
import { type CallFacts, ConfigurationError, RequestValidationError } from '../errors.js'
import { isDate } from '../internal/foreign.js'
import type { Issue } from '../internal/issues.js'
import { isObject } from '../internal/objects.js'
import { copyPlainData, prototypeProblem } from '../internal/plain-data.js'
import { jsonObject } from '../schemas/json.js'
import { isKnownField, validate } from '../schemas/validate.js'
import type { Settings } from '../settings.js'
import { type CallOptions, checkCallOptions, isCallOption } from './call-options.js'
import { buildTarget } from './url.js'

export interface Input {
  readonly params?: Readonly<Record<string, string>>
  /** Query parameters, in camelCase. */
  readonly query?: object | undefined
  readonly body?: unknown
  /** Fields that identify the resource. They are added to the body. */
  readonly identity?: Readonly<Record<string, string>>
  /**
   * The current resource, for an update. The changes are merged into this resource, because the service replaces nested
   * objects as a whole.
   */
  readonly onto?: object
  /** Whether the body comes from a journal. Such a body was already checked and may contain fields of `extraBody`. */
  readonly isStored?: boolean
  /** The arguments as an earlier `check` returned them. If present, `send` ignores the other arguments. */
  readonly checked?: CheckedArguments
  /** The list page to request, and the iteration's abort signal. */
  readonly page?: {
    readonly parameter: string
    readonly position: string | number | undefined
    readonly signal: AbortSignal | undefined
  }
}

/** A checked and encoded request. Every attempt sends the same bytes. */
export interface PreparedRequest {
  readonly operation: AnyOperation
  readonly params: Readonly<Record<string, string>>
  /** The encoded path and query. The path includes the path of the base URL. */
  readonly target: string
  /** Query parameters in the service's format, before percent-encoding. */
  readonly query: ReadonlyMap<string, string>
  readonly body: string | undefined
  readonly bodyValue: unknown
  /** The retry class of this request. It may depend on the body and the options. */
  readonly class: OperationClass
  readonly options: CallOptions
}

/** Checked arguments: the request, or the issues that cause its rejection. */
export type CheckedArguments = PreparedRequest | { readonly issues: readonly Issue[] }

export function prepareRequest(
  settings: Settings,
  operation: AnyOperation,
  input: Input,
  given: object | undefined,
  facts: () => Partial<CallFacts>,
): PreparedRequest {
  const polluted = prototypeProblem()
  if (polluted !== undefined) throw new ConfigurationError(polluted, facts())
  const checked = input.checked ?? checkArguments(settings, operation, input, given)
  const request = input.page === undefined || 'issues' in checked ? checked : requestPage(settings, checked, input.page)
  if ('issues' in request) throw new RequestValidationError(request.issues, facts())
  return request
}

export function checkArguments(
  settings: Settings,
  operation: AnyOperation,
  input: Input,
  given: object | undefined,
): CheckedArguments {
  const issues: Issue[] = []
  const options = checkCallOptions(operation, given, issues)
  const body = checkBody(operation, settings.apiVersion, input, options.extraBody, issues)
  const query = new Map(Object.entries(settings.query))
  addQuery(query, operation, input, issues)
  const params = input.params ?? {}
  const target = buildTarget(settings.baseUrl, operation.path, params, query, issues)
  if (issues.length > 0) return { issues }
  return {
    operation,
    params,
    target,
    query,
    body: body === undefined ? undefined : JSON.stringify(body),
    bodyValue: body,
    class: options.resend === true ? 'repeatable' : operation.onceIf?.(body) ? 'once' : operation.class,
    options,
  }
}

/** Returns the request for another page of the same list. */
function requestPage(
  settings: Settings,
  request: PreparedRequest,
  { parameter, position, signal = request.options.signal }: NonNullable<Input['page']>,
): CheckedArguments {
  const options = { ...request.options, signal }
  if (position === undefined) return { ...request, options }
  if (!String(position).isWellFormed()) return { issues: [malformed(parameter)] }
  const query = new Map(request.query).set(parameter, String(position))
  const { operation, params } = request
  return { ...request, query, options, target: buildTarget(settings.baseUrl, operation.path, params, query, []) }
}

const malformed = (name: string): Issue => ({
  path: [name],
  code: 'invalid_value',
  message: 'must be well-formed Unicode',
})

function checkBody(
  operation: AnyOperation,
  version: string,
  input: Input,
  extraBody: object | undefined,
  issues: Issue[],
): unknown {
  const schema = operation.body?.[cartOf(version)]
  const { body: passed = operation.bodyDefault } = input
  const given = passed === undefined && extraBody !== undefined && operation.bodyOptional ? {} : passed
  if (schema === undefined || (given === undefined && operation.bodyOptional)) return undefined
  if (!isObject(given)) {
    const message = `must be an object with the fields of ${operation.name}`
    issues.push({ path: ['body'], code: given === undefined ? 'missing' : 'invalid_type', message })
    return undefined
  }
  const argument = copyArgument(given, 'body', issues)
  if (argument === undefined) return undefined
  const [copy, stored] = input.isStored ? splitBody(schema, argument) : [argument, {}]
  const { identity } = input
  for (const [name, value] of Object.entries(identity ?? {})) {
    if (typeof value === 'string' && name in copy)
      issues.push({ path: [name], code: 'not_allowed', message: 'is the first argument: remove it from the body' })
  }
  const body = identity === undefined ? copy : { ...copy, ...identity }
  const found = issuesOf(schema, body, input.onto)
  issues.push(...found)
  // The schema has accepted every remaining `Date`.
  if (found.length === 0) formatDates(body)
  const complete = input.onto ? mergeChanges(input.onto, body) : body
  return { ...complete, ...checkExtraBody(schema, { ...stored, ...extraBody }, body, issues) }
}

/** Separates the fields of `extraBody` from a stored body. */
function splitBody(schema: z.ZodType, body: Record<string, unknown>) {
  const isExtra = ([name]: [string, unknown]) => !isKnownField(schema, name)
  const fields = Object.entries(body)
  return [
    Object.fromEntries(fields.filter((field) => !isExtra(field))),
    Object.fromEntries(fields.filter(isExtra)),
  ] as const
}

/** Copies the option `extraBody`. Rejects fields that exist in the schema or in the body, which they would replace. */
function checkExtraBody(schema: z.ZodType, given: object, body: object, issues: Issue[]): object {
  const found: Issue[] = []
  const copy = copyPlainData(given, found, { dates: true }) as Record<string, unknown> | undefined
  if (copy !== undefined) {
    found.push(...validate(jsonObject, copy))
    for (const name of Object.keys(copy)) {
      if (isKnownField(schema, name) || Object.hasOwn(body, name)) {
        found.push({ path: [name], code: 'not_allowed', message: 'is a known field: pass it in the body' })
      }
    }
  }
  for (const issue of found) issues.push({ ...issue, path: ['options', 'extraBody', ...issue.path] })
  if (found.length === 0) formatDates(copy as object)
  return copy ?? {}
}

/** Replaces each `Date` in a copied body by its ISO 8601 string. */
function formatDates(object: object): void {
  for (const [name, value] of Object.entries(object)) {
    if (isDate(value)) Reflect.set(object, name, value.toISOString())
    else if (isObject(value)) formatDates(value)
  }
}

/** Copies an argument. If it is not plain data, adds issues and returns `undefined`. */
function copyArgument(given: object, name: string, issues: Issue[]): Record<string, unknown> | undefined {
  const found: Issue[] = []
  const copy = copyPlainData(given, found, { dates: true })
  for (const issue of found) issues.push(issue.path.length > 0 ? issue : { ...issue, path: [name] })
  return found.length > 0 ? undefined : (copy as Record<string, unknown>)
}

/** Checks data against a schema. Explains a common mistake in the message: an option that was passed in the body. */
function issuesOf(schema: z.ZodType, value: object, returned?: object): readonly Issue[] {
  return validate(schema, value, { returned }).map((issue) => {
    const isOption = issue.path.length === 1 && isCallOption(issue.path[0])
    return isOption ? { ...issue, message: 'is an option: pass it in the next argument' } : issue
  })
}

/** Checks the query parameters of a call and adds them in the service's format. */
function addQuery(target: Map<string, string>, operation: AnyOperation, { query }: Input, issues: Issue[]): void {
  if (operation.query === undefined) return
  if (query !== undefined && !isObject(query)) {
    issues.push({ path: ['params'], code: 'invalid_type', message: 'must be an object of parameters' })
    return
  }
  const copy = copyArgument(query ?? {}, 'params', issues)
  if (copy === undefined) return
  const given = Object.fromEntries(Object.entries(copy).filter(([, value]) => value !== undefined))
  const found = issuesOf(operation.query.schema, given)
  issues.push(...found)
  if (found.length > 0) return
  const names = operation.query.names as Record<string, string>
  for (const [name, value] of Object.entries(given)) {
    const parameter = formatParameter(value)
    // Rejects an empty filter, because the service would ignore it and list the payments of all customers.
    if (operation.name !== 'request' && [value].flat().some((item) => typeof item === 'string' && item.trim() === '')) {
      issues.push({ path: [name], code: 'invalid_value', message: 'must not be empty or white space' })
    } else if (Array.isArray(value) && value.some((item) => String(item).includes(','))) {
      const message = 'must not contain an item with a comma, because commas separate the items'
      issues.push({ path: [name], code: 'invalid_value', message })
    } else if (`${name}${parameter}`.isWellFormed()) target.set(names[name] as string, parameter)
    else issues.push(malformed(name))
  }
}

/** Formats a query parameter: array items separated by commas, dates as ISO 8601 in UTC. */
export function formatParameter(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatParameter).join(',')
  return isDate(value) ? value.toISOString() : String(value)
}

/**
 * Deep-merges changes into a resource. Returns only the changed top-level fields, each with its complete value. Keeps
 * `null`, which clears a field.
 */
export function mergeChanges(current: object, changes: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, merge(Reflect.get(current, field), value)]),
  )
}

function merge(current: unknown, change: unknown): unknown {
  return isObject(current) && isObject(change) ? { ...current, ...mergeChanges(current, change) } : change
}
