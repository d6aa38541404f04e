import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, describe, expect, inject, it, vi } from 'vitest'
import { createWebhookStore, type IoRedisClient, type NodeRedisClient } from '../../src/stores/redis/index.js'
import { testWebhookStore } from '../../src/testing/index.js'
import { ClaimLostError, type WebhookContext } from '../../src/webhooks/index.js'
import { aHandler, aStatusEvent } from '../webhooks/fixtures.js'
import { driver } from './drivers.js'
import { startRedis, startRedisNode } from './servers.js'

type Client = (NodeRedisClient | IoRedisClient) & {
  destroy?(): void
  disconnect?(): void
  keys(pattern: string): Promise<string[]>
  del(key: string): Promise<number>
  pTTL?(key: string): Promise<number>
  pttl?(key: string): Promise<number>
}

const failFast = { disableOfflineQueue: true, socket: { reconnectStrategy: 50 } }
const nodeRedis =
  (name: string, options: object = failFast) =>
  (url: string) =>
    driver(name)
      .createClient({ url, ...options })
      .on('error', () => {})
      .connect()

const ioRedis = (name: string) => async (url: string) => {
  const { Redis } = driver(name)
  const client = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 50 })
  await new Promise((resolve) => client.once('ready', resolve))
  return client
}

const close = (client: Client) => (client.destroy ? client.destroy() : client.disconnect?.())

const drivers: Record<string, (url: string) => Promise<Client>> = {
  'redis 6': nodeRedis('redis'),
  'redis 5': nodeRedis('redis-5'),
  'ioredis 6': ioRedis('ioredis'),
  'ioredis 5': ioRedis('ioredis-5'),
}

describe.each(Object.entries(drivers))('stores/redis with %s', async (name, open) => {
  const client = await open(inject('redisUrl'))

  afterAll(() => close(client))

  for (const { name, run } of testWebhookStore(() => createWebhookStore(client))) it(name, run)

  it('stores all keys with the prefix and an expiry time', async () => {
    const prefix = `${name}:${crypto.randomUUID()}:`
    const store = createWebhookStore(client, { prefix, rememberFor: 60_000 })
    await store.claim('done', 60_000, 'a')
    await store.complete('done', 'a')
    await store.advance('payment:pay_1', 1)

    const keys = (await client.keys(`${prefix}*`)).sort()

    expect(keys).toEqual([`${prefix}time:payment:pay_1`, `${prefix}webhook:done`])
    for (const key of keys) {
      const msLeft = await (client.pTTL?.(key) ?? client.pttl?.(key))
      expect(msLeft, key).toBeGreaterThan(0)
      expect(msLeft, key).toBeLessThanOrEqual(60_000)
    }
  })

  it('makes the handler process a payment’s events in turn, and mark stale events', async () => {
    const id = crypto.randomUUID()
    const steps: unknown[] = []
    const onStatus = async ({ payment }: { payment: { amount?: number } }, { stale }: WebhookContext) => {
      steps.push(payment.amount, stale)
      await new Promise((resolve) => setTimeout(resolve, 50))
      steps.push('end')
    }
    const on = { 'PAYMENT.STATUS': onStatus }
    const { deliver } = aHandler({ deduplicate: createWebhookStore(client), serializeWait: 60_000, on })
    const deliverAt = (amount: number, dateUpdated: string) => deliver(aStatusEvent({ id, amount, dateUpdated }))

    const first = await deliverAt(1, '2026-01-31T12:00:02Z')
    const second = deliverAt(2, '2026-01-31T12:00:01Z')
    await vi.waitUntil(() => steps.includes(2))
    const third = deliverAt(3, '2026-01-31T12:00:03Z')

    expect([first, await second, await third]).toEqual([200, 200, 200])
    expect(steps).toEqual([1, false, 'end', 2, true, 'end', 3, false, 'end'])
  })

  it('responds 500 and releases the payment’s lock if the delivery’s claim is lost', async () => {
    const prefix = `${crypto.randomUUID()}:`
    const onStatus = vi.fn(async (_: unknown, { key }: WebhookContext) => {
      if (onStatus.mock.calls.length === 1) await client.del(`${prefix}webhook:${key}`)
    })
    const deduplicate = createWebhookStore(client, { prefix })
    const { deliver, onError } = aHandler({ deduplicate, serializeWait: 0, on: { 'PAYMENT.STATUS': onStatus } })

    expect([await deliver(), await deliver(), await deliver()]).toEqual([500, 200, 200])
    expect(onError.mock.calls).toEqual([[expect.any(ClaimLostError), expect.anything()]])
    expect(onStatus).toHaveBeenCalledTimes(2)
  })

  it('accepts a time to live with fractional milliseconds', async () => {
    const store = createWebhookStore(client)
    const key = crypto.randomUUID()

    expect([await store.claim(key, 60_000.5, 'a'), await store.renew(key, 60_000.5, 'a')]).toEqual(['new', true])
  })

  it('makes the handler respond 500 while the server is down, then works again', async () => {
    const server = await startRedis()
    const client = await open(server.url)
    const onStatus = vi.fn(async () => {
      if (onStatus.mock.calls.length === 1) await server.kill()
    })
    const on = { 'PAYMENT.STATUS': onStatus }
    const { deliver, onError } = aHandler({ deduplicate: createWebhookStore(client), claimTtl: 300, on })

    const statuses = [await deliver(), await deliver()]
    await server.restart()
    // The response is 500 until the client reconnects, then 409 until the first delivery's claim expires.
    await vi.waitUntil(async () => (await deliver()) === 200, { timeout: 60_000, interval: 50 })
    close(client)
    await server.stop()

    expect(statuses).toEqual([500, 500])
    expect(onError).toHaveBeenCalled()
    expect(onStatus).toHaveBeenCalledTimes(2)
  })
})

