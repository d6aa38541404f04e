import { isObject } from '../internal/objects.js'

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

/** Fail, and note at which key. */
export function broken(key: string | number): false {
  noted?.unshift(key)
  return false
}

/** An object whose fields are looked at. */
export type Fields = Record<string, unknown>

/** Whether it is an object, and right in every field that is there: most of those that could be are not. */
export function everyField(
  fields: unknown,
  isRight: (value: unknown, key: string, fields: Fields) => boolean,
): fields is Fields {
  if (!isObject(fields)) return false
  for (const key in fields) if (!isRight(fields[key], key, fields) && !orAbsent(fields, key)) return false
  return true
}

export function every(values: unknown, guard: Guard): boolean {
  if (!Array.isArray(values)) return false
  for (let index = 0; index < values.length; index++) if (!guard(values[index])) return broken(index)
  return true
}

/** A field that is not what it should be may still be a `null`, which reads as absent, or not be there at all. */
function orAbsent(fields: Fields, key: string): boolean {
  if (fields[key] !== null && fields[key] !== undefined) return broken(key)
  fields[key] = undefined
  return true
}

/** A field that should be a boolean may be spelled as a text. */
export function asBoolean(value: unknown, key: string, fields: Fields): boolean {
  if (value !== 'true' && value !== 'false') return false
  fields[key] = value === 'true'
  return true
}
