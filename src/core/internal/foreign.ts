/**
 * Functions that recognize built-in objects of other realms. Test runners and `node:vm` contexts have their own
 * classes, so `instanceof` would fail.
 */

/** Returns whether a value is a `Date`, valid or not. `instanceof` would reject the `Date` of another realm. */
export function isDate(value: unknown): value is Date {
  // Checks the tag first, because `getTime` throws for other objects, and throwing is slow.
  if (Object.prototype.toString.call(value) !== '[object Date]') return false
  try {
    Date.prototype.getTime.call(value)
    return true
  } catch {
    // The object is not a `Date`, but has its `Symbol.toStringTag`.
    return false
  }
}

export function isValidDate(value: unknown): value is Date {
  return isDate(value) && !Number.isNaN(Date.prototype.getTime.call(value))
}

export function isAbortSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
}

/** Converts a signal of another realm to one of this realm, as `AbortSignal.any` requires. */
export function ownSignal(signal: AbortSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const controller = new AbortController()
  const abort = () => controller.abort((signal as AbortSignal).reason)
  if ((signal as AbortSignal).aborted) abort()
  else (signal as AbortSignal).addEventListener('abort', abort, { once: true })
  return controller.signal
}

export function isUrl(value: unknown): value is URL {
  return Object.prototype.toString.call(value) === '[object URL]'
}
