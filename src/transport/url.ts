import type { Issue } from '../internal/issues.js'

/** The longest identifier that fits comfortably into a URL. */
const longestSegment = 1024

/**
 * What a call asks for: the encoded path, below the base URL's own, and the query. What is wrong with a parameter becomes
 * an issue.
 */
export function buildTarget(
  baseUrl: URL,
  template: string,
  params: Readonly<Record<string, string>>,
  query: ReadonlyMap<string, string>,
  issues: Issue[],
): string {
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    const problem = segmentProblem(params[name])
    if (problem) issues.push({ path: [name], message: problem })
    return problem ? '_' : encodeURIComponent(params[name] as string)
  })
  return `${baseUrl.pathname.replace(/\/+$/, '')}${path}${queryText(query)}`
}

function queryText(query: ReadonlyMap<string, string>): string {
  let text = ''
  for (const [name, value] of query) {
    text += `${text === '' ? '?' : '&'}${encodeQuery(name)}=${encodeQuery(value)}`
  }
  return text
}

/**
 * Encoded as a URL's query is, with nothing left for a parser of URLs to change. Commas stay, since they separate the values
 * of a list.
 */
function encodeQuery(text: string): string {
  return encodeURIComponent(text).replaceAll('%2C', ',').replaceAll("'", '%27')
}

/** Why a value cannot be one segment of a path. */
function segmentProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be text'
  if (value === '') return 'must not be empty'
  if (value === '.' || value === '..') return 'must not be a dot segment'
  if (value.length > longestSegment) return `must not be longer than ${longestSegment} characters`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(value)) return 'must not have control characters'
  return value.isWellFormed() ? undefined : 'must be well-formed Unicode'
}
