import type { Issue } from '../internal/issues.js'
import { isObject } from '../internal/objects.js'
import type { Problem } from '../internal/options.js'
import type { Definition, Field, ObjectDefinition } from './schema.js'

/** Maximum number of issues. Without this limit, a long array of invalid items could exhaust memory. */
const maxIssues = 1_000

/**
 * Validates parsed JSON from the service, and normalizes it in place:
 *
 * - `null` in an optional field becomes `undefined`.
 * - The strings `true` and `false` in a boolean field become booleans.
 * - Unknown fields and invalid values remain unchanged.
 */
export function normalize(schema: Definition, value: unknown): Issue[] {
  const issues: Issue[] = []
  read(schema, value, issues)
  return issues
}

function read(schema: Definition, value: unknown, issues: Issue[]): void {
  switch (schema.type) {
    case 'object':
      if (isObject(value)) readFields(schema, value, issues)
      else add(issues, typeProblem('an object', value))
      break
    case 'map':
      if (isObject(value)) readEntries(schema.item, value, issues)
      else add(issues, typeProblem('an object', value))
      break
    case 'array':
      if (Array.isArray(value)) readItems(schema.item, value, issues)
      else add(issues, typeProblem('an array', value))
      break
    case 'oneOrMany':
      if (Array.isArray(value)) readItems(schema.item, value, issues)
      else read(schema.item, value, issues)
      break
    case 'any':
      break
    default: {
      const problem = scalarProblem(schema, value)
      if (problem !== undefined) add(issues, problem)
    }
  }
}

function readFields(schema: ObjectDefinition, object: Record<string, unknown>, issues: Issue[]): void {
  const { byName, required } = schema.fields()
  if (byName.size === 0) return
  for (const name in object) {
    const field = byName.get(name)
    if (field === undefined) continue
    const value = object[name]
    const { type } = field
    // Checks the most frequent types first, because this loop must be fast.
    if (typeof value === 'string' ? type === 'string' : type === 'integer' && Number.isSafeInteger(value)) continue
    if (value === undefined) continue
    if (value === null && !field.isRequired) object[name] = undefined
    else if (type === 'boolean' && (value === 'true' || value === 'false')) object[name] = value === 'true'
    else readInside(name, field.schema, value, issues)
  }
  for (const name of required) {
    if (object[name] === undefined) readInside(name, (byName.get(name) as Field).schema, undefined, issues)
  }
}

function readEntries(item: Definition, object: Record<string, unknown>, issues: Issue[]): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === null) object[name] = undefined
    else readInside(name, item, value, issues)
  }
}

function readItems(item: Definition, values: readonly unknown[], issues: Issue[]): void {
  for (let index = 0; index < values.length; index++) readInside(index, item, values[index], issues)
}

function readInside(key: string | number, schema: Definition, value: unknown, issues: Issue[]): void {
  const before = issues.length
  read(schema, value, issues)
  if (issues.length > before) addKey(key, issues, before)
}

/** Prepends a key to the path of each issue, starting with the issue at index `from`. */
export function addKey(key: string | number, issues: Issue[], from: number): void {
  for (let index = from; index < issues.length; index++) {
    const issue = issues[index] as Issue
    issues[index] = { ...issue, path: [key, ...issue.path] }
  }
}

export function add(issues: Issue[], problem: Problem | Issue | undefined): void {
  if (problem !== undefined && issues.length < maxIssues) issues.push({ path: [], ...problem })
}

export function typeProblem(noun: string, value: unknown): Problem {
  return value === undefined
    ? { code: 'missing', message: `is missing: it must be ${noun}` }
    : { code: 'invalid_type', message: `must be ${noun}` }
}

function isScalar(schema: Definition, value: unknown): boolean {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string'
    case 'integer':
      return Number.isSafeInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'number':
      return Number.isFinite(value)
    case 'literal':
      return value === schema.value
    default:
      return schema.type === 'any' && value !== null
  }
}

const nouns: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'a boolean',
  number: 'a number',
}

export function scalarProblem(schema: Definition, value: unknown): Problem | undefined {
  if (schema.type === 'any' || isScalar(schema, value)) return undefined
  if (schema.type === 'literal') return { code: 'invalid_value', message: `must be '${schema.value}'` }
  if (schema.type === 'integer' && Number.isInteger(value)) {
    return { code: 'out_of_range', message: 'is too large to be exact' }
  }
  return typeProblem(nouns[schema.type] as string, value)
}
