import type { SetOptional } from 'type-fest'
import * as z from 'zod'
import { ConfigurationError } from '../errors.js'
import { isAbortSignal, isValidDate } from './foreign.js'
import { describeIssues, type Issue, type IssueCode, unknownKey } from './issues.js'
import { isObject } from './objects.js'
import { plainObjectProblem } from './plain-data.js'

/** An issue with a path relative to the checked value. Without a path, the value itself is the problem. */
export type Problem = SetOptional<Issue, 'path'>

/** A schema for every field of `T`. A missing field is a compile error. */
export type Shape<T> = { readonly [Name in keyof T]-?: z.ZodType<Exclude<T[Name], undefined>> }

/** The wording and the path prefix of issues. */
export interface Wording {
  /** Elements to put at the start of each issue's path, for example `['options']`. */
  readonly path?: Issue['path']
  /** The word for a field in messages. @default 'option' */
  readonly noun?: string
}

interface Checked<T> {
  /** The parsed value. Undefined if there are issues. */
  readonly data?: T
  readonly issues: Issue[]
}

/** Maximum number of issues that are reported. */
export const maxIssues = 1_000

/** Parses a value with zod. The issues have our codes, messages and suggestions, and never contain the value. */
export function check<T>(schema: z.ZodType<T>, value: unknown, wording?: Wording): Checked<T> {
  const { data, error } = schema.safeParse(value, { error: messageOf })
  return error ? { issues: issuesOf(error.issues, schema, value, wording) } : { data: data as T, issues: [] }
}

/** Returns the first problem with a value, or undefined if the value is valid. */
export const problemWith = (schema: z.ZodType, value: unknown): Problem | undefined => check(schema, value).issues[0]

/**
 * Converts zod's issues to ours. Reports only the first issue of each value.
 *
 * @param schema The schema of the parsed value. Its field names are the suggestions for unknown names.
 * @param value The value that was parsed with the option `error: messageOf`.
 */
export function issuesOf(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  value: unknown,
  { path = [], noun = 'option' }: Wording = {},
): Issue[] {
  const found = issues.slice(0, maxIssues).flatMap((issue): Issue | Issue[] => {
    const inner = issue.path as Issue['path']
    const at = [...path, ...inner]
    if (issue.code === 'unrecognized_keys') {
      const known = namesAt(schema, inner)
      return issue.keys.slice(0, maxIssues).map((key) => unknownKey([...at, key], known, noun))
    }
    const isMissing = inner.reduce<unknown>((object, key) => Object(object)[key], value) === undefined
    const details = issue.code === 'custom' ? (issue.params as Partial<Problem> | undefined) : undefined
    return { path: at, message: issue.message, code: isMissing ? 'missing' : codeOf(issue.code), ...details }
  })
  const isFirst = ({ path }: Issue, index: number) => String(path) !== String(found[index - 1]?.path)
  return found.filter(isFirst).slice(0, maxIssues)
}

function codeOf(code: z.core.$ZodIssue['code']): IssueCode {
  if (code === 'too_big' || code === 'too_small') return 'out_of_range'
  return code === 'invalid_type' || code === 'custom' || code === 'invalid_union' ? 'invalid_type' : 'invalid_value'
}

/** Returns the names of the fields that a schema has at a path. */
function namesAt(schema: unknown, path: Issue['path']): string[] {
  const [key, ...rest] = path
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return namesAt(schema.unwrap(), path)
  if (schema instanceof z.ZodPipe) return namesAt(schema.out, path)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => namesAt(option, path))
  if (schema instanceof z.ZodArray) return namesAt(schema.element, rest)
  if (schema instanceof z.ZodRecord) return namesAt(schema.valueType, rest)
  if (!(schema instanceof z.ZodObject)) return []
  return key === undefined ? Object.keys(schema.shape) : namesAt(schema.shape[key], rest)
}

