/**
 * Webhook and idempotency stores in Redis, with the client `redis` 5 or 6, or `ioredis` 5 or 6. Processes on many
 * machines can share a store.
 */

import { createHash } from 'node:crypto'
import { ConfigurationError } from '../errors.js'
import { string } from '../internal/options.js'
import type { IdempotencyStore } from '../options.js'
import { ignoreConnectionErrors, rememberFor, type StoreOptions, storeOptions, toNumber } from './store-options.js'
import { type ClaimResult, claimOf, timelineOf, type WebhookResource, type WebhookStore } from './webhook-store.js'

export type { StoreOptions } from './store-options.js'
export type { ClaimResult, WebhookStore } from './webhook-store.js'

/** A connected client or cluster from `redis` (node-redis). */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  sendCommand: unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
}

/** A client or cluster from `ioredis`. */
export interface IoRedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  pipeline(commands: unknown[][]): { exec(): Promise<[error: Error | null, reply: unknown][] | null> }
  readonly isCluster?: boolean
  call: unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
}

/** Options for the Redis stores. */
export interface RedisStoreOptions extends StoreOptions {
  /** Prefix of all keys. @default 'payments-client:' */
  prefix?: string
}

/**
 * Creates a webhook store in Redis. Events are handled at least once. If a process dies after your function has
 * finished, but before the store has recorded the delivery as handled, your function runs again.
 *
 * Redis must not evict keys (`maxmemory-policy noeviction`) and must not lose writes (AOF).
 *
 * The store listens for the client's `error` events, so a lost connection does not end the process. Deliveries wait
 * until the client reconnects. If the client rejects commands while disconnected, deliveries get the response 500
 * instead (`redis`: `disableOfflineQueue: true`; `ioredis`: `enableOfflineQueue: false`).
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
  const keysOf = (key: string, resource: WebhookResource) => [
    webhook(key),
    webhook(claimOf(resource)),
    time(timelineOf(resource)),
  ]
  let hasSlots = false

  /**
   * Runs one script for several keys. Resolves to undefined in a cluster if the keys have different hash slots, because
   * the caller must then run a separate script for each key.
   */
  async function runTogether(script: string, keys: string[], values: string[]): Promise<unknown> {
    if (hasSlots) return undefined
    try {
      return await run(script, keys, values)
    } catch (error) {
      if (!/CROSSSLOT|the same slot/.test(String(error))) throw error
      hasSlots = true
      return undefined
    }
  }

  const store: Required<Omit<WebhookStore, 'transact'>> = {
    claim: async (key, ttlMs, owner) =>
      toResult(await run(scripts.claim, [webhook(key)], [owner, milliseconds(ttlMs)])),
    renew: async (key, ttlMs, owner) => isOne(await run(scripts.renew, [webhook(key)], [owner, milliseconds(ttlMs)])),
    complete: async (key, owner) => isOne(await run(scripts.complete, [webhook(key)], [owner, remember])),
    release: async (key, owner) => void (await run(scripts.release, [webhook(key)], [owner])),
    advance: async (timeline, timeMs) =>
      toNumber(await run(scripts.advance, [time(timeline)], [String(timeMs), remember])),
    newest: async (timeline) => toNumber(await run(scripts.newest, [time(timeline)])),
    async begin(key, resource, ttlMs, owner) {
      const reply = await runTogether(scripts.begin, keysOf(key, resource), [owner, milliseconds(ttlMs)])
      if (reply === undefined) return { delivery: await store.claim(key, ttlMs, owner) }
      const [delivery, claimed, newest] = reply as unknown[]
      return { delivery: toResult(delivery), resource: toResult(claimed), newest: toNumber(newest) }
    },
    async finish(key, resource, owner) {
      const timeMs = resource.timeMs === undefined ? '' : String(resource.timeMs)
      const reply = await runTogether(scripts.finish, keysOf(key, resource), [owner, remember, timeMs])
      if (reply !== undefined) return isOne(reply)
      if (resource.timeMs !== undefined) await store.advance(timelineOf(resource), resource.timeMs)
      const completed = await store.complete(key, owner)
      await store.release(claimOf(resource), owner)
      return completed === true
    },
  }
  return store
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
      String(await run(scripts.remember, [`${prefix}idempotency:${key}`], [fingerprint, remember])),
  }
}

/** Milliseconds to keep an expired claim, because its owner may still complete it. */
const expiredClaimMs = 24 * 60 * 60 * 1000

