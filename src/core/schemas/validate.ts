import * as z from 'zod'
import { isDateTime } from '../internal/calendar.js'
import { isDate, isValidDate } from '../internal/foreign.js'
import { type Issue, unknownKey } from '../internal/issues.js'
import { isObject } from '../internal/objects.js'
import { integer, type Problem, problemWith } from '../internal/validation.js'
import { json } from './json.js'
import { parse, typeProblem } from './parse.js'
import { definitionOf, type Format, type RequestRules, requestRules, type Schema } from './schema.js'
import { type Field, maxIssues } from './zod.js'
import type { Zod } from './zod-type.js'

/** Property names that could change a prototype if the service assigned them to an object. */
const unsafeNames: readonly string[] = ['__proto__', 'constructor', 'prototype']

/** Returns whether the schema of an object has a field. */
export function isKnownField(schema: Schema<unknown>, name: string): boolean {
  const definition = definitionOf(schema())
  return definition.type === 'looseObject' && definition.fields.has(name)
}

/** Checks the body or query of a request. It is stricter than zod, and suggests the names of misspelled fields. */
export function validate(schema: Schema<unknown>, value: unknown): Issue[] {
  const issues: Issue[] = []
  check(schema(), value, issues, false)
  return issues
}

/**
 * Adds the problems with a value to `issues`.
 *
 * @param changes Whether `value` contains changes to an object, so that `null` clears an optional field. Always false
 * inside arrays and maps.
 */
function check(schema: Zod<unknown>, value: unknown, issues: Issue[], changes: boolean): void {
  const definition = definitionOf(schema)
  const rules = requestRules.get(schema) ?? {}
  // Only query parameters have rules of their own for dates.
  if (isDate(value) && rules.rule === undefined) {
    add(issues, dateProblem(rules, value))
    return
  }
  switch (definition.type) {
    case 'looseObject':
      if (isObject(value)) checkFields(definition.fields, rules, value, issues, changes || rules.changes === true)
      else add(issues, typeProblem('object', value))
      break
    case 'map':
      if (isObject(value)) checkEntries(definition.item, value, issues)
      else add(issues, typeProblem('object', value))
      break
    case 'list':
      if (Array.isArray(value)) checkItems(definition.item, value, issues)
      else add(issues, typeProblem('array', value))
      break
    default:
      add(issues, scalarProblem(schema, rules, value))
  }
}

function dateProblem({ format }: RequestRules, value: Date): Problem | undefined {
  if (format !== 'utc-date-time') {
    return { code: 'invalid_type', message: 'is a Date: pass an ISO 8601 string, such as date.toISOString()' }
  }
  return isValidDate(value) ? undefined : { code: 'invalid_value', message: 'must be a valid Date' }
}

function checkFields(
  fields: ReadonlyMap<string, Field>,
  rules: RequestRules,
  object: Record<string, unknown>,
  issues: Issue[],
  changes: boolean,
): void {
  const before = issues.length
  for (const [name, value] of Object.entries(object)) {
    const field = fields.get(name)
    if (field !== undefined) checkField(name, field, value, issues, changes)
    else if (rules.open) checkInside(name, json(), value, issues)
    else add(issues, unknownKey([name], [...fields.keys()], 'field of this request'))
  }
  for (const [name, { schema, isRequired }] of fields) {
    if (isRequired && !Object.hasOwn(object, name)) checkInside(name, schema, undefined, issues, changes)
  }
  if (issues.length === before) for (const issue of rules.fieldsRule?.(object) ?? []) add(issues, issue)
}

function checkField(
  name: string,
  { schema, isRequired }: Field,
  value: unknown,
  issues: Issue[],
  changes: boolean,
): void {
  if (value === undefined && !isRequired) {
    // Rejects an explicit `undefined`, because without an amount, the service would capture or refund the full amount.
    if (isNumeric(schema)) {
      add(issues, { path: [name], code: 'invalid_type', message: 'is undefined: pass a number, or omit the field' })
    }
  } else if (value !== null || isRequired || !changes || requestRules.get(schema)?.notAllowed !== undefined) {
    checkInside(name, schema, value, issues, changes)
  }
}

function isNumeric(schema: Zod<unknown>): boolean {
  const { type } = definitionOf(schema)
  return type === 'int' || type === 'number'
}

function checkEntries(item: Zod<unknown>, object: Record<string, unknown>, issues: Issue[]): void {
  for (const [name, value] of Object.entries(object)) {
    if (!unsafeNames.includes(name)) checkInside(name, item, value, issues)
    else
      add(issues, { path: [name], code: 'not_allowed', message: 'is not an allowed key: it could change a prototype' })
  }
}

function checkItems(item: Zod<unknown>, values: readonly unknown[], issues: Issue[]): void {
  for (const [index, value] of values.entries()) checkInside(index, item, value, issues)
}

function checkInside(
  key: string | number,
  schema: Zod<unknown>,
  value: unknown,
  issues: Issue[],
  changes: boolean = false,
): void {
  const before = issues.length
  check(schema, value, issues, changes)
  for (let index = before; index < issues.length; index++) {
    const issue = issues[index] as Issue
    issues[index] = { ...issue, path: [key, ...issue.path] }
  }
}

function add(issues: Issue[], problem: Problem | Issue | undefined): void {
  if (problem !== undefined && issues.length < maxIssues) issues.push({ path: [], ...problem })
}

const minorUnitsMessage = "must be an integer in minor units: for 7.00 EUR, pass 700 or minorUnits('7.00', 'EUR')"

function scalarProblem(schema: Zod<unknown>, rules: RequestRules, value: unknown): Problem | Issue | undefined {
  if (rules.notAllowed !== undefined) return { code: 'not_allowed', message: rules.notAllowed }
  const { data, issues } = parse(schema, value)
  const [issue] = issues
  // An amount that is not an integer is probably in major units.
  if (issue) return rules.isAmount && issue.code === 'invalid_type' ? { ...issue, message: minorUnitsMessage } : issue
  // Rejects the strings `true` and `false`. Only responses may contain them, so zod converts them to booleans.
  if (!Object.is(data, value)) return typeProblem('boolean', value)
  if (Object.is(value, -0)) return { code: 'out_of_range', message: 'must not be negative zero' }
  return ruleOf(rules)?.(value)
}

/** Returns the additional rule that a value in a request must satisfy. Assumes that the value's type is correct. */
function ruleOf({ rule, values, format, minimum, maximum }: RequestRules): RequestRules['rule'] {
  if (values) return (value) => problemWith(z.enum(values), value)
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
