import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Orders } from 'payments-client/orders'
import { createSandbox } from 'payments-client/sandbox'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { asCode, keepPrinted, promisedLines } from '../support/printed.js'
import { evaluate, snippetsIn } from '../support/snippets.js'
import { driver } from './drivers.js'

const [setUp, ...blocks] = snippetsIn('docs/guides/orders.md').map(({ code }) => code)

interface Pool {
  query(sql: string): Promise<{ rows: object[] }>
  end(): Promise<void>
}

describe('the code blocks in docs/guides/orders.md', () => {
  const sandbox = createSandbox()
  const timers: (() => void)[] = []
  let service: Awaited<ReturnType<typeof sandbox.listen>>
  let server: Server
  let pool: Pool
  let orders: Orders

  beforeAll(async () => {
    const url = new URL(inject('postgresUrl'))
    const admin: Pool = new (driver('pg').Pool)({ connectionString: url.href })
    await admin.query('CREATE DATABASE orders_guide')
    await admin.end()
    url.pathname = 'orders_guide'
    service = await sandbox.listen()
    vi.stubEnv('DATABASE_URL', url.href)
    vi.stubEnv('PAYMENTS_BASE_URL', service.url)
    vi.stubEnv('PAYMENTS_API_KEY', sandbox.apiKey)
    vi.stubEnv('PAYMENTS_WEBHOOK_SECRET', sandbox.webhooks.secret)
    vi.stubEnv('PORT', '0')
    const http = { createServer: (listener: RequestListener) => (server = createServer(listener)) }
    const modules = { pg: driver('pg'), 'node:http': http }
    const values = { setInterval: (run: () => void) => timers.push(run) }
    const exports = await evaluate(`${setUp}\nexport { orders, pool }`, values, modules)
    pool = exports['pool'] as Pool
    orders = exports['orders'] as Orders
    await vi.waitFor(() => expect(server.listening).toBe(true))
    sandbox.webhooks.subscribe(`http://localhost:${(server.address() as AddressInfo).port}/webhooks`)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    server.close()
    await service.close()
    await pool.end()
  })

  it('print the output shown in their comments, and keep the shop’s table up to date', async () => {
    const code = blocks.join('\n')
    const printed = keepPrinted()

    await evaluate(code, { orders, pool }).finally(printed.restore)
    await sandbox.webhooks.flush()
    for (const run of timers) run()

    expect(printed.lines.map(asCode)).toEqual(promisedLines(code))
    expect(sandbox.ledger.map(({ operation, amount }) => [operation, amount])).toEqual([
      ['payments.create', 5000],
      ['payments.capture', 3000],
      ['payments.capture', 2000],
      ['payments.refund', 1000],
      ['payments.refund', 500],
    ])
    expect(new Set(sandbox.webhooks.deliveries.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await pool.query('SELECT * FROM sales')).rows).toEqual([
      { id: '17', state: 'partially_refunded', may_ship: false },
    ])
    expect(timers).toHaveLength(3)
  })
})
