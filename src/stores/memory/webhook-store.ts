import { integer } from '../../core/internal/validation.js'
import type { WebhookStore } from '../contract.js'
import { rememberFor, type StoreOptions, storeOptions } from '../store-options.js'

/** Options for `createMemoryStore`. */
export interface MemoryStoreOptions extends StoreOptions {
  /** @deprecated Use `rememberFor`. */
  rememberMs?: number
  /**
   * Maximum number of stored deliveries. At the limit, a new delivery replaces the oldest completed delivery. If all
   * stored deliveries are being handled, the new delivery is `busy`, so the service delivers it again later.
   * @default 10000
   */
  maxEntries?: number
}

/**
 * Creates a webhook store in the memory of one process. `createHandler` uses it by default.
 *
 * @throws {ConfigurationError} An option is invalid.
 */
export function createMemoryStore(options?: MemoryStoreOptions): WebhookStore {
  const rules = { rememberFor, rememberMs: integer(1), maxEntries: integer(1) }
  const values = storeOptions<MemoryStoreOptions>(options, rules)
  const { maxEntries = 10_000 } = values
  const rememberMs = options?.rememberFor ?? values.rememberMs ?? values.rememberFor

  const claims = new Map<string, { owner: string; expiresAt: number }>()
  /** The expiry time of each completed delivery, oldest first. */
  const completed = new Map<string, number>()
  /** The newest event time of each resource, for example of a payment, least recently updated first. */
  const times = new Map<string, number>()

  function makeSpace(): boolean {
    if (claims.size + completed.size < maxEntries) return true
    if (removeOldest(completed)) return true
    for (const [key, { expiresAt }] of claims) if (expiresAt <= performance.now()) claims.delete(key)
    return claims.size < maxEntries
  }

  /** Returns the claim if it belongs to `owner`, even if it expired. */
  const heldBy = (key: string, owner: string) => {
    const claim = claims.get(key)
    return claim?.owner === owner ? claim : undefined
  }

  return {
    claim(key, ttlMs, owner) {
      const now = performance.now()
      if ((completed.get(key) ?? 0) > now) return 'done'
      const claim = claims.get(key)
      if (claim && claim.owner !== owner && claim.expiresAt > now) return 'busy'
      completed.delete(key)
      claims.delete(key)
      if (!makeSpace()) return 'busy'
      claims.set(key, { owner, expiresAt: now + ttlMs })
      return 'new'
    },
    renew(key, ttlMs, owner) {
      const claim = heldBy(key, owner)
      if (claim) claim.expiresAt = performance.now() + ttlMs
      return claim !== undefined
    },
    complete(key, owner) {
      if (!heldBy(key, owner)) return false
      claims.delete(key)
      completed.set(key, performance.now() + rememberMs)
      return true
    },
    release(key, owner) {
      if (heldBy(key, owner)) claims.delete(key)
    },
    advance(resource, timeMs) {
      const before = times.get(resource)
      times.delete(resource)
      times.set(resource, Math.max(before ?? timeMs, timeMs))
      if (times.size > maxEntries) removeOldest(times)
      return before
    },
    newest: (resource) => times.get(resource),
  }
}

function removeOldest(map: Map<unknown, unknown>): boolean {
  const [oldest] = map.keys()
  return map.delete(oldest)
}
