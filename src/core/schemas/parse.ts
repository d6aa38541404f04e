import type * as z from 'zod/mini'
import type { Issue } from '../internal/issues.js'
import type { Problem } from '../internal/validation.js'
import { type Context, maxIssues } from './zod.js'
import type { Zod } from './zod-type.js'

export interface Parsed {
  /** The parsed value. Invalid parts of it are unchanged. */
  readonly data: unknown
  readonly issues: readonly Issue[]
}

/** Parses JSON from the service with zod. */
export function parse(schema: Zod<unknown>, value: unknown): Parsed {
  return run(schema, value, { async: false })
}

/**
 * Does the same as `parse`, but faster, because it changes the value instead of copying it. Only safe if no other code
 * uses the value.
 */
export function parseInPlace(schema: Zod<unknown>, value: unknown): Parsed {
  return run(schema, value, { async: false, inPlace: true })
}

function run(schema: Zod<unknown>, value: unknown, context: Context): Parsed {
  // Calls zod's internal `run`, because `safeParse` returns no data for an invalid value.
  const result = schema._zod.run({ value, issues: [] }, context) as z.core.ParsePayload
  const { value: data, issues } = result
  // Returns early for valid values, because this function is called for every field of a request.
  if (issues.length === 0) return { data, issues: [] }
  return { data, issues: issues.slice(0, maxIssues).map((issue) => ({ path: pathOf(issue), ...problemOf(issue) })) }
}

/** If a JSON text has at least this length, a prefix of it is parsed first. */
const longJson = 1_000_000

/** The length of the prefix. If every item is invalid, the prefix contains at least 1,000 issues. */
const prefixLength = 100_000

/**
 * Returns the issues in the prefix of a long JSON text if there are 1,000 of them. Further issues would not be
 * reported, and parsing the rest could need hundreds of megabytes.
 */
export function issuesInPrefix(schema: () => Zod<unknown>, json: string): readonly Issue[] | undefined {
  if (json.length < longJson) return undefined
  try {
    const { issues } = parse(schema(), JSON.parse(completePrefix(json.slice(0, prefixLength))))
    return issues.length < maxIssues ? undefined : issues
  } catch {
    return undefined
  }
}

/** The maximum nesting depth of the prefix, which ends before the first value that is nested more deeply. */
const maxPrefixDepth = 100

/** Cuts a JSON text after its last complete value, and closes the open brackets. */
function completePrefix(json: string): string {
  const open: string[] = []
  let end = 0
  let closing: string[] = []
  for (const { 0: token, index } of json.matchAll(/"(?:[^"\\]|\\.?)*(?:"|$)|[[\]{},]/g)) {
    if (token === '[') open.unshift(']')
    else if (token === '{') open.unshift('}')
    else if (token === ']' || token === '}') open.shift()
    else if (token === ',') {
      end = index
      closing = [...open]
    }
    if (open.length > maxPrefixDepth) break
  }
  return json.slice(0, end) + closing.join('')
}

function pathOf({ path = [] }: z.core.$ZodRawIssue): Issue['path'] {
  return path as (string | number)[]
}

function problemOf(issue: z.core.$ZodRawIssue): Problem {
  switch (issue.code) {
    case 'invalid_type':
      return typeProblem(issue.expected as string, issue.input)
    case 'invalid_value':
      return { code: 'invalid_value', message: `must be '${String(issue.values)}'` }
    default:
      return { code: 'out_of_range', message: 'is too large to be exact' }
  }
}

export function typeProblem(expected: string, value: unknown): Problem {
  const noun = `${/^[aio]/.test(expected) ? 'an' : 'a'} ${expected === 'int' ? 'integer' : expected}`
  return value === undefined
    ? { code: 'missing', message: `is missing: it must be ${noun}` }
    : { code: 'invalid_type', message: `must be ${noun}` }
}
