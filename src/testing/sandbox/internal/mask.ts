export const mask = '[…]'

/** Masks API keys and signing secrets in a string, which may be JSON. */
export function maskText(text: string): string {
  return text.replace(/(key|sig)_[A-Za-z0-9]{20}/g, `$1_${mask}`)
}

export const maxRecordedBytes = 64 * 1024

/**
 * Maximum number of characters in all bodies of the request log, and also in all response bodies of webhook deliveries.
 * Without this limit, 10,000 large list pages would need 600 MB.
 */
export const maxTotalLength = 50_000_000

/** Returns a copy of the first 64 KiB of a string, so that the original string does not stay in memory. */
export function truncated(text: string): string {
  // A short string cannot exceed the limit, because each UTF-16 code unit has at most three bytes in UTF-8.
  if (text.length * 3 <= maxRecordedBytes) return text
  const bytes = new Uint8Array(maxRecordedBytes)
  const { read, written } = new TextEncoder().encodeInto(text, bytes)
  return read === text.length ? text : new TextDecoder().decode(bytes.subarray(0, written))
}
