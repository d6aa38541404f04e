import { isPlainObject } from '../internal/objects.js'
import { define } from '../internal/prototype.js'

/**
 * A copy of plain objects and lists with what they have themselves, and nothing that every object inherits: neither checks
 * nor JSON see what somebody put on `Object.prototype`. Objects of other kinds stay what they are.
 */
export function ownFields<T extends object>(value: T): T {
  const copies = new Map<object, object>()
  const copy = (inner: unknown): unknown => {
    if (!Array.isArray(inner) && !isPlainObject(inner)) return inner
    if (!copies.has(inner)) copies.set(inner, Array.isArray(inner) ? [] : Object.create(null))
    return copies.get(inner)
  }
  const whole = copy(value) as T
  // The map grows while it is walked: no recursion, so depth is no limit, and a circle stays a circle.
  for (const [original, copied] of copies) {
    for (const [name, inner] of Object.entries(original)) {
      define(copied, name, copy(inner))
    }
  }
  return whole
}
