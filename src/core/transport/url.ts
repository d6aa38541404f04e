import type { Issue } from '../internal/issues.js'
import { invalidType, invalidValue, type Problem } from '../internal/validation.js'
import { basePathOf } from '../settings.js'

const maxSegmentLength = 1024

/** Builds the encoded path (with the base URL's path) and query. Adds an issue for each invalid path parameter. */
export function buildTarget(
  baseUrl: URL,
  template: string,
  params: Readonly<Record<string, string>>,
  query: ReadonlyMap<string, string>,
  issues: Issue[],
): string {
  let target = basePathOf(baseUrl)
  for (const segment of template.split('/').slice(1)) {
    target += `/${segment.startsWith(':') ? encodeParam(segment.slice(1), params, issues) : segment}`
  }
  return target + encodeQuery(query)
}

function encodeParam(name: string, params: Readonly<Record<string, string>>, issues: Issue[]): string {
  const problem = segmentProblem(params[name])
  if (problem) issues.push({ ...problem, path: [name] })
  return problem ? name : encodeURIComponent(params[name] as string)
}

function encodeQuery(query: ReadonlyMap<string, string>): string {
  let encoded = ''
  for (const [name, value] of query) {
    encoded += `${encoded === '' ? '?' : '&'}${encodeQueryPart(name)}=${encodeQueryPart(value)}`
  }
  return encoded
}

/** Encodes every character that a URL parser would change. Keeps commas, which separate the items of an array. */
function encodeQueryPart(part: string): string {
  return encodeURIComponent(part).replaceAll('%2C', ',').replaceAll("'", '%27')
}

function segmentProblem(value: unknown): Problem | undefined {
  if (typeof value !== 'string') {
    const isPromise = typeof Object(value).then === 'function'
    return invalidType(isPromise ? 'is a promise: await it first' : 'must be a string')
  }
  if (value === '') return invalidValue('must not be empty')
  if (value === '.' || value === '..') return invalidValue('must not be . or .. (a dot segment)')
  if (value.length > maxSegmentLength) {
    return { code: 'out_of_range', message: `must not be longer than ${maxSegmentLength} characters` }
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
  if (/[\u0000-\u001f\u007f]/.test(value)) return invalidValue('must not contain control characters')
  return value.isWellFormed() ? undefined : invalidValue('must be well-formed Unicode')
}
