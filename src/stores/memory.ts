import { ConfigurationError } from '../errors.js'
import { describeIssues } from '../internal/issues.js'
import { checkOptions, integer } from '../internal/options.js'
import type { WebhookStore } from './webhook-store.js'

/** Options of `createMemoryStore`. */
export interface MemoryStoreOptions {
  /** How long to remember completed deliveries, in milliseconds. @default 86400000, one day */
  rememberMs?: number
  /**
   * Most deliveries to remember. Beyond it the oldest completed one is removed; if all of them are being handled, new
   * ones are `busy`.
   * @default 10000
   */
  maxEntries?: number
}

/**
 * Creates a store for one process: the default of `createHandler`.
 *
 * @throws {ConfigurationError} An invalid option.
 */
export function createMemoryStore(options?: MemoryStoreOptions): WebhookStore {
  const rules = { rememberMs: integer(1), maxEntries: integer(1) }
  const { values, issues } = checkOptions<MemoryStoreOptions>(options, rules)
  if (issues.length > 0) throw new ConfigurationError(describeIssues(issues))
  const { rememberMs = 86_400_000, maxEntries = 10_000 } = values

  const claims = new Map<string, { owner: string; expiresAt: number }>()
  /** When each completed delivery is forgotten; oldest first. */
  const completed = new Map<string, number>()
  /** The newest time of each resource; least recently updated first. */
  const times = new Map<string, number>()

  function hasRoom(): boolean {
    if (claims.size + completed.size < maxEntries) return true
    if (removeOldest(completed)) return true
    for (const [key, { expiresAt }] of claims) if (expiresAt <= performance.now()) claims.delete(key)
    return claims.size < maxEntries
  }

  /** Returns the claim if no other owner has it. An expired claim belongs to its owner until another one takes it. */
  const heldBy = (key: string, owner: string) => {
    const claim = claims.get(key)
    return claim?.owner === owner ? claim : undefined
  }

  return {
    claim(key, ttlMs, owner) {
      const now = performance.now()
      if ((completed.get(key) ?? 0) > now) return 'done'
      if ((claims.get(key)?.expiresAt ?? 0) > now) return 'busy'
      completed.delete(key)
      claims.delete(key)
      if (!hasRoom()) return 'busy'
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

function removeOldest(map: Map<string, unknown>): boolean {
  const [oldest] = map.keys()
  return oldest !== undefined && map.delete(oldest)
}
