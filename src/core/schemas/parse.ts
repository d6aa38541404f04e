import * as z from 'zod'
import type { Issue } from '../internal/issues.js'
import { maxIssues, messageOf, type Problem } from '../internal/validation.js'
import { run } from './zod.js'

export interface Parsed {
  /** The parsed value. Invalid parts are unchanged. */
  readonly data: unknown
  readonly issues: readonly Issue[]
}

/** Parses JSON from the service with zod. */
export function parse(schema: z.ZodType, value: unknown): Parsed {
  const { value: data, issues } = run(schema, value)
  return { data, issues: issues.flatMap((issue) => issuesIn(issue)).slice(0, maxIssues) }
}

type RawIssue = z.core.$ZodRawIssue

/** Converts a zod issue. For a value that matches no type of a union, reports the issues of the closest type. */
function issuesIn(issue: RawIssue): Issue[] {
  const path = issue.path as (string | number)[]
  if (issue.code !== 'invalid_union') return [{ path: path ?? [], ...problemOf(issue) }]
  const [closest] = issue.errors.toSorted((a, b) => deepest(b) - deepest(a))
  return (closest ?? []).flatMap((inner) => issuesIn({ ...inner, path: [...(path ?? []), ...inner.path] } as RawIssue))
}

const deepest = (issues: readonly z.core.$ZodIssue[]) => Math.max(...issues.map(({ path }) => path.length))

function problemOf(issue: RawIssue): Problem {
  if (issue.code === 'invalid_type') {
    return typeProblem(issue.inst instanceof z.ZodNumberFormat ? 'int' : issue.expected, issue.input)
  }
  if (issue.code === 'invalid_value') return { code: 'invalid_value', message: messageOf(issue) }
  return { code: 'out_of_range', message: 'is too large to be exact' }
}

export function typeProblem(type: string, input: unknown): Problem {
  const expected = (type === 'record' ? 'object' : type) as 'object'
  return {
    code: input === undefined ? 'missing' : 'invalid_type',
    message: messageOf({ code: 'invalid_type', expected, input }),
  }
}
