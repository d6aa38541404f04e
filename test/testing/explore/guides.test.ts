import { DatabaseSync } from 'node:sqlite'
import { PaymentsClient } from 'payments-client'
import { createSandbox, explore } from 'payments-client/sandbox'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createShop } from '../../../examples/sqlite/shop.js'
import { independent, listenInMemory } from '../../frameworks/in-process.js'
import { type CreateShop, explorationOf, type StartServer } from '../../support/explore-guide.js'
import { firstKeys, openShopPage, retryAfterAnotherProcess, retryAfterLostResponses } from '../../support/shop-page.js'

/** A few runs per server suffice here, because all servers call the same shop. The nightly check tries more. */
const budget = Number(process.env['RUNS'] ?? 10)

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const restore = listenInMemory()
  return () => {
    restore()
    vi.restoreAllMocks()
  }
})

/** Starts a service and the server of a guide. Opens its page, and records the `Retry-After` headers that it receives. */
async function openShop(startServer: StartServer, idempotency: 'replay' | 'conflict') {
  const sandbox = createSandbox({ idempotency })
  const options = sandbox.clientOptions()
  const shop = createShop(new DatabaseSync(':memory:'), options)
  vi.spyOn(Math, 'random').mockReturnValue(0) // makes the delays before retries 0 ms long
  const send = await startServer(shop)
  const delays: (string | null)[] = []
  const page = openShopPage(async (path, init) => {
    const response = await send(path, init)
    delays.push(response.headers.get('retry-after'))
    return response
  }, sandbox)
  return { sandbox, page, delays, client: new PaymentsClient(sandbox.clientOptions()) }
}

