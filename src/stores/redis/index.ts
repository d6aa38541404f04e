/**
 * Webhook and idempotency stores in Redis, with the client `redis` 5 or 6, or `ioredis` 5 or 6. Processes on many
 * machines can share a store.
 */

import * as z from 'zod'
import { ConfigurationError } from '../../core/errors.js'
import { findNodeCrypto } from '../../core/internal/bytes.js'
import type { IdempotencyStore } from '../../core/options.js'
import { type ClaimResult, claimOf, timelineOf, type WebhookResource, type WebhookStore } from '../contract.js'
import { ignoreConnectionErrors, rememberFor, type StoreOptions, storeOptions, toNumber } from '../store-options.js'

export type { ClaimResult, WebhookStore } from '../contract.js'
export type { StoreOptions } from '../store-options.js'

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
  /** Whether keys have different hash slots, as in a cluster. A script may then access only one key. */
  let hasSlots = false

  /**
   * Returns a function that combines all its calls within one tick into one run of a script. If the script cannot run
   * because of hash slots, the calls resolve to undefined.
   */
  const together = (script: string) =>
    batch(async (calls: ScriptCall[]): Promise<unknown[]> => {
      if (hasSlots) return []
      const keys = calls.flatMap(({ key, resource }) => [
        webhook(key),
        webhook(claimOf(resource)),
        time(timelineOf(resource)),
      ])
      try {
        return (await run(script, keys, [remember, ...calls.flatMap(({ values }) => values)])) as unknown[]
      } catch (error) {
        if (!/CROSSSLOT|the same slot/.test(String(error))) throw error
        hasSlots = true
        return []
      }
    })
  const [begin, finish] = [together(scripts.begin), together(scripts.finish)]

  const store: Required<Omit<WebhookStore, 'transact'>> = {
    claim: async (key, ttlMs, owner) => toResult(await run(scripts.claim, [webhook(key)], [owner, formatMs(ttlMs)])),
    renew: async (key, ttlMs, owner) => isOne(await run(scripts.renew, [webhook(key)], [owner, formatMs(ttlMs)])),
    complete: async (key, owner) => isOne(await run(scripts.complete, [webhook(key)], [owner, remember])),
    release: async (key, owner) => void (await run(scripts.release, [webhook(key)], [owner])),
    advance: async (timeline, timeMs) =>
      toNumber(await run(scripts.advance, [time(timeline)], [String(timeMs), remember])),
    newest: async (timeline) => toNumber(await run(scripts.newest, [time(timeline)])),
    async begin(key, resource, ttlMs, owner) {
      const reply = await begin({ key, resource, values: [owner, formatMs(ttlMs)] })
      if (reply === undefined) return { delivery: await store.claim(key, ttlMs, owner) }
      const [delivery, claimed, newest] = reply as unknown[]
      if (claimed === undefined) return { delivery: toResult(delivery) }
      return { delivery: toResult(delivery), resource: toResult(claimed), newest: toNumber(newest) }
    },
    async finish(key, resource, owner) {
      const { timeMs } = resource
      const reply = await finish({ key, resource, values: [owner, String(timeMs ?? '')] })
      if (reply !== undefined) return isOne(reply)
      if (timeMs !== undefined) await store.advance(timelineOf(resource), timeMs)
      const completed = await store.complete(key, owner)
      await store.release(claimOf(resource), owner)
      return completed === true
    },
  }
  return store
}

/** A call of a script for a delivery and its resource. */
interface ScriptCall {
  readonly key: string
  readonly resource: WebhookResource
  readonly values: readonly string[]
}

/** The maximum number of calls in one batch. Redis runs no other command during a script. */
const maxBatch = 100

/**
 * Returns a function that collects its calls until the end of the tick, and then passes them to `run`, which resolves to
 * one result per call.
 */
function batch<Call, Result>(run: (calls: Call[]) => Promise<Result[]>): (call: Call) => Promise<Result | undefined> {
  let waiting: { call: Call; resolve(result: Result | undefined): void; reject(error: unknown): void }[] = []
  const send = () => {
    const sent = waiting
    waiting = []
    run(sent.map(({ call }) => call)).then(
      (results) => {
        for (const [index, { resolve }] of sent.entries()) resolve(results[index])
      },
      (error) => {
        for (const { reject } of sent) reject(error)
      },
    )
  }
  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject })
      if (waiting.length === 1) setImmediate(() => waiting.length > 0 && send())
      if (waiting.length === maxBatch) send()
    })
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

