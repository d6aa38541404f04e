const mask = '[…]'

const maxQuoteLength = 300

/**
 * Only request values of at least this length are searched for in names such as an `errorId`. A shorter value, such as
 * `12`, may be part of a name by chance.
 */
const minSecretLength = 8

type Range = readonly [start: number, exclusiveEnd: number]

/**
 * Truncates a description from the service. Masks e-mail addresses, long digit runs, and every value from the request,
 * even if the value is percent-encoded, JSON-escaped or in a different letter case.
 */
export function redact(description: string, sentValues: readonly string[]): string {
  // The window also contains the end of every value that begins in the quoted part: a value is at most as long as the
  // quoted part, and escaping makes it at most six times longer.
  const window = description.slice(0, 7 * maxQuoteLength)
  const forms = formsOf(sentValues)
  const { text, positions } = unescapeJson(window)
  const [folded, unescaped] = [foldCase(window), foldCase(text)]
  const ranges: Range[] = [
    ...rangesOf(window, /[^\s@<>"']+@[^\s@<>"']+/g),
    ...rangesOf(window, /\d(?:[ -]?\d){5,}/g),
    ...forms.flatMap((form) => occurrences(folded, form)),
    ...forms
      .flatMap((form) => occurrences(unescaped, form))
      .map(([start, end]): Range => [positions[start] as number, positions[end] as number]),
  ]
  const quote = maskRanges(window, ranges)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
  return description.length > maxQuoteLength ? `${quote}…` : quote
}

/**
 * Replaces JSON escapes, such as `\u00eb` and `\n`, with their characters.
 *
 * @returns The text, and the position in the source of each character and of the end.
 */
function unescapeJson(source: string): { text: string; positions: number[] } {
  let text = ''
  const positions: number[] = []
  for (const { 0: match, index } of source.matchAll(/\\u[\da-f]{4}|\\["\\/bfnrt]|./gis)) {
    positions.push(index)
    text += match.length === 1 ? match : JSON.parse(`"${match.toLowerCase()}"`)
  }
  return { text, positions: [...positions, source.length] }
}

function maskRanges(source: string, ranges: Range[]): string {
  ranges.sort(([a], [b]) => a - b)
  let quote = ''
  let position = 0
  for (const [start, end] of ranges) {
    if (start >= maxQuoteLength) break
    if (start >= position) quote += source.slice(position, start) + mask
    position = Math.max(position, end)
  }
  return quote + source.slice(position, Math.max(position, maxQuoteLength))
}

function rangesOf(source: string, pattern: RegExp): Range[] {
  return Array.from(source.matchAll(pattern), ({ 0: match, index }) => [index, index + match.length])
}

/**
 * Finds the occurrences of a value. A value of one or two characters matches only whole words: `1` does not match
 * `HTTP/1.1`.
 */
function occurrences(source: string, value: string): Range[] {
  if (value.length < 3) {
    const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return rangesOf(source, new RegExp(`(?<![\\p{L}\\p{N}.])${literal}(?![\\p{L}\\p{N}.])`, 'gv'))
  }
  const ranges: Range[] = []
  for (let start = source.indexOf(value); start >= 0; start = source.indexOf(value, start + 1)) {
    ranges.push([start, start + value.length])
  }
  return ranges
}

/** Returns each value in two forms: literal and percent-encoded. Both are truncated and in lower case. */
function formsOf(values: readonly string[]): string[] {
  const forms = new Set<string>()
  for (const value of values) {
    const cut = value.slice(0, maxQuoteLength)
    for (const form of [cut, encodeURIComponent(cut.toWellFormed())]) {
      forms.add(foldCase(form.slice(0, maxQuoteLength)))
    }
  }
  return [...forms]
}

/** Converts a string to lower case without changing its length. */
function foldCase(value: string): string {
  const lower = value.toLowerCase()
  if (lower.length === value.length) return lower
  return Array.from(value, (character) => {
    const folded = character.toLowerCase()
    return folded.length === character.length ? folded : character
  }).join('')
}

/** Maximum length of a name in a response. A longer string is treated as data. */
const maxNameLength = 1_000

/** Returns whether a name from the service contains a value from the request, or is too long to be a name. */
export function repeatsValue(name: string, sentValues: readonly string[]): boolean {
  if (name.length > maxNameLength) return true
  const folded = foldCase(name)
  return sentValues.some((sent) => sent.length >= minSecretLength && folded.includes(foldCase(sent)))
}

/** Collects every string and number in the sources, such as tokens, ids and amounts. */
export function valuesOf(...sources: unknown[]): string[] {
  const values = new Set<string>()
  const visited = new Set(sources)
  for (const source of visited) {
    if (typeof source === 'object' && source !== null) for (const inner of Object.values(source)) visited.add(inner)
    else if (typeof source === 'string' || typeof source === 'number') values.add(String(source))
  }
  values.delete('')
  return [...values]
}
