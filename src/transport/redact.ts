const mask = '[…]'

/** Longest text of the service that is quoted in a message. */
const longestQuote = 300

/** A text of the service with everything masked that we sent, and whatever looks like an address or a card. */
export function redact(text: string, sentValues: readonly string[]): string {
  let redacted = text
  for (const value of [...sentValues].sort((a, b) => b.length - a.length)) redacted = maskValue(redacted, value)
  redacted = redacted
    .replace(/[^\s@<>"']+@[^\s@<>"']+/g, mask)
    .replace(/\d(?:[ -]?\d){5,}/g, mask)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced.
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
  return redacted.length > longestQuote ? `${redacted.slice(0, longestQuote)}…` : redacted
}

/** Short values are masked only where they stand alone: `1` is not to be cut out of `HTTP/1.1`. */
function maskValue(text: string, value: string): string {
  if (value.length >= 3) return text.replaceAll(value, mask)
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}.])${literal}(?![\\p{L}\\p{N}.])`, 'gu'), mask)
}

/** Every text and number in what was sent: keys, tokens, ids, addresses, amounts. */
export function valuesOf(...sources: unknown[]): string[] {
  const values = new Set<string>()
  const met = new Set(sources)
  for (const source of met) {
    if (typeof source === 'object' && source !== null) for (const inner of Object.values(source)) met.add(inner)
    else if (typeof source === 'string' || typeof source === 'number') values.add(String(source))
  }
  values.delete('')
  return [...values]
}
