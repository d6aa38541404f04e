import * as z from 'zod/mini'
import { describeIssues, nearest } from '../../../core/internal/issues.js'
import { isObject } from '../../../core/internal/objects.js'
import { checkOptions, type Rule } from '../../../core/internal/options.js'

/** A zod schema for values of type `T`. */
export type Schema<T = unknown> = z.ZodMiniType<T>

/** A schema for every field of `T`. A missing field is a compile error. */
export type Shape<T> = { readonly [Name in keyof T]-?: Schema<Exclude<T[Name], undefined>> }

export type AnyShape = Readonly<Record<string, z.ZodMiniType>>

/** The object that a shape describes. */
export type Values<S extends AnyShape> = z.output<z.ZodMiniObject<S>>

/** A schema for every field of `T`, including the optional ones. A missing field is a compile error. */
export type RowShape<T> = {
  readonly [Name in keyof T]-?: undefined extends T[Name]
    ? z.ZodMiniOptional<Schema<Exclude<T[Name], undefined>>>
    : Schema<T[Name]>
}

export const rowOf = <T extends object>(shape: RowShape<T>) => z.object(shape) as unknown as Schema<T>

export const dateTimeJson = { type: 'string', format: 'date-time' }
export const dateTime = z.string().check(z.meta(dateTimeJson))

export const text = z
  .string('must be a non-empty string')
  .check(z.minLength(1, { error: 'must be a non-empty string', abort: true }))

/** Accepts a string that is the JSON of a value for which `test` returns true. */
export function jsonOf(test: (value: unknown) => boolean, message: string) {
  const isValid = (json: string) => {
    try {
      return test(JSON.parse(json))
    } catch {
      return false
    }
  }
  return z.string().check(z.refine(isValid, message))
}

export const boolean = z.boolean('must be true or false')

export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) {
  const limits = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  const message = `must be an integer ${minimum === Number.MIN_SAFE_INTEGER ? '' : limits}`.trimEnd()
  return z.int(message).check(z.gte(minimum, message), z.lte(maximum, message))
}

export function oneOf<const Values extends readonly string[]>(...values: Values) {
  const quoted = values.map((value) => `'${value}'`)
  return z.enum(values, `must be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`)
}

/** Accepts only known names. The message for any other name suggests the most similar one. */
export function knownName<const Name extends string>(noun: string, names: readonly Name[]) {
  const error = ({ input }: { input?: unknown }) => {
    const suggestion = nearest(String(input), names)
    return `must be the name of ${noun}${suggestion === undefined ? '' : `: did you mean "${suggestion}"?`}`
  }
  return z.enum(names, { error })
}

/** Accepts the values for which `test` returns true. `json` describes them as a JSON Schema. */
export function custom<T>(
  test: (value: unknown) => boolean,
  message: string,
  json: Record<string, unknown> = {},
): Schema<T> {
  return z.custom<T>(test, message).check(z.meta(json))
}

export const func = <T>() => custom<T>((value) => typeof value === 'function', 'must be a function')

/** Accepts every object. */
export const anyObject = <T extends object>(json: Record<string, unknown> = {}) =>
  custom<T>(isObject, 'must be an object', { type: 'object', ...json })

/** @param json Further keywords of the JSON Schema. */
export const hint = <T>(schema: Schema<T>, description: string, json: Record<string, unknown> = {}): Schema<T> =>
  schema.check(z.meta({ description, ...json }))

/**
 * Checks an object against a shape, and returns the fields that it contains.
 *
 * @param fail Returns the error to throw for an invalid object. Receives a description of the problems.
 * @param noun The word for a field in messages, for example `option`.
 */
export function requireFields<S extends AnyShape>(
  shape: S,
  given: unknown,
  fail: (problems: string) => Error,
  noun: string,
): Values<S> {
  const names = Object.keys(shape)
  const rules = Object.fromEntries(names.map((name) => [name, ruleOf(shape[name] as Schema)]))
  const required = names.filter((name) => shape[name]?._zod.optin === undefined)
  const { values, issues } = checkOptions<Record<string, unknown>>(given, rules, { noun, required })
  if (issues.length > 0) throw fail(describeIssues(issues))
  return values as Values<S>
}

/** Converts a schema to a rule for `checkOptions`. */
export function ruleOf(schema: Schema): Rule {
  return (value) => {
    const issue = z.safeParse(schema, value).error?.issues[0]
    if (!issue) return undefined
    return { code: 'invalid_value', message: issue.message, path: issue.path.filter((key) => typeof key !== 'symbol') }
  }
}

/** Parses a value with a schema. If the value is invalid, throws the error that `fail` returns. */
export function parsed<T>(schema: Schema<T>, value: unknown, fail: (problems: string) => Error): T {
  const result = z.safeParse(schema, value, { error: messageOf })
  if (result.success) return result.data
  throw fail(describeIssues(result.error.issues.map(({ path, message }) => ({ path: path as string[], message }))))
}

/** Returns the message for an issue whose schema has no message of its own. */
function messageOf({ code, expected, input }: { code?: string; expected?: unknown; input?: unknown }): string {
  if (input === undefined) return 'is missing'
  if (code !== 'invalid_type') return 'is invalid'
  const type = String(expected)
  return type === 'int' ? 'must be an integer' : `must be ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

/** Returns the JSON Schema of a schema, without the keyword `$schema`. */
export function toJsonSchema(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return json
}
