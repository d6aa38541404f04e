/** Stores in Redis, with the client `redis` 5 or 6, or `ioredis` 5 or 6. Processes on many machines can share them. */

import { ConfigurationError } from '../errors.js'
import { string } from '../internal/options.js'
import type { IdempotencyStore } from '../options.js'
import { rememberFor, type StoreOptions, storeOptions, survive } from './store-options.js'
import type { ClaimResult, WebhookStore } from './webhook-store.js'

export type { StoreOptions } from './store-options.js'
export type { ClaimResult, WebhookStore } from './webhook-store.js'

/** A connected client or cluster of `redis` (node-redis). */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  sendCommand: unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
}

/** A client or cluster of `ioredis`. */
export interface IoRedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  call: unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
}

/** Options of the Redis stores. */
export interface RedisStoreOptions extends StoreOptions {
  /** Prefix of all keys. @default 'payments-client:' */
  prefix?: string
}

/**
 * Creates a webhook store in Redis. Events are handled at least once: if a process dies after your function but before
 * `complete`, your function runs again. Redis must not evict keys (`maxmemory-policy noeviction`) and must not lose writes
 * (AOF).
 *
 * The store listens for the client's `error` events, so that a lost connection does not end the process. Until the client
 * reconnects, deliveries wait. They get the response 500 instead if the client rejects commands (`redis`:
 * `disableOfflineQueue: true`; `ioredis`: `enableOfflineQueue: false`).
 *
 * @param client A connected client. The store never closes it.
 * @throws {ConfigurationError} An option or the client is invalid.
 * @example
 * const client = await createClient({ url }).connect()
 * const handler = createHandler({ secret, deduplicate: createWebhookStore(client) })
 */
export function createWebhookStore(
  client: NodeRedisClient | IoRedisClient,
  options?: RedisStoreOptions,
): Required<Omit<WebhookStore, 'transact'>> {
  const { run, prefix, remember } = open(client, options)
  const webhook = (key: string) => `${prefix}webhook:${key}`
  const time = (resource: string) => `${prefix}time:${resource}`
  const grace = String(expiredClaimMs)
  return {
    claim: async (key, ttlMs, owner) =>
      (await run(scripts.claim, webhook(key), owner, milliseconds(ttlMs), grace)) as ClaimResult,
    renew: async (key, ttlMs, owner) =>
      (await run(scripts.renew, webhook(key), owner, milliseconds(ttlMs), grace)) === 1,
    complete: async (key, owner) => (await run(scripts.complete, webhook(key), owner, remember)) === 1,
    release: async (key, owner) => void (await run(scripts.release, webhook(key), owner)),
    advance: async (resource, timeMs) => toNumber(await run(scripts.advance, time(resource), String(timeMs), remember)),
    newest: async (resource) => toNumber(await run(scripts.newest, time(resource))),
  }
}

/**
 * Creates a store for the client's option `idempotencyStore`.
 *
 * @param client A connected client. The store never closes it.
 * @throws {ConfigurationError} An option or the client is invalid.
 */
export function createIdempotencyStore(
  client: NodeRedisClient | IoRedisClient,
  options?: RedisStoreOptions,
): IdempotencyStore {
  const { run, prefix, remember } = open(client, options)
  return {
    claim: async (key, fingerprint) =>
      String(await run(scripts.remember, `${prefix}idempotency:${key}`, fingerprint, remember)),
  }
}

/** Milliseconds to keep an expired claim, because its owner may still complete it. */
const expiredClaimMs = 24 * 60 * 60 * 1000

// The value of a delivery's key is `done`, or `<expiry in ms> <owner>`. The expiry is a time of the Redis server's clock.
const clock = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)`
const read = `local value = redis.call('GET', KEYS[1])
local expiry, owner
if value then expiry, owner = string.match(value, '^(%d+) (.*)$') end`
const hold = `redis.call('SET', KEYS[1], string.format('%d %s', now + ARGV[2], ARGV[1]), 'PX', ARGV[2] + ARGV[3])`

/** The Lua scripts of the store. Redis runs each script atomically. */
const scripts = {
  claim: `${clock} ${read}
if value == 'done' then return 'done' end
if expiry and tonumber(expiry) > now then return 'busy' end
${hold}
return 'new'`,
  renew: `${clock} ${read}
if owner ~= ARGV[1] then return 0 end
${hold}
return 1`,
  complete: `${read}
if owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
return 1`,
  release: `${read}
if owner == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`,
  advance: `local before = redis.call('GET', KEYS[1])
local newest = ARGV[1]
if before and tonumber(before) > tonumber(newest) then newest = before end
redis.call('SET', KEYS[1], newest, 'PX', ARGV[2])
return before`,
  newest: `return redis.call('GET', KEYS[1])`,
  remember: `local known = redis.call('GET', KEYS[1])
if known then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`,
}

function open(client: NodeRedisClient | IoRedisClient, options: RedisStoreOptions | undefined) {
  const { prefix = 'payments-client:', rememberFor: remember } = storeOptions(options, { rememberFor, prefix: string })
  const { eval: evaluate, on } = Object(client) as Partial<NodeRedisClient>
  if (typeof evaluate !== 'function' || typeof on !== 'function') {
    throw new ConfigurationError('The connection must be a client of redis or ioredis')
  }
  survive(client)
  const run = (script: string, key: string, ...values: string[]): Promise<unknown> =>
    'call' in client ? client.eval(script, 1, key, ...values) : client.eval(script, { keys: [key], arguments: values })
  return { prefix, remember: String(remember), run }
}

/** Formats milliseconds for Redis, which accepts only integers. */
const milliseconds = (ms: number) => String(Math.ceil(ms))

function toNumber(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}
