/** As the service writes most of its times: UTC, microseconds, and no zone to say so. */
export function zoneless(date: Date): string {
  return `${date.toISOString().slice(0, -1)}000`
}

/** The instant that a text means, in milliseconds since 1970. Without a zone it is UTC. */
export function instantOf(text: string): number {
  const hasTime = /\d[T ]\d/.test(text)
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text)
  return Date.parse(hasTime && !hasZone ? `${text}Z` : text)
}
