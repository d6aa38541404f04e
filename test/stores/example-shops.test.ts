import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { ClientOptions, Payment } from 'payments-client'
import * as postgres from 'payments-client/postgres'
import { createSandbox, type Sandbox } from 'payments-client/sandbox'
import * as sqlite from 'payments-client/sqlite'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { evaluate } from '../support/snippets.js'
import { driver } from './drivers.js'

interface Shop {
  pay(orderId: string, paymentMethodToken: string): Promise<Pick<Payment, 'id' | 'status'>>
  capture(id: string): Promise<Pick<Payment, 'status'>>
  receive(request: Request): Promise<Response>
  settle(): Promise<unknown>
}

type Options = ClientOptions & { webhookSecret: string }

interface OpenShop {
  readonly shop: Shop
  execute(sql: string): unknown
}

const modules = { pg: driver('pg'), 'payments-client/postgres': postgres, 'payments-client/sqlite': sqlite }

const load = (name: string) => evaluate(readFileSync(`examples/${name}/shop.ts`, 'utf8'), {}, modules)

describe.each<[name: string, open: (options: Options) => Promise<OpenShop>]>([
  [
    'postgres',
    async (options) => {
      const url = new URL(inject('postgresUrl'))
      const server = new (driver('pg').Pool)({ connectionString: url.href })
      const name = `example_shop_${randomUUID().replaceAll('-', '')}`
      await server.query(`CREATE DATABASE ${name}`)
      await server.end()
      url.pathname = name
      vi.stubEnv('DATABASE_URL', url.href)
      const pool = new (driver('pg').Pool)({ connectionString: url.href })
      onTestFinished(() => pool.end())
      const { migrate, createShop } = (await load('postgres')) as Record<string, (...args: unknown[]) => Shop>
      await migrate?.()
      return { shop: createShop?.(pool, options) as Shop, execute: (sql) => pool.query(sql) }
    },
  ],
  [
    'sqlite',
    async (options) => {
      const { createShop } = (await load('sqlite')) as Record<string, (...args: unknown[]) => Shop>
      const database = new DatabaseSync(':memory:')
      return { shop: createShop?.(database, options) as Shop, execute: (sql) => database.exec(sql) }
    },
  ],
])('examples/%s/shop.ts', (_, open) => {
  async function start(sandbox: Sandbox): Promise<OpenShop> {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.spyOn(console, 'log').mockReturnValue()
    vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => void vi.restoreAllMocks())
    return open(sandbox.clientOptions({ maxRetries: 0, webhookSecret: sandbox.webhooks.secret }) as Options)
  }

  it('returns a payment that only a webhook reported, instead of charging the customer again', async () => {
    const sandbox = createSandbox({ now: new Date(), listDelay: '5m' })
    const { shop } = await start(sandbox)
    sandbox.webhooks.subscribe((request) => shop.receive(request))
    await shop.pay('order-1', sandbox.tokens.card) // The journal computes the clock difference from this response.
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
    await expect(shop.pay('order-2', sandbox.tokens.card)).rejects.toMatchObject({ outcome: 'unknown' })
    await sandbox.webhooks.flush()
    await sandbox.clock.advance('3m')
    expect(await shop.settle()).toMatchObject({ settled: 1 })

    const paid = await shop.pay('order-2', sandbox.tokens.card)
    sandbox.faults.add({ operation: 'payments.get', status: 503 })
    const paidDuringOutage = await shop.pay('order-2', sandbox.tokens.card)

    const [, charged, ...others] = sandbox.ledger
    expect(others).toEqual([])
    expect(paid).toEqual({ id: charged?.resourceId, status: 'AUTHORIZED' })
    expect(paidDuringOutage).toEqual(paid)
  })

  it.each([
    ['without a time', undefined],
    ['with the same time', '2100-03-02T09:00:00.000000'],
  ])('stores a final status %s, and keeps it when an earlier status arrives later', async (_, dateUpdated) => {
    const sandbox = createSandbox()
    const { shop } = await start(sandbox)
    const { id } = await shop.pay('order-3', sandbox.tokens.card)
    const atSameTime = (payment: Record<string, unknown>) => ({ ...payment, dateUpdated })
    sandbox.faults.add({ operation: 'payments.capture', at: 'after', body: atSameTime })
    await shop.capture(id)
    sandbox.faults.add({
      operation: 'payments.get',
      at: 'after',
      body: (real) => ({ ...atSameTime(real), status: 'AUTHORIZED' }),
    })
    await shop.pay('order-3', sandbox.tokens.card)
    sandbox.faults.add({ operation: 'payments.get', status: 503 })

    expect(await shop.pay('order-3', sandbox.tokens.card)).toEqual({ id, status: 'SETTLED' })
  })

  it('leaves an operation open until the shop has a row in which to store its result', async () => {
    const sandbox = createSandbox()
    const { shop, execute } = await start(sandbox)
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true })
    await expect(shop.pay('order-4', sandbox.tokens.card)).rejects.toMatchObject({ outcome: 'unknown' })
    await execute('DELETE FROM attempts')

    expect(await shop.settle()).toMatchObject({ settled: 0, stillOpen: 1 })
    await execute("INSERT INTO attempts (key, order_id) VALUES ('pay-order-4-1', 'order-4')")
    expect(await shop.settle()).toMatchObject({ settled: 1, stillOpen: 0 })
  })
})