// Reads all keys with one command. `set` and `delete` also change the values that were read, because a batch may contain
// a key twice.
const read = `
local values = {}
for index, value in ipairs(redis.call('MGET', unpack(KEYS))) do values[KEYS[index]] = value end
local function set(key, value, ms)
  redis.call('SET', key, value, 'PX', ms)
  values[key] = value
end
local function delete(key)
  redis.call('DEL', key)
  values[key] = nil
end`
// A delivery's key has the value `done`, or the owner of its claim. Redis deletes a claim some time after its expiry.
const claim = `${read}
local function hold(key, owner, ttl) set(key, owner, ttl + ${expiredClaimMs}) end
local function claim(key, owner, ttl)
  local value = values[key]
  if value == 'done' then return 'done' end
  if value and value ~= owner and redis.call('PTTL', key) > ${expiredClaimMs} then return 'busy' end
  hold(key, owner, ttl)
  return 'new'
end`
const complete = `${read}
local function complete(key, owner, remember)
  if values[key] ~= owner then return 0 end
  set(key, 'done', remember)
  return 1
end
local function release(key, owner)
  if values[key] == owner then delete(key) end
end
local function advance(key, newest, remember)
  local before = values[key]
  if before and tonumber(before) > tonumber(newest) then newest = before end
  set(key, newest, remember)
  return before
end`

/** Lua scripts, which Redis runs atomically. `begin` and `finish` have three keys for each delivery. */
const scripts = {
  claim: `${claim} return claim(KEYS[1], ARGV[1], ARGV[2])`,
  renew: `${claim}
if values[KEYS[1]] ~= ARGV[1] then return 0 end
hold(KEYS[1], ARGV[1], ARGV[2])
return 1`,
  complete: `${complete} return complete(KEYS[1], ARGV[1], ARGV[2])`,
  release: `${complete} release(KEYS[1], ARGV[1]) return 1`,
  advance: `${complete} return advance(KEYS[1], ARGV[1], ARGV[2])`,
  newest: `return redis.call('GET', KEYS[1])`,
  begin: `${claim}
local replies = {}
for index = 1, #KEYS / 3 do
  local delivery, resource, time = unpack(KEYS, index * 3 - 2, index * 3)
  local owner, ttl = ARGV[index * 2], ARGV[index * 2 + 1]
  local result = claim(delivery, owner, ttl)
  replies[index] = result == 'new' and {result, claim(resource, owner, ttl), values[time]} or {result}
end
return replies`,
  finish: `${complete}
local replies, remember = {}, ARGV[1]
for index = 1, #KEYS / 3 do
  local delivery, resource, time = unpack(KEYS, index * 3 - 2, index * 3)
  local owner, newest = ARGV[index * 2], ARGV[index * 2 + 1]
  replies[index] = complete(delivery, owner, remember)
  if replies[index] == 1 then
    if newest ~= '' then advance(time, newest, remember) end
    release(resource, owner)
  end
end
return replies`,
  remember: `local known = redis.call('GET', KEYS[1])
if known then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`,
}

function open(client: NodeRedisClient | IoRedisClient, options: RedisStoreOptions | undefined) {
  const { prefix = 'payments-client:', rememberFor: remember } = storeOptions(options, {
    rememberFor,
    prefix: z.string('must be a string'),
  })
  const { eval: evaluate, on } = Object(client) as Partial<NodeRedisClient>
  if (typeof evaluate !== 'function' || typeof on !== 'function') {
    throw new ConfigurationError('The connection must be a client from redis or ioredis')
  }
  ignoreConnectionErrors(client)

  /** Runs a script by its hash, if possible. Redis keeps a script after its first `EVAL`. */
  async function run(script: string, keys: string[], values: string[] = []): Promise<unknown> {
    const hash = hashOf(script)
    try {
      if (hash !== undefined) return await send(client, 'evalsha', hash, keys, values)
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error
    }
    return send(client, 'eval', script, keys, values)
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

/** Returns undefined in runtimes without `node:crypto`. */
function hashOf(script: string): string | undefined {
  const known = hashes.get(script)
  if (known !== undefined) return known
  const hash = findNodeCrypto()?.createHash('sha1').update(script).digest('hex')
  if (hash !== undefined) hashes.set(script, hash)
  return hash
}

/** Formats milliseconds for Redis, which accepts only integers. */
const formatMs = (ms: number) => String(Math.ceil(ms))

// Both clients can be configured to return integers as strings, or strings as buffers.
const isOne = (reply: unknown) => Number(reply) === 1
const toResult = (reply: unknown) => String(reply) as ClaimResult
