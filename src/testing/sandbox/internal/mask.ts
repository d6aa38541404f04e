import { isObject } from '../../../core/internal/objects.js'

export const mask = '[…]'

const secrets = /(?:key|sig)_[A-Za-z0-9]{20}/g

/**
 * Numbers that may be card numbers: 13 to 19 digits, or groups such as 4-4-4-4 and 4-6-5. A JSON escape sequence, such
 * as `\n`, may precede them.
 */
const longNumbers =
  /(?<!(?<!\\)\w|\+)[2-6](?:\d{12,18}|\d{3}(?:[ -]\d{4}){3}(?:[ -]\d{3})?|\d{3}[ -]\d{6}[ -]\d{4,5})(?!\w)/g

export function maskText(text: string): string {
  return text
    .replace(secrets, (secret) => secret.slice(0, 4) + mask)
    .replace(longNumbers, (number) => (isCardNumber(number) ? mask : number))
}

export function maskPath(path: string): string {
  let decoded = path
  try {
    decoded = decodeURIComponent(path.replaceAll('+', ' '))
  } catch {
    // Masks the encoded path if its percent-encoding is invalid.
  }
  const masked = maskText(decoded)
  return masked === decoded ? path : masked
}

/** Formats a value as JSON. Replaces API keys, signing secrets and card numbers in its strings, numbers and names. */
export function maskedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'string') return maskText(inner)
    // Leaves numbers up to 1e14 unmasked, because they may be times in milliseconds.
    if (typeof inner === 'number') return inner > 1e14 && maskText(String(inner)) === mask ? mask : inner
    return isObject(inner) ? Object.fromEntries(Object.entries(inner).map(([name, v]) => [maskText(name), v])) : inner
  })
}

/** Returns whether a number has the check digit of a card number (Luhn algorithm). */
function isCardNumber(number: string): boolean {
  const digits = number.replace(/[ -]/g, '')
  let sum = 0
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (1 + (index % 2))
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

export const maxRecordedBytes = 64 * 1024

/**
 * Maximum number of characters in all bodies of the request log, and also in all response bodies of webhook deliveries.
 * Without this limit, 10,000 large list pages would need 600 MB.
 */
export const maxTotalLength = 50_000_000

/** Returns a copy of the first 64 KiB of a string, so that the original string does not stay in memory. */
export function truncated(text: string): string {
  // A short string cannot exceed the limit, because UTF-8 has at most three bytes for each UTF-16 code unit.
  if (text.length * 3 <= maxRecordedBytes) return text
  const bytes = new Uint8Array(maxRecordedBytes)
  const { read, written } = new TextEncoder().encodeInto(text, bytes)
  return read === text.length ? text : new TextDecoder().decode(bytes.subarray(0, written))
}
