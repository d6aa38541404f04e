import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { ClientOptions, Payment } from 'payments-client'
import * as postgres from 'payments-client/postgres'
import { createSandbox } from 'payments-client/sandbox'
import * as sqlite from 'payments-client/sqlite'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { evaluate } from '../support/snippets.js'
import { driver } from './drivers.js'

interface Shop {
  pay(orderId: string, paymentMethodToken: string): Promise<Pick<Payment, 'id' | 'status'>>
  receive(request: Request): Promise<Response>
  settle(): Promise<unknown>
}

type Options = ClientOptions & { webhookSecret: string }

const modules = { pg: driver('pg'), 'payments-client/postgres': postgres, 'payments-client/sqlite': sqlite }

const load = (name: string) => evaluate(readFileSync(`examples/${name}/shop.ts`, 'utf8'), {}, modules)

describe.each<[name: string, open: (options: Options) => Promise<Shop>]>([
  [
    'postgres',
    async (options) => {
      const url = new URL(inject('postgresUrl'))
      const server = new (driver('pg').Pool)({ connectionString: url.href })
      await server.query('CREATE DATABASE example_shop')
      await server.end()
      url.pathname = 'example_shop'
      vi.stubEnv('DATABASE_URL', url.href)
      const pool = new (driver('pg').Pool)({ connectionString: url.href })
      onTestFinished(() => pool.end())
      const { migrate, createShop } = (await load('postgres')) as Record<string, (...args: unknown[]) => Shop>
      await migrate?.()
      return createShop?.(pool, options) as Shop
    },
  ],
  [
    'sqlite',
    async (options) => {
      const { createShop } = (await load('sqlite')) as Record<string, (...args: unknown[]) => Shop>
      return createShop?.(new DatabaseSync(':memory:'), options) as Shop
    },
  ],
])('examples/%s/shop.ts', (_, open) => {
  it('returns a payment that only a webhook reported, instead of charging the customer again', async () => {
    const sandbox = createSandbox({ now: new Date(), listDelay: '5m' })
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.spyOn(console, 'log').mockReturnValue()
    onTestFinished(() => void vi.restoreAllMocks())
    const shop = await open(sandbox.clientOptions({ maxRetries: 0, webhookSecret: sandbox.webhooks.secret }) as Options)
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
})
