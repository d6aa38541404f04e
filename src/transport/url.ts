import type { Issue } from '../issues.js'

/** The longest identifier that fits comfortably into a URL. */
const longestSegment = 1024

/** The address of a call. What is wrong with a parameter becomes an issue. */
export function buildUrl(
  baseUrl: URL,
  template: string,
  params: Readonly<Record<string, string>>,
  query: ReadonlyMap<string, string>,
  issues: Issue[],
): URL {
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    const problem = segmentProblem(params[name])
    if (problem) issues.push({ path: [name], message: problem })
    return problem ? '_' : encodeURIComponent(params[name] as string)
  })
  return resolveUrl(baseUrl, path, query)
}

/** Join an encoded path and a query to the base URL, keeping the base's own path. */
function resolveUrl(baseUrl: URL, path: string, query: ReadonlyMap<string, string>): URL {
  const url = new URL(baseUrl)
  url.pathname = baseUrl.pathname.replace(/\/+$/, '') + path
  url.search = [...query].map(([name, value]) => `${encodeURIComponent(name)}=${encodeQuery(value)}`).join('&')
  return url
}

/** Encoded for a query; commas stay, since they separate the values of a list. */
function encodeQuery(value: string): string {
  return encodeURIComponent(value).replaceAll('%2C', ',')
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
