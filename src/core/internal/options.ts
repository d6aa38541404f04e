import { ConfigurationError } from '../errors.js'
import { isAbortSignal, isValidDate } from './foreign.js'
import { describeIssues, type Issue, type IssueCode, unknownKey } from './issues.js'
import { plainObjectProblem } from './plain-data.js'

/** An issue with a path relative to the checked value. Without a path, the value itself is the problem. */
export type Problem = Omit<Issue, 'path'> & Partial<Pick<Issue, 'path'>>

/** Checks one value: returns the problem, or undefined if the value is valid. */
export type Rule = (value: unknown) => Problem | undefined

export type Rules<T> = { readonly [Name in keyof T]-?: Rule }

export interface CheckedOptions<T> {
  readonly values: Partial<T>
  readonly issues: Issue[]
}

export interface OptionChecks<T> {
  /** Elements to put at the start of each issue's path, for example `['options']`. */
  readonly path?: Issue['path']
  /** The word for an option in messages. @default 'option' */
  readonly noun?: string
  /** Options that the caller must pass. Their rules must reject `undefined`. */
  readonly required?: readonly (keyof T)[]
  /** Whether to accept a class instance that has only methods. */
  readonly methods?: boolean
}

/** Checks an object of options. Treats an option that is `undefined` as absent. */
export function checkOptions<T extends object>(
  given: unknown,
  rules: Rules<T>,
  { path = [], noun = 'option', required = [], methods = false }: OptionChecks<T> = {},
): CheckedOptions<T> {
  const values: Record<string, unknown> = {}
  if (given === undefined && required.length === 0) return { values: values as Partial<T>, issues: [] }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { values: {}, issues: [{ path, code: 'invalid_type', message: `must be an object of ${noun}s` }] }
  }
  const problem = plainObjectProblem(given, path, methods)
  if (problem) return { values: {}, issues: [problem] }
  const issues: Issue[] = []
  const known = Object.keys(rules)
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) issues.push(unknownKey([...path, name], known, noun))
    else if (value !== undefined) {
      const found = rules[name as keyof T](value)
      if (found) issues.push({ ...found, path: [...path, name, ...(found.path ?? [])] })
      else values[name] = value
    }
  }
  for (const name of required) {
    const problem = Reflect.get(given, name) === undefined && rules[name](undefined)
    if (problem) issues.push({ ...problem, path: [...path, String(name)], code: 'missing' })
  }
  return { values: values as Partial<T>, issues }
}

/**
 * Returns the options if all of them are valid.
 *
 * @param checks.fail Creates the error to throw for the issues. @default a `ConfigurationError`
 */
export function requireOptions<T extends object>(
  given: unknown,
  rules: Rules<T>,
  { fail = invalidOptions, ...checks }: OptionChecks<T> & { fail?: (issues: Issue[]) => Error } = {},
): Partial<T> {
  const { values, issues } = checkOptions(given, rules, checks)
  if (issues.length > 0) throw fail(issues)
  return values
}

const invalidOptions = (issues: readonly Issue[]) => new ConfigurationError(describeIssues(issues))

export const invalidType = (message: string): Problem => ({ code: 'invalid_type', message })

export const invalidValue = (message: string): Problem => ({ code: 'invalid_value', message })

// @__NO_SIDE_EFFECTS__
export const rule =
  (test: (value: unknown) => boolean, message: string, code: IssueCode = 'invalid_type'): Rule =>
  (value) =>
    test(value) ? undefined : { code, message }

// The following rules do not call `rule`, so that bundlers can remove the unused ones.
/** Accepts any value, because other code checks it. */
export const anyValue: Rule = () => undefined
export const boolean: Rule = (value) => (typeof value === 'boolean' ? undefined : invalidType('must be true or false'))
export const string: Rule = (value) => (typeof value === 'string' ? undefined : invalidType('must be a string'))
export const nonEmptyString: Rule = (value) =>
  typeof value === 'string' && value !== '' ? undefined : invalidType('must be a non-empty string')
export const func: Rule = (value) => (typeof value === 'function' ? undefined : invalidType('must be a function'))
export const date: Rule = (value) => (isValidDate(value) ? undefined : invalidType('must be a valid Date'))
export const signal: Rule = (value) => (isAbortSignal(value) ? undefined : invalidType('must be an AbortSignal'))

export function oneOf(...values: readonly string[]): Rule {
  const quoted = values.map((value) => `'${value}'`)
  const message = `must be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
  return rule((value) => values.includes(value as string), message, 'invalid_value')
}

export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Rule {
  const message =
    max === Number.MAX_SAFE_INTEGER
      ? `must be an integer of at least ${min}`
      : `must be an integer from ${min} to ${max}`
  return (value) => {
    if (!Number.isSafeInteger(value)) return invalidType(message)
    return (value as number) >= min && (value as number) <= max ? undefined : { code: 'out_of_range', message }
  }
}

/** The longest delay that `setTimeout` supports, in milliseconds. */
export const maxTimerMs = 2 ** 31 - 1

export const milliseconds: Rule = (value) => {
  const message = `must be a number of milliseconds from 1 to ${maxTimerMs}`
  if (typeof value !== 'number' || Number.isNaN(value)) return invalidType(message)
  return value >= 1 && value <= maxTimerMs ? undefined : { code: 'out_of_range', message }
}

export function withMethods(...names: readonly string[]): Rule {
  const message = `must be an object with the ${names.length === 1 ? 'method' : 'methods'} ${names.join(', ')}`
  return rule((value) => names.every((name) => typeof Object(value)[name] === 'function'), message)
}
