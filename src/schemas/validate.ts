import { isDateTime } from '../internal/calendar.js'
import { type Issue, unknownKey } from '../internal/issues.js'
import { isObject } from '../internal/objects.js'
import { integer, oneOf, type Rule, rule } from '../internal/options.js'
import { json } from './json.js'
import { add, addKey, scalarProblem, typeProblem } from './normalize.js'
import type { Definition, Field, Format, ObjectDefinition } from './schema.js'

/** Property names that could change a prototype if the service assigned them to an object. */
const unsafeNames: readonly string[] = ['__proto__', 'constructor', 'prototype']

export function validate(schema: Definition, value: unknown): Issue[] {
  const issues: Issue[] = []
  check(schema, value, issues, false)
  return issues
}

/**
 * Adds the problems with a value to `issues`.
 *
 * @param changes Whether `value` contains changes to an object, so that `null` clears an optional field. Always false
 * inside arrays and maps.
 */
function check(schema: Definition, value: unknown, issues: Issue[], changes: boolean): void {
  switch (schema.type) {
    case 'object':
      if (isObject(value)) checkFields(schema, value, issues, changes)
      else add(issues, typeProblem('an object', value))
      break
    case 'map':
      if (isObject(value)) checkEntries(schema.item, value, issues)
      else add(issues, typeProblem('an object', value))
      break
    case 'array':
      if (Array.isArray(value)) checkItems(schema.item, value, issues)
      else add(issues, typeProblem('an array', value))
      break
    case 'oneOrMany':
      if (Array.isArray(value)) checkItems(schema.item, value, issues)
      else check(schema.item, value, issues, false)
      break
    case 'changes':
      check(schema.inner, value, issues, true)
      break
    case 'never':
      add(issues, { code: 'not_allowed', message: schema.reason })
      break
    default:
      checkScalar(schema, value, issues)
  }
}

function checkFields(
  schema: ObjectDefinition,
  object: Record<string, unknown>,
  issues: Issue[],
  changes: boolean,
): void {
  const { byName, required } = schema.fields()
  const before = issues.length
  for (const [name, value] of Object.entries(object)) {
    const field = byName.get(name)
    if (field === undefined) {
      if (schema.open) checkInside(name, json, value, issues)
      else add(issues, unknownKey([name], [...byName.keys()], 'field of this request'))
    } else if (value === undefined && !field.isRequired) {
      // Rejects an explicit `undefined`. Without an amount, the service would capture or refund the full amount.
      if (field.type === 'integer' || field.type === 'number') {
        add(issues, { path: [name], code: 'invalid_type', message: 'is undefined: pass a number, or omit the field' })
      }
    } else if (value !== null || field.isRequired || !changes || field.type === 'never') {
      checkInside(name, field.schema, value, issues, changes)
    }
  }
  for (const name of required) {
    if (!Object.hasOwn(object, name)) checkInside(name, (byName.get(name) as Field).schema, undefined, issues, changes)
  }
  if (issues.length === before) for (const issue of schema.rule?.(object) ?? []) add(issues, issue)
}

function checkEntries(item: Definition, object: Record<string, unknown>, issues: Issue[]): void {
  for (const [name, value] of Object.entries(object)) {
    if (!unsafeNames.includes(name)) checkInside(name, item, value, issues)
    else
      add(issues, { path: [name], code: 'not_allowed', message: 'is not an allowed key: it could change a prototype' })
  }
}

function checkItems(item: Definition, values: readonly unknown[], issues: Issue[]): void {
  for (const [index, value] of values.entries()) checkInside(index, item, value, issues)
}

function checkInside(
  key: string | number,
  schema: Definition,
  value: unknown,
  issues: Issue[],
  changes: boolean = false,
): void {
  const before = issues.length
  check(schema, value, issues, changes)
  addKey(key, issues, before)
}

function checkScalar(schema: Definition, value: unknown, issues: Issue[]): void {
  const problem = scalarProblem(schema, value)
  if (problem !== undefined) add(issues, problem)
  else if (Object.is(value, -0)) add(issues, { code: 'out_of_range', message: 'must not be negative zero' })
  else add(issues, ruleOf(schema)?.(value))
}

/** Returns the additional rule of a schema. Assumes that the value's type is correct. */
function ruleOf(schema: Definition): Rule | undefined {
  switch (schema.type) {
    case 'string':
      if (schema.values !== undefined) return oneOf(...schema.values)
      return schema.format && formats[schema.format]
    case 'integer':
      return schema.minimum === undefined ? undefined : integer(schema.minimum, schema.maximum)
    case 'any':
      return schema.rule
    default:
      return undefined
  }
}

const format = (test: (value: string) => boolean, message: string): Rule =>
  rule((value) => test(value as string), message, 'invalid_value')

const formats: Record<Format, Rule> = {
  identifier: format((value) => value !== '', 'must not be empty'),
  'currency-code': format((value) => /^[A-Z]{3}$/.test(value), 'must be a three-letter ISO 4217 code, for example EUR'),
  'country-code': format((value) => /^[A-Z]{2}$/.test(value), 'must be a two-letter country code, for example DE'),
  'utc-date-time': format(
    (value) => /^.{10}T[\d:.]+(Z|\+00:00)?$/.test(value) && isDateTime(value),
    'must be an ISO 8601 datetime in UTC, for example 2026-01-31T12:00:00Z',
  ),
}
