import type { PreparedRequest } from './request.js'

const mask = '[…]'

const maxQuoteLength = 300

/**
 * Truncates a string from the service or from third-party code. Masks e-mail addresses, runs of six or more digits, and
 * the given secrets.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())])
  const starts = forms.map((form) => form.slice(0, maxQuoteLength))
  // Masks longer values first, because a secret may contain another one.
  starts.sort((a, b) => b.length - a.length)
  // Searches past the end of the quote, so that values that start inside the quote are also masked.
  let quote = text.slice(0, 4 * maxQuoteLength)
  // Pads each mask to the length of the value, so that masking never moves unmasked text into the quote.
  const blank = (value: string) => mask.padEnd(value.length, '\0')
  for (const start of starts) quote = quote.replaceAll(start, blank)
  quote = quote
    .replace(/[^\s@<>"'\0]+@[^\s@<>"'\0]+/g, blank)
    .replace(/\d(?:[ -]?\d){5,}/g, blank)
    .slice(0, maxQuoteLength)
    .replaceAll('\0', '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
  return text.length > maxQuoteLength ? `${quote}…` : quote
}

/** Request headers that never contain secrets. */
const publicHeaders = new Set(['accept', 'content-type', 'user-agent', 'x-api-version'])

/** Matches fields that contain tokens, and the path segments of `client.request`. */
const secretName = /token|^segment\d+$/i

/** Minimum length of a secret. Shorter values, such as `1`, also occur in harmless text. */
const minSecretLength = 4

/** Returns the API key, the tokens, and the values of the caller's headers that a request contains. */
export function secretsOf(headers: Readonly<Record<string, string>>, request: PreparedRequest): string[] {
  const secrets = new Set<string>()
  const add = (value: unknown) => typeof value === 'string' && value.length >= minSecretLength && secrets.add(value)
  for (const [name, value] of Object.entries(headers)) if (!publicHeaders.has(name)) add(value)
  const visit = (name: string, value: unknown) => {
    if (secretName.test(name)) add(value)
    if (typeof value === 'object' && value !== null) for (const entry of Object.entries(value)) visit(...entry)
  }
  visit('', { ...request.params, query: Object.fromEntries(request.query), body: request.bodyValue })
  return [...secrets]
}

/** Maximum length of a name in a response. A longer string is treated as data. */
const maxNameLength = 1_000

/** Returns whether a name from the service contains a secret, or is too long to be a name. */
export function isSecret(name: string, secrets: readonly string[]): boolean {
  return name.length > maxNameLength || secrets.some((secret) => secret.length >= 8 && name.includes(secret))
}

/**
 * Copies only the name, the code and the redacted message of a third-party error, because such an error may contain the
 * request with its API key.
 */
export function summarize(error: unknown, code: string, secrets: readonly string[]): Error {
  const { name, message, cause } = Object(error)
  const texts = [typeof error === 'string' ? error : message, Object(cause).message]
  const text = texts.filter((part) => typeof part === 'string' && part !== '').join(': ')
  const summary = Object.assign(new Error(redact(text, secrets)), { code })
  summary.name = redact(typeof name === 'string' ? name : 'Error', secrets)
  summary.stack = String(summary)
  return summary
}
