/** A length of time: milliseconds, or a text such as `'24h'`, `'90s'`, `'500ms'`. */
export type Duration = number | `${number}${keyof typeof units}`

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** @throws {TypeError} It is no length of time, or less than zero. */
export function milliseconds(duration: Duration): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? []
  const length = typeof duration === 'number' ? duration : Number(count) * units[unit as keyof typeof units]
  if (Number.isFinite(length) && length >= 0) return length
  throw new TypeError(`Not a length of time: ${String(duration)}. Give milliseconds, or a text such as '24h' or '60s'`)
}
