/**
 * Webhook stores in Redis, with the client `redis` 5 or 6, or `ioredis` 5 or 6. Processes on many
 * machines can share a store.
 */

import * as z from 'zod'
import { ConfigurationError } from '../../core/errors.js'
import type { ClaimResult, WebhookStore } from '../contract.js'
import { ignoreConnectionErrors, rememberFor, type StoreOptions, storeOptions, toNumber } from '../store-options.js'

export type { ClaimResult, WebhookStore } from '../contract.js'
export type { StoreOptions } from '../store-options.js'

/** A connected client or cluster from `redis` (node-redis). */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  sendCommand: unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
}

/** A client or cluster from `ioredis`. */
export interface IoRedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
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
  return {
    claim: async (key, ttlMs, owner) => toResult(await run(scripts.claim, [webhook(key)], [owner, formatMs(ttlMs)])),
    renew: async (key, ttlMs, owner) => isOne(await run(scripts.renew, [webhook(key)], [owner, formatMs(ttlMs)])),
    complete: async (key, owner) => isOne(await run(scripts.complete, [webhook(key)], [owner, remember])),
    release: async (key, owner) => void (await run(scripts.release, [webhook(key)], [owner])),
    advance: async (timeline, timeMs) =>
      toNumber(await run(scripts.advance, [time(timeline)], [String(timeMs), remember])),
    newest: async (timeline) => toNumber(await run(scripts.newest, [time(timeline)])),
  }
}

/** Milliseconds to keep an expired claim, because its owner may still complete it. */
const expiredClaimMs = 24 * 60 * 60 * 1000

/**
 * Lua scripts, which Redis runs atomically. A delivery's key has the value `done`, or the owner of its claim. Redis
 * deletes a claim `expiredClaimMs` after its expiry.
 */
const scripts = {
  claim: `
local value = redis.call('GET', KEYS[1])
if value == 'done' then return 'done' end
if value and value ~= ARGV[1] and redis.call('PTTL', KEYS[1]) > ${expiredClaimMs} then return 'busy' end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2] + ${expiredClaimMs})
return 'new'`,
  renew: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2] + ${expiredClaimMs})`,
  complete: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
return 1`,
  release: `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`,
  advance: `
local before, newest = redis.call('GET', KEYS[1]), ARGV[1]
if before and tonumber(before) > tonumber(newest) then newest = before end
redis.call('SET', KEYS[1], newest, 'PX', ARGV[2])
return before`,
  newest: `return redis.call('GET', KEYS[1])`,
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

  async function run(script: string, keys: string[], values: string[] = []): Promise<unknown> {
    if (!('call' in client)) return client.eval(script, { keys, arguments: values })
    if (!client.isCluster) return client.eval(script, keys.length, ...keys, ...values)
    // Uses a separate pipeline, because with `enableAutoPipelining`, keys in different hash slots would make all
    // commands in the shared pipeline fail.
    const replies = await client.pipeline([['eval', script, keys.length, ...keys, ...values]]).exec()
    const [error, reply] = replies?.[0] ?? []
    if (error) throw error
    return reply
  }
  return { prefix, remember: String(remember), run }
}

/** Formats milliseconds for Redis, which accepts only integers. */
const formatMs = (ms: number) => String(Math.ceil(ms))

// Both clients can be configured to return integers as strings, or strings as buffers.
const isOne = (reply: unknown) => Number(reply) === 1
const toResult = (reply: unknown) => String(reply) as ClaimResult
