import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PaymentsClient } from '../../src/client.js'
import { createOrders } from '../../src/orders/index.js'
import type { SqliteDatabase } from '../../src/stores/sqlite/index.js'
import { passSql } from '../operations/shop.js'
import { sqliteDrivers } from '../stores/sqlite-drivers.js'
import { startService } from './support.js'

const openDatabase = sqliteDrivers['node:sqlite'] as (file: string) => SqliteDatabase & { close(): void }

/** Starts a shop whose orders are in an SQLite file. */
async function aShop() {
  const folder = mkdtempSync(join(tmpdir(), 'orders-'))
  const file = join(folder, 'shop.db')
  const database = openDatabase(file)
  onTestFinished(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  const service = await startService([], { env: { DATABASE_URL: file } })
  const { sandbox } = service
  const baseUrl = String(service.env['PAYMENTS_BASE_URL'])
  const client = new PaymentsClient(sandbox.clientOptions({ baseUrl, maxRetries: 0, logLevel: 'off' }))
  const changes: string[] = []
  const onChange = ({ state }: { state: string }, { cause }: { cause: string }) => changes.push(`${cause} ${state}`)
  const orders = createOrders({ client, database, onChange })
  await orders.migrate()
  const request = { paymentMethodToken: sandbox.tokens.card, amount: 5000, currencyCode: 'EUR' }
  return { ...service, database, orders, changes, pay: (id: string) => orders.pay(id, request) }
}

describe('payments-client orders show', () => {
  it('prints an order with its payments and decisions', async () => {
    const { run, output, pay } = await aShop()
    const order = await pay('17')

    expect(await run('orders', 'show', '17', '--json')).toBe(0)
    expect(JSON.parse(String(output[0]))).toEqual(order)
    expect(await run('orders', 'show', '17')).toBe(0)
    expect(output.join('\n')).toContain('authorized')
  })

  it('fails if the tables do not contain the order', async () => {
    const { run, notes } = await aShop()

    expect(await run('orders', 'show', '18')).toBe(1)
    expect(notes.join()).toContain('do not contain this order')
  })
})

describe('payments-client orders list', () => {
  it('prints a table of orders and the next cursor', async () => {
    const { run, output, notes, pay } = await aShop()
    await pay('17')
    await pay('18')

    expect(await run('orders', 'list', '--state', 'authorized', '--limit', '1')).toBe(0)

    expect(output.map((line) => line.split(/ {2,}/))).toEqual([
      ['ORDER', 'STATE', 'AMOUNT', 'CURRENCY', 'CAPTURED', 'REFUNDED', 'MAY SHIP', 'REVIEW'],
      ['17', 'authorized', '5000', 'EUR', '0', '0', 'no', 'no'],
    ])
    expect(notes.join()).toMatch(/--cursor '\d+ 17'/)
  })
})

describe('payments-client orders review', () => {
  it('prints the decisions that need a review, and stores a person’s answer', async () => {
    const { run, output, orders, pay, sandbox, database, changes } = await aShop()
    await pay('17')
    await orders.capture('17')
    sandbox.faults.add({ operation: 'payments.refund', at: 'before', reset: true })
    await orders.refund('17')
    for (const sql of passSql('payments_client_', 25 * 3_600_000)) database.exec(sql)
    expect(await run('orders', 'recover', '--json')).toBe(1)
    expect(JSON.parse(String(output.pop()))).toEqual({ finished: 0, open: 0, needsReview: 1 })

    expect(await run('orders', 'review', '--json')).toBe(0)
    expect(JSON.parse(String(output.pop()))).toMatchObject({ key: 'refund-17-1', orderId: '17' })
    expect(await run('orders', 'resolve', 'refund-17-1', '--outcome', 'not_executed', '--json')).toBe(0)

    expect(JSON.parse(String(output.pop()))).toMatchObject({ needsReview: false, mayShip: true })
    changes.length = 0
    await orders.recover()
    expect(changes).toEqual(['recover paid'])
  })
})

describe('payments-client orders sync', () => {
  it('stores payment states whose webhooks were lost', async () => {
    const { run, output, orders, pay, sandbox } = await aShop()
    const { payment } = await pay('17')
    sandbox.processor.settle(String(payment?.id))

    expect(await run('orders', 'sync', '--json')).toBe(0)

    expect(JSON.parse(String(output[0]))).toEqual({ checked: 1, changed: 1 })
    expect(await orders.get('17')).toMatchObject({ state: 'paid' })
  })
})
