import * as z from 'zod'
import { isDateTime } from '../internal/calendar.js'
import { isDate, isValidDate } from '../internal/foreign.js'
import { type Issue, isMisspelled, unknownKey } from '../internal/issues.js'
import { isObject } from '../internal/objects.js'
import { integer, maxIssues, type Problem, problemWith } from '../internal/validation.js'
import { jsonProblem, unicodeProblem } from './json.js'
import { parse, typeProblem } from './parse.js'
import { type Format, type RequestRules, requestRules } from './schema.js'

/** Property names that could change a prototype if the service assigned them to an object. */
const unsafeNames: readonly string[] = ['__proto__', 'constructor', 'prototype']

/** Returns whether the schema of an object has a field. */
export function isKnownField(schema: z.ZodType, name: string): boolean {
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name)
}

/**
 * Checks the body or query of a request more strictly than zod, and suggests the correct names of misspelled fields.
 *
 * Nested objects may have fields that the client does not know, because the service may have returned them. They are
 * rejected only if they are misspelled.
 *
 * @param options.allowsUnknown Whether the body itself may also have such fields.
 * @param options.returned A resource that the service returned. Its field names are never reported as misspelled.
 */
export function validate(
  schema: z.ZodType,
  value: unknown,
  { allowsUnknown = false, returned }: { allowsUnknown?: boolean; returned?: object | undefined } = {},
): Issue[] {
  const issues: Issue[] = []
  check(schema, value, issues, { allowsUnknown, returned, isChange: false })
  return issues
}

interface Position {
  /** Whether objects may have fields that the client does not know. Always true inside the body. */
  readonly allowsUnknown: boolean
  /** The value at the same path of a resource that the service returned. */
  readonly returned: unknown
  /** Whether `null` clears an optional field. Always false inside arrays and maps. */
  readonly isChange: boolean
}

/** Adds the problems with a value to `issues`. */
function check(schema: z.ZodType, value: unknown, issues: Issue[], position: Position): void {
  const rules = requestRules.get(schema) ?? {}
  // Only query parameters have their own rules for dates.
  if (isDate(value) && rules.rule === undefined) {
    add(issues, dateProblem(rules, value))
    return
  }
  const isChange = position.isChange || rules.changes === true
  const insideList = { ...position, allowsUnknown: true, isChange: false }
  if (schema instanceof z.ZodObject) {
    if (isObject(value)) checkFields(schema.shape, rules, value, issues, { ...position, isChange })
    else add(issues, typeProblem('object', value))
  } else if (schema instanceof z.ZodRecord) {
    if (isObject(value)) checkEntries(innerOf(schema.valueType), value, issues, insideList)
    else add(issues, typeProblem('object', value))
  } else if (schema instanceof z.ZodArray) {
    if (Array.isArray(value)) checkItems(innerOf(schema.element), value, issues, insideList)
    else add(issues, typeProblem('array', value))
  } else add(issues, scalarProblem(schema, rules, value))
}

const isOptional = (schema: unknown) => schema instanceof z.ZodExactOptional

/** Returns the type of an optional field's value. */
function innerOf(schema: unknown): z.ZodType {
  return (schema instanceof z.ZodExactOptional ? schema.unwrap() : schema) as z.ZodType
}

function dateProblem({ format }: RequestRules, value: Date): Problem | undefined {
  if (format !== 'utc-date-time') {
    return { code: 'invalid_type', message: 'is a Date: pass an ISO 8601 string, such as date.toISOString()' }
  }
  return isValidDate(value) ? undefined : { code: 'invalid_value', message: 'must be a valid Date' }
}

function checkFields(
  shape: z.ZodRawShape,
  rules: RequestRules,
  object: Record<string, unknown>,
  issues: Issue[],
  position: Position,
): void {
  const before = issues.length
  const inside = { ...position, allowsUnknown: true }
  for (const [name, value] of Object.entries(object)) {
    if (Object.hasOwn(shape, name)) checkField(name, shape[name], value, issues, inside)
    else if (rules.open) addInside(issues, name, keyProblem(name) ?? jsonProblem(value))
    else if (!position.allowsUnknown || isNearMiss(name, shape, position.returned))
      add(issues, unknownKey([name], Object.keys(shape), 'field of this request'))
    else if (value !== undefined) addInside(issues, name, keyProblem(name) ?? jsonProblem(value))
  }
  for (const [name, schema] of Object.entries(shape)) {
    if (!isOptional(schema) && !Object.hasOwn(object, name))
      checkInside(name, innerOf(schema), undefined, issues, inside)
  }
  if (issues.length === before) for (const issue of rules.fieldsRule?.(object) ?? []) add(issues, issue)
}