// A delivery's key has the value `done`, or `<expiry in ms> <owner>`. The expiry is a time on the Redis server's clock.
const clock = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)`
const hold = `
local claimed = string.format('%d %s', now + ARGV[2], ARGV[1])
local function hold(key, ...)
  return redis.call('SET', key, claimed, 'PX', ARGV[2] + ${expiredClaimMs}, ...)
end`
// Most deliveries are new, so the first command usually suffices. With NX, it cannot replace a claim or `done`.
const claim = `${clock} ${hold}
local function claim(key)
  if hold(key, 'NX') then return 'new' end
  local value = redis.call('GET', key) or ''
  if value == 'done' then return 'done' end
  local expiry, owner = string.match(value, '^(%d+) (.*)$')
  if expiry and tonumber(expiry) > now and owner ~= ARGV[1] then return 'busy' end
  hold(key)
  return 'new'
end`
const isOwner = `
local function isOwner(key)
  local value = redis.call('GET', key)
  return value and string.match(value, '^%d+ (.*)$') == ARGV[1]
end`
const advance = `
local function advance(key, newest, remember)
  local before = redis.call('GET', key)
  if before and tonumber(before) > tonumber(newest) then newest = before end
  redis.call('SET', key, newest, 'PX', remember)
  return before
end`

/** Lua scripts, which Redis runs atomically. */
const scripts = {
  claim: `${claim} return claim(KEYS[1])`,
  renew: `${clock} ${isOwner} ${hold}
if not isOwner(KEYS[1]) then return 0 end
hold(KEYS[1])
return 1`,
  complete: `${isOwner}
if not isOwner(KEYS[1]) then return 0 end
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
return 1`,
  release: `${isOwner}
if isOwner(KEYS[1]) then redis.call('DEL', KEYS[1]) end
return 1`,
  advance: `${advance} return advance(KEYS[1], ARGV[1], ARGV[2])`,
  newest: `return redis.call('GET', KEYS[1])`,
  begin: `${claim}
local delivery = claim(KEYS[1])
if delivery ~= 'new' then return {delivery} end
return {delivery, claim(KEYS[2]), redis.call('GET', KEYS[3])}`,
  finish: `${isOwner} ${advance}
if not isOwner(KEYS[1]) then return 0 end
if ARGV[3] ~= '' then advance(KEYS[3], ARGV[3], ARGV[2]) end
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
if isOwner(KEYS[2]) then redis.call('DEL', KEYS[2]) end
return 1`,
  remember: `local known = redis.call('GET', KEYS[1])
if known then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`,
}

function open(client: NodeRedisClient | IoRedisClient, options: RedisStoreOptions | undefined) {
  const { prefix = 'payments-client:', rememberFor: remember } = storeOptions(options, { rememberFor, prefix: string })
  const { eval: evaluate, on } = Object(client) as Partial<NodeRedisClient>
  if (typeof evaluate !== 'function' || typeof on !== 'function') {
    throw new ConfigurationError('The connection must be a client from redis or ioredis')
  }
  ignoreConnectionErrors(client)

  /** Runs a script by its hash. Redis keeps a script after its first `EVAL`. */
  async function run(script: string, keys: string[], values: string[] = []): Promise<unknown> {
    try {
      return await send(client, 'evalsha', hashOf(script), keys, values)
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error
      return send(client, 'eval', script, keys, values)
    }
  }
  return { prefix, remember: String(remember), run }
}

async function send(
  client: NodeRedisClient | IoRedisClient,
  command: 'eval' | 'evalsha',
  script: string,
  keys: string[],
  values: string[],
): Promise<unknown> {
  if (!('call' in client)) return client[command === 'eval' ? 'eval' : 'evalSha'](script, { keys, arguments: values })
  if (!client.isCluster) return client[command](script, keys.length, ...keys, ...values)
  // Uses a separate pipeline, because with `enableAutoPipelining`, keys in different hash slots would make all commands
  // in the shared pipeline fail.
  const replies = await client.pipeline([[command, script, keys.length, ...keys, ...values]]).exec()
  const [error, reply] = replies?.[0] ?? []
  if (error) throw error
  return reply
}

const hashes = new Map<string, string>()

function hashOf(script: string): string {
  const known = hashes.get(script)
  if (known !== undefined) return known
  const hash = createHash('sha1').update(script).digest('hex')
  hashes.set(script, hash)
  return hash
}

/** Formats milliseconds for Redis, which accepts only integers. */
const milliseconds = (ms: number) => String(Math.ceil(ms))

// Both clients can be configured to return integers as strings, or strings as buffers.
const isOne = (reply: unknown) => Number(reply) === 1
const toResult = (reply: unknown) => String(reply) as ClaimResult