/** Returns the message for an issue whose schema has no message of its own. */
export function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.expected === 'nonoptional') return 'is missing'
      const type = issue.expected === 'int' ? 'integer' : String(issue.expected)
      const message = `must be ${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`
      return issue.input === undefined ? `is missing: it ${message}` : message
    }
    case 'invalid_value': {
      const values = issue.values.map((value: unknown) => `'${String(value)}'`)
      return `must be ${[values.slice(0, -1).join(', '), values.at(-1)].filter(Boolean).join(' or ')}`
    }
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`
    case 'too_big':
      return issue.maximum === Number.MAX_SAFE_INTEGER ? 'is too large to be exact' : `must be at most ${issue.maximum}`
    default:
      return 'is invalid'
  }
}

/**
 * Describes an object of options. All options except `required` may be absent or undefined.
 *
 * @param required Options that the caller must pass.
 */
export function optionsOf<T extends object>(shape: Shape<T>, required: readonly (keyof T)[] = []) {
  const fields = Object.entries<z.ZodType>(shape).map(([name, schema]) => [
    name,
    required.includes(name as keyof T) ? schema : schema.optional(),
  ])
  return z.strictObject(Object.fromEntries(fields)) as z.ZodType as OptionsSchema<T>
}

export type OptionsSchema<T> = z.ZodObject<{ [Name in keyof T]-?: z.ZodType<T[Name]> }>

/**
 * Checks an object of options. Returns the options that are not undefined.
 *
 * @param methods Whether to accept a class instance that has only methods.
 */
export function checkOptions<T extends object>(
  given: unknown,
  schema: OptionsSchema<T>,
  { methods = false, ...wording }: Wording & { methods?: boolean } = {},
): { values: Partial<T>; issues: Issue[] } {
  const { path = [], noun = 'option' } = wording
  // Copies the options, because zod would also read inherited properties.
  const own: object = Object.assign(Object.create(null), given)
  if (given === undefined && schema.safeParse(own).success) return { values: {}, issues: [] }
  const problem: Problem | undefined = isObject(given)
    ? plainObjectProblem(given, path, methods)
    : { code: 'invalid_type', message: `must be an object of ${noun}s` }
  if (problem) return { values: {}, issues: [{ path, ...problem }] }
  const { data = {}, issues } = check(schema as z.ZodType<object>, own, wording)
  const values = Object.entries(data).filter(([, value]) => value !== undefined)
  return { values: Object.fromEntries(values) as Partial<T>, issues }
}

/**
 * Returns the options if all of them are valid.
 *
 * @param checks.fail Creates the error to throw for the issues. @default a `ConfigurationError`
 */
export function requireOptions<T extends object>(
  given: unknown,
  schema: OptionsSchema<T>,
  { fail = invalidOptions, ...checks }: Parameters<typeof checkOptions>[2] & { fail?: (issues: Issue[]) => Error } = {},
): Partial<T> {
  const { values, issues } = checkOptions(given, schema, checks)
  if (issues.length > 0) throw fail(issues)
  return values
}

const invalidOptions = (issues: readonly Issue[]) => new ConfigurationError(describeIssues(issues))

export const invalidType = (message: string): Problem => ({ code: 'invalid_type', message })

export const invalidValue = (message: string): Problem => ({ code: 'invalid_value', message })

/** Accepts the values for which `test` returns true. */
export const custom = <T>(test: (value: unknown) => boolean, message: string, code?: IssueCode): z.ZodType<T> =>
  z.custom<T>(test, { error: message, ...(code && { params: { code } }) })

/** Accepts the values for which `find` returns no problem. */
export const checkedBy = <T>(find: (value: unknown) => Problem | undefined): z.ZodType<T> =>
  z.custom<T>().superRefine((value, context) => {
    const problem = find(value)
    if (problem === undefined) return
    const { message, path = [], ...params } = problem
    context.addIssue({ code: 'custom', message, path: [...path], params })
  })

/** Accepts any value, because other code checks it. */
export const anyValue = z.any()
export const boolean = z.boolean('must be true or false')
export const text = z.string('must be a non-empty string').min(1, 'must be a non-empty string')
/** Accepts the strings that a regular expression matches. */
export const matching = (pattern: RegExp, message: string) => z.string(message).regex(pattern, message)
export const date = custom<Date>(isValidDate, 'must be a valid Date')
export const func = <T>() => custom<T>((value) => typeof value === 'function', 'must be a function')
export const signal = custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal')

export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  const limits = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  const message = `must be an integer ${limits}`
  return z.int(message).min(min, message).max(max, message)
}

/** The longest delay that `setTimeout` supports, in milliseconds. */
export const maxTimerMs = 2 ** 31 - 1

const millisecondsMessage = `must be a number of milliseconds from 1 to ${maxTimerMs}`
export const milliseconds = z
  .number(millisecondsMessage)
  .min(1, millisecondsMessage)
  .max(maxTimerMs, millisecondsMessage)

export function withMethods<T>(...names: readonly string[]) {
  const message = `must be an object with the ${names.length === 1 ? 'method' : 'methods'} ${names.join(', ')}`
  return custom<T>((value) => names.every((name) => typeof Object(value)[name] === 'function'), message)
}
