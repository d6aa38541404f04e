import * as z from 'zod/mini'
import { describeIssues, type Issue, unknownKey } from '../../internal/issues.js'

/** A zod schema for values of type `T`. */
export type Schema<T = unknown> = z.ZodMiniType<T>

/**
 * Returns a value as the schema parses it.
 *
 * @param fail Returns the error to throw for an invalid value. Receives a description of the problems.
 * @param noun The word for a field in messages about unknown fields, for example `argument`.
 */
export function parsed<T>(schema: Schema<T>, value: unknown, fail: (problems: string) => Error, noun = 'field'): T {
  const result = z.safeParse(schema, value, { error: messageOf })
  if (result.success) return result.data
  throw fail(describeIssues(result.error.issues.flatMap((issue) => toIssues(issue, schema, noun))))
}

/** Returns the message for an issue whose schema has no message of its own. */
function messageOf({ code, expected, input }: { code?: string; expected?: unknown; input?: unknown }): string {
  if (input === undefined) return 'is missing'
  if (code !== 'invalid_type') return 'is invalid'
  const type = String(expected)
  return type === 'int' ? 'must be an integer' : `must be ${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function toIssues(issue: z.core.$ZodIssue, schema: Schema, noun: string): Issue[] {
  const path = issue.path.filter((key) => typeof key !== 'symbol')
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }]
  const known = path.length === 0 && schema instanceof z.ZodMiniObject ? Object.keys(schema.shape) : []
  return issue.keys.map((key) => unknownKey([...path, key], known, noun))
}
