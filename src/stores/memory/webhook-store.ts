import { integer } from '../../core/internal/validation.js'
import { isResourceClaim, type WebhookStore } from '../contract.js'
import { rememberFor, type StoreOptions, storeOptions } from '../store-options.js'

/** Options for `createMemoryStore`. */
export interface MemoryStoreOptions extends StoreOptions {
  /** @deprecated Use `rememberFor`. */
  rememberMs?: number
  /**
   * Maximum number of stored deliveries. At the limit, a new delivery replaces the oldest completed delivery. If all
   * stored deliveries are claimed, the new delivery is `busy`, so the service delivers it again later.
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

  const deliveryClaims = new Map<string, Claim>()
  /** The handler's claims on resources. They do not count towards `maxEntries`. */
  const resourceClaims = new Map<string, Claim>()
  const claimsFor = (key: string) => (isResourceClaim(key) ? resourceClaims : deliveryClaims)
  /** The expiry time of each completed delivery, oldest first. */
  const completed = new Map<string, number>()
  /** The newest event time of each resource, for example of a payment, least recently updated first. */
  const times = new Map<string, number>()

  function makeSpaceForDelivery(): boolean {
    if (deliveryClaims.size + completed.size < maxEntries) return true
    if (removeOldest(completed)) return true
    // The owner of an expired claim may still renew or complete it. Like the SQL stores, keeps the claim for
    // `rememberFor` after its expiry, and then assumes that the owner never returns.
    const abandonedBefore = performance.now() - rememberMs
    for (const [key, { expiresAt }] of deliveryClaims) if (expiresAt <= abandonedBefore) deliveryClaims.delete(key)
    return deliveryClaims.size < maxEntries
  }

  /** Returns the claim if it belongs to `owner`, even if it expired. */
  const heldBy = (key: string, owner: string) => {
    const claim = claimsFor(key).get(key)
    return claim?.owner === owner ? claim : undefined
  }

  return {
    claim(key, ttlMs, owner) {
      const now = performance.now()
      if ((completed.get(key) ?? 0) > now) return 'done'
      const claims = claimsFor(key)
      const claim = claims.get(key)
      if (claim && claim.owner !== owner && claim.expiresAt > now) return 'busy'
      completed.delete(key)
      claims.delete(key)
      if (claims === deliveryClaims && !makeSpaceForDelivery()) return 'busy'
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
      claimsFor(key).delete(key)
      completed.set(key, performance.now() + rememberMs)
      return true
    },
    release(key, owner) {
      if (heldBy(key, owner)) claimsFor(key).delete(key)
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

interface Claim {
  readonly owner: string
  expiresAt: number
}

function removeOldest(map: Map<unknown, unknown>): boolean {
  const [oldest] = map.keys()
  return map.delete(oldest)
}
