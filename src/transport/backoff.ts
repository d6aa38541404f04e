/** Ceiling of the first wait, in milliseconds; it doubles with every further attempt. */
const firstCeiling = 500
const highestCeiling = 8_000

/** How long to wait before the next attempt: anything up to the ceiling, so that clients do not march in step. */
export function backoff(attempt: number): number {
  return Math.random() * Math.min(highestCeiling, firstCeiling * 2 ** (attempt - 1))
}