/** Starts a cluster whose nodes have the same number of hash slots. */
async function startCluster(size: number) {
  const servers = await Promise.all(Array.from({ length: size }, startRedisNode))
  const nodes = await Promise.all(servers.map(({ url }) => driver('redis').createClient({ url }).connect()))
  const slots = 16_384 / size
  const [{ url, busPort }] = servers as [Awaited<ReturnType<typeof startRedisNode>>]
  for (const [index, node] of nodes.entries()) {
    await node.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', String(index * slots), String((index + 1) * slots - 1)])
    if (index > 0) await node.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', new URL(url).port, busPort])
  }
  for (const node of nodes) {
    await vi.waitUntil(async () => {
      const info = String(await node.sendCommand(['CLUSTER', 'INFO']))
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${size}`)
    })
    node.destroy()
  }
  return {
    urls: servers.map(({ url }) => url),
    stop: () => Promise.all(servers.map((server) => server.stop())),
  }
}

const clusterClients: Record<string, (urls: string[]) => Promise<Client>> = {
  'a client of one node': ([url]) => driver('redis').createClient({ url }).connect(),
  'a cluster client of redis': (urls) =>
    driver('redis')
      .createCluster({ rootNodes: urls.map((url) => ({ url })) })
      .connect(),
  'a Cluster of ioredis': async (urls) => new (driver('ioredis').Cluster)(urls),
  'a Cluster of ioredis with enableAutoPipelining': async (urls) =>
    new (driver('ioredis').Cluster)(urls, { enableAutoPipelining: true }),
  'a Cluster of ioredis 5 with enableAutoPipelining': async (urls) =>
    new (driver('ioredis-5').Cluster)(urls, { enableAutoPipelining: true }),
}

it.each(Object.entries(clusterClients))(
  'the Redis store works in a cluster, with one hash slot per script: %s',
  async (name, open) => {
    const cluster = await startCluster(name.includes('one node') ? 1 : 2)
    const client = await open(cluster.urls)
    const { deliver, onError, onStatus } = aHandler({ deduplicate: createWebhookStore(client) })
    const events = Array.from({ length: 10 }, (_, id) => aStatusEvent({ id: `pay_${id}` }))
    const deliverAll = () => Promise.all(events.map((event) => deliver(event)))

    const statuses = [...(await deliverAll()), ...(await deliverAll())]
    close(client)
    await cluster.stop()

    expect(onError.mock.calls).toEqual([])
    expect(statuses).toEqual(Array(20).fill(200))
    expect(onStatus).toHaveBeenCalledTimes(10)
  },
)

/** Starts a proxy that can close the connection instead of forwarding the server's next reply. */
async function startProxy(url: string) {
  let cutsNextReply = false
  const { hostname, port } = new URL(url)
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname)
    for (const stream of [socket, upstream]) stream.on('error', () => {})
    socket.on('data', (bytes) => upstream.write(bytes)).on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
    upstream.on('data', (bytes) => {
      if (!cutsNextReply) socket.write(bytes)
      else {
        cutsNextReply = false
        socket.destroy()
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutNextReply: () => (cutsNextReply = true),
    close: () => server.close(),
  }
}

it.each<[string, number, (url: string) => Promise<Client>]>([
  ['redis', 500, nodeRedis('redis', {})],
  ['redis with disableOfflineQueue', 500, nodeRedis('redis')],
  ['ioredis, which sends the command again', 200, async (url) => new (driver('ioredis').Redis)(url)],
  ['ioredis without retries', 500, ioRedis('ioredis')],
])('the Redis store releases its claims if the reply that grants them is lost: %s', async (_, expected, open) => {
  const proxy = await startProxy(inject('redisUrl'))
  const client = await open(proxy.url)
  const deduplicate = createWebhookStore(client, { prefix: `${crypto.randomUUID()}:` })
  const aShop = aHandler({ deduplicate, serializeWait: 0 })
  const deliver = (amount: number) => aShop.deliver(aStatusEvent({ amount }))
  await deliver(1)

  proxy.cutNextReply()
  const first = await deliver(2)
  // Until the client has reconnected, the response is 500. Until the claims are released, it is 409.
  await vi.waitUntil(async () => (await deliver(3)) === 200, { timeout: 60_000, interval: 20 })
  close(client)
  proxy.close()

  expect(first).toBe(expected)
  expect(aShop.onStatus.mock.calls.map(([{ payment }]) => payment.amount)).toEqual(
    expected === 200 ? [1, 2, 3] : [1, 3],
  )
})

const { RESP_TYPES } = driver('redis')
const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.NUMBER]: String }

it.each<[string, (url: string) => Client | Promise<Client>]>([
  ['ioredis with stringNumbers', (url) => new (driver('ioredis').Redis)(url, { stringNumbers: true })],
  [
    'redis with a typeMapping',
    (url) => driver('redis').createClient({ url, commandOptions: { typeMapping } }).connect(),
  ],
])('the Redis store works if the client converts reply types: %s', async (_, open) => {
  const client = await open(inject('redisUrl'))
  const deduplicate = createWebhookStore(client, { prefix: `${crypto.randomUUID()}:` })
  const { deliver, onError, onStatus } = aHandler({ deduplicate })

  const statuses = [await deliver(), await deliver()]
  close(client)

  expect(statuses).toEqual([200, 200])
  expect(onStatus).toHaveBeenCalledTimes(1)
  expect(onError).not.toHaveBeenCalled()
})

describe('createWebhookStore of stores/redis', () => {
  it.each([
    [{ prefix: 7 }, 'prefix must be a string'],
    [{ rememberFor: 0 }, 'rememberFor must be a positive integer of milliseconds'],
    [{ tablePrefix: 'a' }, 'tablePrefix is not an option'],
  ])('rejects the options %j', (options, message) => {
    expect(() => createWebhookStore({} as NodeRedisClient, options as object)).toThrow(message)
  })

  it.each([undefined, null, {}, { eval: () => {} }, 'redis://'])('rejects %j as a client', (client) => {
    expect(() => createWebhookStore(client as unknown as NodeRedisClient)).toThrow(
      'The connection must be a client from redis or ioredis',
    )
  })
})