const isNearMiss = (name: string, shape: z.ZodRawShape, returned: unknown) =>
  isMisspelled(name, Object.keys(shape)) && !Object.hasOwn(Object(returned), name)

function checkField(name: string, field: unknown, value: unknown, issues: Issue[], position: Position): void {
  const schema = innerOf(field)
  if (isOptional(field) && value === undefined) {
    // Rejects an explicit `undefined`, because without an amount, the service would capture or refund the full amount.
    if (schema instanceof z.ZodNumber) {
      add(issues, { path: [name], code: 'invalid_type', message: 'is undefined: pass a number, or omit the field' })
    }
  } else if (!(isOptional(field) && value === null && position.isChange) || requestRules.get(schema)?.notAllowed) {
    checkInside(name, schema, value, issues, position)
  }
}

/** Checks a key that the schema does not define. */
function keyProblem(name: string): Problem | undefined {
  return unsafeNames.includes(name)
    ? { code: 'not_allowed', message: 'is not an allowed key: it could change a prototype' }
    : unicodeProblem(name)
}

function checkEntries(item: z.ZodType, object: Record<string, unknown>, issues: Issue[], inside: Position): void {
  for (const [name, value] of Object.entries(object)) {
    const problem = keyProblem(name)
    if (problem !== undefined) addInside(issues, name, problem)
    else checkInside(name, item, value, issues, inside)
  }
}

function checkItems(item: z.ZodType, values: readonly unknown[], issues: Issue[], inside: Position): void {
  for (const [index, value] of values.entries()) checkInside(index, item, value, issues, inside)
}

function checkInside(
  key: string | number,
  schema: z.ZodType,
  value: unknown,
  issues: Issue[],
  position: Position,
): void {
  const before = issues.length
  const returned: unknown = Object(position.returned)[key]
  if (before < maxIssues) check(schema, value, issues, { ...position, returned })
  for (const [index, issue] of issues.slice(before).entries()) {
    issues[before + index] = { ...issue, path: [key, ...issue.path] }
  }
}

function addInside(issues: Issue[], key: string, problem: Problem | undefined): void {
  if (problem !== undefined) add(issues, { ...problem, path: [key, ...(problem.path ?? [])] })
}

function add(issues: Issue[], problem: Problem | undefined): void {
  if (problem !== undefined && issues.length < maxIssues) issues.push({ path: [], ...problem })
}

const minorUnitsMessage = "must be an integer in minor units: for 7.00 EUR, pass 700 or minorUnits('7.00', 'EUR')"

function scalarProblem(schema: z.ZodType, rules: RequestRules, value: unknown): Problem | undefined {
  if (rules.notAllowed !== undefined) return { code: 'not_allowed', message: rules.notAllowed }
  const { data, issues } = parse(schema, value)
  const [issue] = issues
  // This message explains minor units, because an amount that is not an integer is probably in major units.
  if (issue) return rules.isAmount && issue.code === 'invalid_type' ? { ...issue, message: minorUnitsMessage } : issue
  // Rejects the strings `true` and `false`. Only responses may contain them, so zod converts them to booleans.
  if (!Object.is(data, value)) return typeProblem('boolean', value)
  if (Object.is(value, -0)) return { code: 'out_of_range', message: 'must not be negative zero' }
  return unicodeProblem(value) ?? ruleOf(rules)?.(value)
}

/** Returns the additional rule that a value in a request must satisfy. Assumes that the value's type is correct. */
function ruleOf({ rule, format, minimum, maximum }: RequestRules): RequestRules['rule'] {
  if (format) return formats[format]
  return minimum === undefined ? rule : (value) => problemWith(integer(minimum, maximum), value)
}

const format =
  (test: (value: string) => boolean, message: string) =>
  (value: unknown): Problem | undefined =>
    test(value as string) ? undefined : { code: 'invalid_value', message }

const formats: Record<Format, NonNullable<RequestRules['rule']>> = {
  identifier: format((value) => value !== '', 'must not be empty'),
  'currency-code': format((value) => /^[A-Z]{3}$/.test(value), 'must be a three-letter ISO 4217 code, for example EUR'),
  'country-code': format((value) => /^[A-Z]{2}$/.test(value), 'must be a two-letter country code, for example DE'),
  'utc-date-time': format(
    (value) => /^.{10}T[\d:.]+(Z|\+00:00)?$/.test(value) && isDateTime(value),
    'must be an ISO 8601 datetime in UTC, for example 2026-01-31T12:00:00Z',
  ),
}
