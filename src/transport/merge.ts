import { isObject } from '../internal/objects.js'

/**
 * Whole objects for every field in `changes`: what was there, with the changes laid over it.
 *
 * A `null` stays a `null`, in nested objects too: whether the service merges or replaces, the field is cleared.
 */
export function mergeChanges(current: object, changes: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, merge(Reflect.get(current, field), value)]),
  )
}

function merge(current: unknown, change: unknown): unknown {
  if (!isObject(current) || !isObject(change)) return change
  return { ...current, ...mergeChanges(current, change) }
}
