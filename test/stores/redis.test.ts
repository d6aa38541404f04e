import { afterAll, describe, expect, inject, it } from 'vitest'
import { testWebhookStore } from '../../src/sandbox/index.js'
import {
  createIdempotencyStore,
  createWebhookStore,
  type IoRedisClient,
  type NodeRedisClient,
} from '../../src/stores/redis.js'
import { aDelivery, aHandler } from '../webhooks/fixtures.js'
import { driver } from './drivers.js'
import { startRedis } from './servers.js'

type Client = (NodeRedisClient | IoRedisClient) & {
  destroy?(): void
  disconnect?(): void
  keys(pattern: string): Promise<string[]>
}

const nodeRedis = (name: string) => (url: string) =>
  driver(name)
    .createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: 50 } })
    .on('error', () => {})
    .connect()

const ioRedis = (name: string) => async (url: string) => {
  const { Redis } = driver(name)
  const client = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 50 })
  await new Promise((resolve) => client.once('ready', resolve))
  return client
}

const drivers: Record<string, (url: string) => Promise<Client>> = {
  'redis 6': nodeRedis('redis'),
  'redis 5': nodeRedis('redis-5'),
  'ioredis 6': ioRedis('ioredis'),
  'ioredis 5': ioRedis('ioredis-5'),
}

describe.each(Object.entries(drivers))('the Redis stores with %s', async (name, open) => {
  const client = await open(inject('redisUrl'))
  const close = (client: Client) => (client.destroy ? client.destroy() : client.disconnect?.())

  afterAll(() => close(client))

  for (const { name, run } of testWebhookStore(() => createWebhookStore(client))) it(name, run)

  it('uses its prefix for all keys, and lets all of them expire', async () => {
    const prefix = `${name}:${crypto.randomUUID()}:`
    const store = createWebhookStore(client, { prefix, rememberFor: 50 })
    await store.claim('done', 60_000, 'a')
    await store.complete('done', 'a')
    await store.advance('payment:pay_1', 1)
    await createIdempotencyStore(client, { prefix, rememberFor: 50 }).claim('key', 'fingerprint')
    const before = await client.keys(`${prefix}*`)
    await new Promise((resolve) => setTimeout(resolve, 100))

    const after = await client.keys(`${prefix}*`)

    expect(before.sort()).toEqual([`${prefix}idempotency:key`, `${prefix}time:payment:pay_1`, `${prefix}webhook:done`])
    expect(after).toEqual([])
  })

  it('accepts a time to live with a fraction of a millisecond', async () => {
    const store = createWebhookStore(client)
    const key = crypto.randomUUID()

    expect([await store.claim(key, 1000.5, 'a'), await store.renew(key, 1000.5, 'a')]).toEqual(['new', true])
  })

  it('remembers the first fingerprint of an idempotency key', async () => {
    const store = createIdempotencyStore(client)
    const key = crypto.randomUUID()

    const fingerprints = await Promise.all(['one', 'two', 'one'].map((fingerprint) => store.claim(key, fingerprint)))

    expect(fingerprints).toEqual(['one', 'one', 'one'])
  })

  it('N27 responds 500 while the server is gone, and recovers', async () => {
    const server = await startRedis()
    const client = await open(server.url)
    const { handler, onError, onStatus } = aHandler({ deduplicate: createWebhookStore(client) })

    await server.kill()
    const during = await handler(aDelivery())
    await server.restart()
    let after = await handler(aDelivery())
    for (let tries = 0; after.status === 500 && tries < 50; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      after = await handler(aDelivery())
    }
    close(client)
    await server.stop()

    expect([during.status, after.status]).toEqual([500, 200])
    expect(onError).toHaveBeenCalled()
    expect(onStatus).toHaveBeenCalledTimes(1)
  })
})

describe('the options of the Redis stores', () => {
  it.each([
    [{ prefix: 7 }, 'prefix must be a string'],
    [{ rememberFor: 0 }, 'rememberFor must be a positive integer of milliseconds'],
    [{ tablePrefix: 'a' }, 'tablePrefix is not an option'],
  ])('are checked: %j', (options, message) => {
    expect(() => createWebhookStore({} as NodeRedisClient, options as object)).toThrow(message)
  })

  it.each([undefined, null, {}, { eval: () => {} }, 'redis://'])('need a client: %j', (client) => {
    expect(() => createWebhookStore(client as unknown as NodeRedisClient)).toThrow(
      'The connection must be a client of redis or ioredis',
    )
  })
})
