import { describeIssues } from '../../internal/issues.js'
import { checkOptions, nonEmptyString, type Rule } from '../../internal/options.js'
import { invalidArguments } from './error.js'

export type JsonSchema = { readonly [keyword: string]: unknown }

export interface Parameter {
  readonly rule: Rule
  /** The same rule as a JSON Schema, for the OpenAPI document. */
  readonly schema: JsonSchema
  readonly optional?: true
}

export type Parameters = Readonly<Record<string, Parameter>>

export const text: Parameter = { rule: nonEmptyString, schema: { type: 'string', minLength: 1 } }

export function optional(parameter: Parameter): Parameter {
  return { ...parameter, optional: true }
}

/** Returns the schema of an object with the given properties. All are required, except `optionalNames`. */
export function objectSchema(properties: Record<string, JsonSchema>, ...optionalNames: string[]): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optionalNames.includes(name))
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/**
 * Returns the values if all of them are valid.
 *
 * @param of Name of the action or route, for the error message.
 * @param noun What the error message calls a value, for example `parameter`.
 * @throws {ControlError} A value is invalid, a required value is missing, or a name is unknown.
 */
export function requireValid<T extends object>(of: string, noun: string, given: unknown, parameters: Parameters): T {
  const rules = Object.fromEntries(Object.entries(parameters).map(([name, { rule }]) => [name, rule]))
  const required = Object.keys(parameters).filter((name) => !parameters[name]?.optional)
  const { values, issues } = checkOptions<Record<string, unknown>>(given, rules, { noun, required })
  if (issues.length > 0) throw invalidArguments(`Invalid ${noun}s for ${of}: ${describeIssues(issues)}`)
  return values as T
}
