// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters, and characters that change the direction of text.
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Replaces invisible characters with their escape sequences, so that data cannot hide or reorder text. */
export function visible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Formats a recorded body: JSON with indentation, other text unchanged. */
export function pretty(body: unknown): string {
  if (body === undefined || body === '') return ''
  if (typeof body !== 'string') return JSON.stringify(body, undefined, 2)
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}

/** Formats a name for readers: `PARTIALLY_SETTLED` as `Partially settled`, `createApiKey` as `Create API key`. */
export function words(name: string): string {
  const separated = /[a-z]/.test(name) ? name.replace(/[A-Z]/g, ' $&') : name.replaceAll('_', ' ')
  const text = separated.toLowerCase().replace(/\b(api|id|url)\b/g, (acronym) => acronym.toUpperCase())
  return text.charAt(0).toUpperCase() + text.slice(1)
}
