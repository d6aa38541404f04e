import { DatabaseSync } from 'node:sqlite'
import { type ClientOptions, PaymentsClient } from 'payments-client'
import type { Order, Orders } from 'payments-client/orders'
import type { ExploreOptions } from 'payments-client/sandbox'
import type { WebhookHandler } from 'payments-client/webhooks'
import { expect } from 'vitest'
import { shops } from '../frameworks/guides.js'
import { openShopPage, type SendToShop } from './shop-page.js'
import { evaluate } from './snippets.js'

interface Reply {
  readonly status: number
  readonly body: object
}

type Route = (id: string, action: string, body: unknown) => Promise<Reply>

/** The result of `createShop` in examples/frameworks/shop.ts. */
export interface Shop {
  readonly orders: Orders
  readonly customer: Route
  readonly staff: Route
  readonly webhooks: WebhookHandler
  fetch(request: Request): Promise<Response>
}

/** The exports of `shop.ts`. */
export interface ShopModule {
  openShop(): Promise<Shop>
  createShop(): Shop
}

/** Starts the server of a guide. Returns a function that sends requests to it. */
export type StartServer = (shop: ShopModule) => SendToShop | Promise<SendToShop>

/** Loads examples/frameworks/shop.ts, with the given database and options. */
export async function loadShop(
  database: DatabaseSync,
  { webhookSecret, ...options }: ClientOptions & { webhookSecret: string },
): Promise<ShopModule> {
  class Database {
    constructor() {
      // biome-ignore lint/correctness/noConstructorReturn: the shop opens the given database.
      return database
    }
  }
  const values = { process: { env: { PAYMENTS_WEBHOOK_SECRET: webhookSecret } }, console: silent }
  const module = await evaluate(shops.sqlite, values, { 'node:sqlite': { DatabaseSync: Database } })
  const shop = (module['createShop'] as (options: ClientOptions) => Shop)(options)
  await shop.orders.migrate()
  return { ...(module as unknown as ShopModule), openShop: async () => shop, createShop: () => shop }
}

const silent = { log: () => {}, error: () => {} }

interface Storage {
  database?: DatabaseSync
  /** Lets `explore` detect changes of the database. */
  toJSON?: () => unknown
}

interface Process {
  readonly send: SendToShop
  readonly orders: Orders
  wait(): Promise<void>
}

/** The maximum seconds between the first request of a payment and the charge: `resendFor`, plus one for the request. */
const maxDelaySeconds = 61

/**
 * Returns the options that explore a guide's server. A customer pays with a declined card, and then with the second
 * card. The staff captures the payment and refunds a part. Another customer clicks twice. All of them retry after errors.
 */
export function explorationOf(
  startServer: StartServer,
  secondCard: 'card' | 'requires3ds' = 'card',
): ExploreOptions<Process, Storage> {
  return {
    async start({ clientOptions, storage, webhookSecret, receive, clock }) {
      storage.database ??= new DatabaseSync(':memory:')
      storage.toJSON ??= () => ordersIn(storage)
      // Makes SQLite return the virtual time.
      storage.database.function('unixepoch', { varargs: true }, () => clock.now() / 1000)
      // Without retries, one fault is enough for an unknown outcome.
      const options = { ...clientOptions, maxRetries: 0, timeout: 10_000, webhookSecret }
      const module = await loadShop(storage.database, options)
      const send = await startServer(module)
      receive(async (request) => {
        const headers = Object.fromEntries(request.headers)
        return send('/webhooks', { method: 'POST', headers, body: await request.text() })
      })
      const wait = () => new Promise<void>((resolve) => void clock.setTimeout(resolve, 3_000))
      return { send, orders: (await module.openShop()).orders, wait }
    },
    async scenario({ send, wait }, { sandbox }) {
      const page = openShopPage(send, sandbox)
      const { declined, card } = sandbox.tokens
      const headers = { 'content-type': 'application/json' }
      const decide = async (action: string, body: object) => {
        for (let tries = 1; tries <= 5; tries++) {
          const sent = { method: 'POST', headers, body: JSON.stringify(body) }
          const { ok } = await send(`/staff/orders/17/${action}`, sent).catch(() => ({ ok: false }))
          if (ok) return
          await wait()
        }
      }
      await page.payUntilKnown('17', declined, wait)
      await page.payUntilKnown('17', sandbox.tokens[secondCard], wait)
      await decide('capture', { id: 'parcel-1', amount: 5000 })
      await decide('refund', { id: 'return-1', amount: 500 })
      await Promise.all([page.payUntilKnown('18', card, wait), page.payUntilKnown('18', card, wait)])
    },
    async settle({ orders }) {
      await orders.recover()
      await orders.sync()
    },
    // Until the database is closed, SQLite holds its registered functions in memory, and with them the whole run.
    disposeStorage: ({ database }) => database?.close(),
    async check({ sandbox, ledger, storage }) {
      const client = new PaymentsClient(sandbox.clientOptions())
      const firstSent = new Map(
        rowsOf(storage, 'payments_client_operations').map((row) => [row['key'], Number(row['first_sent_at'])]),
      )
      const decisions = ordersIn(storage).flatMap((order) => order.decisions)
      for (const { key, state } of decisions) {
        const effects = ledger.filter(({ idempotencyKey }) => idempotencyKey === key)
        expect(['rejected', 'not_executed', 'succeeded']).toContain(state)
        expect([key, effects.length]).toEqual([key, state === 'succeeded' ? 1 : 0])
        for (const { at, operation } of effects) {
          const delay = (Date.parse(at) - (firstSent.get(key) ?? 0)) / 1000
          if (operation === 'payments.create') expect(delay).toBeLessThanOrEqual(maxDelaySeconds)
        }
      }
      const keys = decisions.map(({ key }) => key)
      expect(ledger.flatMap(({ idempotencyKey }) => idempotencyKey ?? []).filter((key) => !keys.includes(key))).toEqual(
        [],
      )
      for (const { payments } of ordersIn(storage)) {
        expect(
          payments.filter(({ status }) => status !== 'DECLINED' && status !== 'FAILED').length,
        ).toBeLessThanOrEqual(1)
        for (const { id, status } of payments) expect((await client.payments.get(id)).status).toBe(status)
      }
    },
  }
}

const rowsOf = ({ database }: Storage, table: string) =>
  (database?.prepare(`SELECT * FROM ${table}`).all() ?? []) as Record<string, unknown>[]

const ordersIn = (storage: Storage) =>
  rowsOf(storage, 'payments_client_orders').map(({ facts }) => (JSON.parse(String(facts)) as { order: Order }).order)
