import { type AnyOperation, namesOf, type OperationClass } from '../contract/operation.js'
import { shapeOf } from '../contract/version.js'
import { RequestValidationError } from '../errors.js'
import type { Issue } from '../internal/issues.js'
import { isObject } from '../internal/objects.js'
import { check, notAField, type Zod } from '../schemas/schema.js'
import type { Settings } from '../settings.js'
import { type CallOptions, checkCallOptions, isCallOption } from './call-options.js'
import { inheritedFields } from './inherited-fields.js'
import { mergeChanges } from './merge.js'
import { ownFields } from './own-fields.js'
import { buildTarget } from './url.js'

/** What a caller says, besides options. */
export interface Input {
  /** Values of the path's parameters. */
  readonly params?: Readonly<Record<string, string>>
  /** Query parameters, camelCase. */
  readonly query?: object | undefined
  readonly body?: unknown
  /** Fields that join the body, saying which resource is meant. */
  readonly identity?: Readonly<Record<string, string>>
  /** What the body's objects are laid over once they are checked, so that they are sent whole. */
  readonly onto?: object
}

/** A request that is checked, spelled out and ready to be sent any number of times. */
export interface PreparedRequest {
  readonly operation: AnyOperation
  readonly params: Readonly<Record<string, string>>
  /** The encoded path, below the base URL's own, and the query. */
  readonly target: string
  /** Query parameters as they are spelled in `target`, before encoding. */
  readonly query: ReadonlyMap<string, string>
  /** JSON text: the same bytes for every attempt, whatever happens to the caller's object meanwhile. */
  readonly body: string | undefined
  /** What `body` was written from, for the `idempotency` function. */
  readonly bodyValue: unknown
  /** What may be repeated, with this body and these options. */
  readonly class: OperationClass
  readonly options: CallOptions
}

/** The payment that a request's path names. */
export function paymentIn({ operation, params }: PreparedRequest): string | undefined {
  return operation.paymentParam === undefined ? undefined : params[operation.paymentParam]
}

/** Check everything the caller said and spell it out. Throws `RequestValidationError` before any byte leaves. */
export function prepareRequest(
  settings: Settings,
  operation: AnyOperation,
  input: Input,
  given: object | undefined,
): PreparedRequest {
  const call = namesOf(operation)
  const issues: Issue[] = []
  const options = checkCallOptions(operation, given, issues)
  const body = checkBody(operation, settings.apiVersion, input, issues)
  const query = checkQuery(operation, input.query, issues)
  const target = buildTarget(settings.baseUrl, operation.path, input.params ?? {}, query, issues)
  if (issues.length > 0) throw new RequestValidationError(issues, call)
  return {
    operation,
    params: input.params ?? {},
    target,
    query,
    body: serialize(body, call),
    bodyValue: body,
    class: options.resend === true ? 'repeatable' : operation.onceIf?.(body) ? 'once' : operation.class,
    options,
  }
}

function checkBody(operation: AnyOperation, version: string, input: Input, issues: Issue[]): unknown {
  const schema = operation.body?.[shapeOf(version)]
  const given = input.body === undefined ? operation.bodyDefault : input.body
  if (schema === undefined || (given === undefined && operation.bodyOptional)) return undefined
  if (!isObject(given)) {
    issues.push({ path: ['body'], message: `must be an object of the fields that ${operation.name} takes` })
    return undefined
  }
  for (const [name, value] of Object.entries(input.identity ?? {})) {
    if (typeof value === 'string' && Object.hasOwn(given, name))
      issues.push({ path: [name], message: 'is the first argument' })
  }
  const body = ownFields(input.identity ? { ...given, ...input.identity } : given)
  for (const issue of [inheritedFields(given), problems(schema.sent, body)].flat()) issues.push(issue)
  return input.onto ? mergeChanges(input.onto, body) : body
}

/** What the schema says, and a hint where an option stands among the fields. */
function problems(schema: Zod<unknown>, value: object): readonly Issue[] {
  return (check(schema, value).issues ?? []).map((issue) =>
    issue.path.length === 1 && isCallOption(issue.path[0]) && issue.message.startsWith(notAField)
      ? { ...issue, message: 'is an option: pass it in the argument after this one' }
      : issue,
  )
}

/** The query in the service's spelling: lists joined by commas, dates as UTC. */
function checkQuery(operation: AnyOperation, query: object | undefined, issues: Issue[]): Map<string, string> {
  const spelled = new Map<string, string>()
  if (operation.query === undefined) return spelled
  if (query !== undefined && !isObject(query)) {
    issues.push({ path: ['params'], message: 'must be an object of parameters' })
    return spelled
  }
  const given = ownFields(Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== undefined)))
  const found = problems(operation.query.schema.sent, given)
  issues.push(...found)
  if (found.length > 0) return spelled
  const names = operation.query.names as Record<string, string>
  for (const [name, value] of Object.entries(given)) {
    const text = spell(value)
    // Half a character cannot be written in a URL.
    if (!`${name}${text}`.isWellFormed()) issues.push({ path: [name], message: 'must be well-formed Unicode' })
    else if (Object.hasOwn(names, name)) spelled.set(names[name] as string, text)
  }
  return spelled
}

/** How a value is written in a query. */
export function spell(value: unknown): string {
  if (Array.isArray(value)) return value.map(spell).join(',')
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  return String(value)
}

function serialize(body: unknown, call: { operation: string; method: string; path: string }): string | undefined {
  try {
    return body === undefined ? undefined : JSON.stringify(body)
  } catch {
    throw new RequestValidationError([{ path: [], message: 'cannot be written as JSON' }], call)
  }
}
