/** Whether a value is what its schema says. A `null` in an optional field becomes `undefined` on the way. */
export type Guard = (value: unknown) => boolean

/** Where the guard that is being asked stopped; nothing is noted while nobody asks. */
let noted: (string | number)[] | undefined

/** The first place at which a value is not what its guard wants. */
export function brokenPath(guard: Guard, value: unknown): readonly (string | number)[] {
  const path: (string | number)[] = []
  noted = path
  try {
    guard(value)
  } finally {
    noted = undefined
  }
  return path
}

// What the guards in guards.ts are written with.

/** No, and here. */
export function broken(key: string | number): false {
  noted?.unshift(key)
  return false
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function every(values: unknown, guard: Guard): boolean {
  if (!Array.isArray(values)) return false
  for (let index = 0; index < values.length; index++) if (!guard(values[index])) return broken(index)
  return true
}

/** A field that is not what it should be may still be a `null`, which reads as absent. */
export function orAbsent(fields: Record<string, unknown>, key: string): boolean {
  if (fields[key] !== null) return broken(key)
  fields[key] = undefined
  return true
}

/** A field that should be a boolean may be spelled as a text. */
export function asBoolean(fields: Record<string, unknown>, key: string): boolean {
  const value = fields[key]
  if (value !== 'true' && value !== 'false') return orAbsent(fields, key)
  fields[key] = value === 'true'
  return true
}
