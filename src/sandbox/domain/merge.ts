/** What is in both, nested fields included; where both have a value the newer one counts. Lists are taken whole. */
export function merged<T extends object>(older: T | undefined, newer: T): T {
  const result = { ...older } as Record<string, unknown>
  for (const [field, value] of Object.entries(newer)) {
    result[field] = isMap(result[field]) && isMap(value) ? merged(result[field], value) : value
  }
  return result as T
}

/** A copy without the fields that are null, nested ones included. */
export function withoutNulls<T>(value: T): T {
  if (!isMap(value)) return value
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)])) as T
}

/** A copy without the fields that are empty: nothing, empty text, empty list, empty object. */
export function withoutEmpty<T extends object>(value: T): T {
  const fields = Object.entries(value).map(
    ([name, field]) => [name, isMap(field) ? withoutEmpty(field) : field] as const,
  )
  return Object.fromEntries(fields.filter(([, field]) => !isEmpty(field))) as T
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0)
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
