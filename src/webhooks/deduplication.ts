import { sha256 } from '../internal/bytes.js'
import { type RawBody, readRawBody } from './body.js'
import { positiveInteger, resolve } from './options.js'
import { webCrypto } from './signature.js'

/** What a store knows of a delivery: never seen, being handled right now, or handled. */
export type ClaimResult = 'new' | 'busy' | 'done'

/**
 * Remembers which deliveries were handled. For several processes give `createHandler` one that they share, in Redis or
 * a database; every function may return a promise. A key is a text of 64 characters.
 */
export interface DeduplicationStore {
  /**
   * Claim a delivery for handling: in one step, so that of two that ask at once only one is told `'new'`.
   *
   * @param ttlMs How long the claim stands, in milliseconds. It must lapse then: whoever made it has died.
   */
  claim(key: string, ttlMs: number): ClaimResult | Promise<ClaimResult>
  /** The delivery was handled: answer `'done'` from now on, for at least as long as the service may repeat it. */
  complete(key: string): unknown
  /** Handling it failed: answer `'new'` when it comes again. */
  release(key: string): unknown
}

/** Limits of a store in memory. */
export interface MemoryStoreOptions {
  /** How long to remember what was handled, in milliseconds. @default 86400000, a day */
  rememberMs?: number
  /** How many deliveries to remember; beyond it the oldest is forgotten. @default 10000 */
  maxEntries?: number
}

const defaults: Required<MemoryStoreOptions> = { rememberMs: 86_400_000, maxEntries: 10_000 }

/** A store for one process. What `createHandler` uses unless given another. */
export function createMemoryStore(options: MemoryStoreOptions = {}): DeduplicationStore {
  const rules = { rememberMs: positiveInteger, maxEntries: positiveInteger }
  const { rememberMs, maxEntries } = resolve(options, defaults, rules)
  // Oldest first: whatever changes is put at the end again.
  const entries = new Map<string, { state: 'busy' | 'done'; until: number }>()

  function put(key: string, state: 'busy' | 'done', lifetimeMs: number): void {
    entries.delete(key)
    entries.set(key, { state, until: performance.now() + lifetimeMs })
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value as string)
  }

  return {
    claim(key, ttlMs) {
      const entry = entries.get(key)
      if (entry && performance.now() < entry.until) return entry.state
      put(key, 'busy', ttlMs)
      return 'new'
    },
    complete: (key) => put(key, 'done', rememberMs),
    release: (key) => entries.delete(key),
  }
}

/** What tells a delivery from every other: a hash of its raw body, since deliveries carry no id. 64 hexadecimal digits. */
export async function deduplicationKey(rawBody: RawBody): Promise<string> {
  webCrypto()
  return sha256(readRawBody(rawBody))
}