describe.each([...independent])('the server code in the guide %s', (_, startServer) => {
  describe.each(['replay', 'conflict'] as const)('with idempotency mode %s', (idempotency) => {
    it('charges the customer once if no response arrives and the retry is rejected', async () => {
      const { sandbox, page, delays } = await openShop(startServer, idempotency)

      const { orders, received, expected } = await retryAfterLostResponses(page, sandbox)

      expect(received).toEqual([...expected, orders.map(() => 'AUTHORIZED')])
      expect(delays.filter((delay) => delay !== null)).toEqual(['120', '120', '120'])
      expect(sandbox.ledger.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(firstKeys(orders))
    })

    it('charges the customer once if another process used the key', async () => {
      const { sandbox, page, client } = await openShop(startServer, idempotency)

      const { orders, received } = await retryAfterAnotherProcess(page, sandbox, client)

      expect(received).toEqual([orders.map(() => 502), orders.map(() => 'AUTHORIZED')])
      expect(sandbox.ledger.map(({ idempotencyKey }) => idempotencyKey)).toEqual(firstKeys(orders))
    })
  })

  it.each(['card', 'requires3ds'] as const)(
    'passes explore() without a failure if the customer pays with the token %s',
    async (token) => {
      const { failures } = await explore({ ...explorationOf(createShop, startServer, token), budget })

      expect(failures.map(({ timeline }) => timeline)).toEqual([])
    },
  )

  it('starts a new attempt only if no earlier attempt may succeed', async () => {
    const { sandbox, page } = await openShop(startServer, 'replay')
    const tokens = ['tok_declined', 'tok_unknown', 'tok_pending', 'tok_card', 'tok_card']

    const shown: unknown[] = []
    for (const token of tokens) {
      const { status, httpStatus } = await page.pay('order-17', token)
      shown.push(status ?? httpStatus)
      if (shown.length === 4) sandbox.processor.decline(sandbox.ledger.at(-1)?.resourceId ?? '')
      if (shown.length === 4) shown.push((await page.pay('order-17', token)).status)
    }

    expect(shown).toEqual(['DECLINED', 400, 'PENDING', 'PENDING', 'DECLINED', 'AUTHORIZED'])
    const keys = sandbox.ledger.flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
    expect(keys).toEqual(['pay-order-17-1', 'pay-order-17-3', 'pay-order-17-4'])
  })
})

describe('the shop code in the guides', () => {
  it('returns the payment from a webhook even if the journal found no payment', async () => {
    const sandbox = createSandbox({ now: new Date(), listDelay: '5m' })
    const database = new DatabaseSync(':memory:')
    const options = sandbox.clientOptions({ maxRetries: 0 })
    const shop = createShop(database, { ...options, webhookSecret: sandbox.webhooks.secret })
    sandbox.webhooks.subscribe(shop.receive)
    await shop.pay('order-16', 'tok_card') // From the response, the journal learns the time of the service's clock.
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
    await expect(shop.pay('order-17', 'tok_card')).rejects.toMatchObject({ outcome: 'unknown' })
    await sandbox.webhooks.flush()
    await sandbox.clock.advance('3m')
    await shop.settle()

    const paid = await shop.pay('order-17', 'tok_card')

    const states = database.prepare('SELECT state FROM attempts ORDER BY key').all()
    expect(states).toEqual([{ state: 'succeeded' }, { state: 'not_executed' }])
    expect(sandbox.ledger.slice(1).map(({ resourceId }) => resourceId)).toEqual([paid.id])
  })
})

describe.each([...independent])('the server code in the guide %s, with 3-D Secure', (_, startServer) => {
  it.each(['after', 'before'] as const)(
    'authorizes the second attempt if the connection breaks %s the resumption',
    async (at) => {
      const { sandbox, page } = await openShop(startServer, 'replay')
      sandbox.faults.add({ operation: 'payments.resume', at, reset: true })

      const first = await page.pay('order-17', 'tok_requires3ds')
      const second = await page.pay('order-17', 'tok_requires3ds')

      expect([first.status, second.status]).toEqual([at === 'after' ? 'AUTHORIZED' : 'PENDING', 'AUTHORIZED'])
      expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create', 'payments.resume'])
    },
  )
})

describe('the shop code in the guides, after a payment', () => {
  it('returns the stored payment if the service responds that it does not exist', async () => {
    const sandbox = createSandbox()
    const shop = createShop(new DatabaseSync(':memory:'), sandbox.clientOptions({ maxRetries: 0 }))
    const paid = await shop.pay('order-17', 'tok_card')
    sandbox.faults.add({ operation: 'payments.get', status: 404 })

    expect(await shop.pay('order-17', 'tok_card')).toEqual(paid)
  })
})

it('explore() reports no failure if the guides’ shop receives no webhooks', async () => {
  const startServer = independent.get('Bun, Deno and Cloudflare Workers') as StartServer
  const createDeafShop: CreateShop = (...given) => ({ ...createShop(...given), receive: async () => new Response() })

  const { failures } = await explore({ ...explorationOf(createDeafShop, startServer), budget: 2 * budget })

  expect(failures).toEqual([])
})

/** Mistakes in the guides' shop code that the journal makes harmless. */
const harmless: Record<string, CreateShop> = {
  'starts a new attempt after any error': (database, options) => {
    const shop = createShop(database, options)
    const pay: typeof shop.pay = (...order) =>
      shop.pay(...order).catch((error) => {
        database.exec("UPDATE attempts SET state = 'rejected' WHERE state = 'open'")
        throw error
      })
    return { ...shop, pay }
  },
  'sends payments again after the customer has left': (database, options) => {
    const shop = createShop(database, options)
    const settle: typeof shop.settle = async () => {
      database.exec('UPDATE payments_client_operations SET resend_for = 1e9')
      return shop.settle()
    }
    return { ...shop, settle }
  },
}

/** Mistakes in the guides' shop code. `explore` must find each of these mistakes. */
const mistakes: Record<string, CreateShop> = {
  'never settles': (database, options) => ({ ...createShop(database, options), settle: async () => ({}) as never }),
}

it('the guides’ shop sends no second capture after the journal lost the first', async () => {
  const sandbox = createSandbox()
  const database = new DatabaseSync(':memory:')
  const options = sandbox.clientOptions()
  const shop = createShop(database, options)
  const { id } = await shop.pay('order-17', sandbox.tokens.card)
  await shop.capture(id)
  database.exec('DELETE FROM payments_client_operations; DELETE FROM payments_client_claims') // as `prune` does
  const { length } = sandbox.requests

  const captured = await shop.capture(id)

  expect(captured).toEqual({ id, status: 'SETTLED' })
  expect(sandbox.requests).toHaveLength(length)
})

describe('explore() with a shop that has a bug', () => {
  it.each(Object.entries(mistakes))('reports that the shop %s', async (_, createShop) => {
    const startServer = independent.get('Bun, Deno and Cloudflare Workers') as StartServer

    const { failures } = await explore({ ...explorationOf(createShop, startServer), budget: 2 * budget })

    expect(failures).not.toEqual([])
  })

  it.each(Object.entries(harmless))('reports no failure although the shop %s', async (_, createShop) => {
    const startServer = independent.get('Bun, Deno and Cloudflare Workers') as StartServer

    const { failures } = await explore({ ...explorationOf(createShop, startServer), budget: 2 * budget })

    expect(failures).toEqual([])
  })
})
