/** Recognizes built-in objects of any realm: test runners and `node:vm` contexts have classes of their own. */

/** Returns whether a value is a `Date`, valid or not. `instanceof` would compare classes, which each realm has. */
export function isDate(value: unknown): value is Date {
  // Tests the type first, because reading the slot of another object throws, and throwing takes time.
  if (Object.prototype.toString.call(value) !== '[object Date]') return false
  try {
    Date.prototype.getTime.call(value)
    return true
  } catch {
    // The object only has the tag of a `Date`.
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

/** Returns a signal of this realm, as `AbortSignal.any` requires. */
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
