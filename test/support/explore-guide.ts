import { DatabaseSync } from 'node:sqlite'
import { type ClientOptions, PaymentsClient } from 'payments-client'
import type { ExploreOptions } from 'payments-client/sandbox'
import type { Shop } from '../../examples/sqlite/shop.js'
import { openShopPage, type SendToShop } from './shop-page.js'

/** Creates the functions that the guides' servers call. */
export type CreateShop = (database: DatabaseSync, options: ClientOptions & { webhookSecret: string }) => Shop

/** Starts a guide's server. Returns a function that sends requests to it. */
export type StartServer = (shop: Shop) => SendToShop | Promise<SendToShop>

interface Storage {
  database?: DatabaseSync
  /** Lets `explore` detect changes of the database. */
  toJSON?: () => unknown
}

interface Process {
  readonly send: SendToShop
  readonly settle: () => Promise<unknown>
  wait(): Promise<void>
}

/** The maximum seconds between a customer's decision to pay and the charge: `resendFor`, plus one for the request. */
const maxDelaySeconds = 61

/**
 * Returns the options that explore a guide's server. A customer pays with a declined card, and then with the second
 * card. The staff captures the service's latest payment, even if the shop has not stored it yet. Another customer
 * clicks twice. All of them retry after errors.
 */
export function explorationOf(
  createShop: CreateShop,
  startServer: StartServer,
  secondCard: 'card' | 'requires3ds' = 'card',
): ExploreOptions<Process, Storage> {
  return {
    async start({ clientOptions, storage, webhookSecret, receive, clock }) {
      const database = openDatabase(storage)
      // Makes SQLite return the virtual time.
      database.function('unixepoch', { varargs: true }, () => clock.now() / 1000)
      // Without retries, one fault is enough for an unknown outcome.
      const shop = createShop(database, { ...clientOptions, maxRetries: 0, timeout: 10_000, webhookSecret })
      const send = await startServer(shop)
      receive(async (request) => {
        const headers = Object.fromEntries(request.headers)
        return send('/webhooks', { method: 'POST', headers, body: await request.text() })
      })
      const wait = () => new Promise<void>((resolve) => void clock.setTimeout(resolve, 2_000))
      return { send, settle: () => shop.settle(), wait }
    },
    async scenario({ send, wait }, { sandbox }) {
      const page = openShopPage(send, sandbox)
      const { declined, card } = sandbox.tokens
      await page.payUntilShown('order-17', declined, wait)
      await page.payUntilShown('order-17', sandbox.tokens[secondCard], wait)
      const id = sandbox.ledger.at(-1)?.resourceId
      // If a crash prevented the payment, there is no payment to capture.
      for (let tries = 1; id !== undefined && tries <= 5; tries++) {
        const { ok } = await send(`/payments/${id}/capture`, { method: 'POST' })
        if (ok) break
        await wait()
      }
      await Promise.all([page.payUntilShown('order-18', card, wait), page.payUntilShown('order-18', card, wait)])
    },
    settle: ({ settle }) => settle(),
    // Until the database is closed, SQLite holds its registered functions in memory, and with them the whole run.
    disposeStorage: ({ database }) => database?.close(),
    async check({ sandbox, ledger, storage }) {
      const client = new PaymentsClient(sandbox.clientOptions())
      const attempts = rowsOf(storage, 'attempts NATURAL JOIN (SELECT key, created_at FROM payments_client_operations)')
      const payments = rowsOf(storage, 'payments')
      for (const { operation, idempotencyKey, resourceId, at } of ledger) {
        if (operation !== 'payments.create') continue
        const attempt = attempts.find(({ key }) => key === idempotencyKey)
        if (attempt?.['payment_id'] !== resourceId) throw new Error('a payment has no attempt')
        const { status } = await client.payments.get(resourceId)
        const stored = payments.find(({ id }) => id === resourceId)?.['status']
        if (stored !== status) throw new Error(`a payment is ${status}, but its row is ${stored}`)
        const delay = (Date.parse(at) - Number(attempt['created_at'])) / 1000
        if (delay > maxDelaySeconds) throw new Error(`a customer who had left was charged after ${delay} seconds`)
      }
      const unfinished = attempts.find(({ state }) => state === 'open' || state === 'needs_review')
      if (unfinished) throw new Error(`an attempt is ${unfinished['state']}`)
    },
  }
}

function openDatabase(storage: Storage): DatabaseSync {
  storage.database ??= new DatabaseSync(':memory:')
  storage.toJSON ??= () => ['attempts', 'payments', 'payments_client_operations'].map((table) => rowsOf(storage, table))
  return storage.database
}

const rowsOf = ({ database }: Storage, tables: string) =>
  (database?.prepare(`SELECT * FROM ${tables}`).all() ?? []) as Record<string, unknown>[]
