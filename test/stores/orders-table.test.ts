import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  findNewRefund,
  type OperationRecord,
  type Payment,
  PaymentsClient,
  type SettleReport,
  type Transaction,
  webhooks,
} from 'payments-client'
import * as postgres from 'payments-client/postgres'
import { createSandbox, type Sandbox, type SandboxOptions } from 'payments-client/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { evaluate, snippetsIn } from '../support/snippets.js'
import { driver } from './drivers.js'
import { page as operationsPage } from './programs.js'

interface Database {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

interface PgPool extends Database {
  connect(): Promise<Database & { release(): void }>
  end(): Promise<void>
}

/** The functions of `orders.ts`. */
interface Orders {
  savePayment(db: Database, payment: Payment): Promise<void>
  saveDispute(db: Database, dispute: webhooks.DisputeStatusEvent): Promise<void>
  saveRecord(record: Partial<OperationRecord>, db: Database): Promise<void>
  currentAttempt(db: Database, orderId: string): Promise<{ payment: Payment } | { key: string; isNew: boolean }>
}

/** The functions of `operations.ts`. */
interface Operations {
  pay(orderId: string, paymentMethodToken: string, totalTimeout?: number): Promise<Payment>
  client: PaymentsClient
  resume(paymentId: string, resumeToken: string): Promise<Payment>
  capture(parcel: string, paymentId: string, amount: number, final?: boolean): Promise<Payment>
  planCapture(transaction: Database, parcel: string, paymentId: string, amount: number): Promise<unknown>
  cancel(paymentId: string): Promise<Payment>
  refund(returned: string, paymentId: string, amount: number): Promise<Payment>
  settle(): Promise<SettleReport>
}

const page = 'docs/guides/orders-table.md'
const [[, tables = ''] = [], [, newColumns = ''] = []] = readFileSync(page, 'utf8').matchAll(/^```sql\n(.*?)^```$/gms)
const codeOf = (file: string) => snippetsIn(page).find((snippet) => snippet.file === file)?.code ?? ''

const { Pool } = driver('pg')
const url = new URL(inject('postgresUrl'))
let pool: PgPool
let orders: Orders

beforeAll(async () => {
  const server: PgPool = new Pool({ connectionString: url.href })
  await server.query('CREATE DATABASE orders_table')
  await server.end()
  url.pathname = 'orders_table'
  pool = new Pool({ connectionString: url.href, options: '-c timezone=America/New_York' })
  await pool.query(tables + postgres.migrationSql())
  orders = (await evaluate(codeOf('orders.ts'))) as unknown as Orders
})
beforeEach(async () => {
  await pool.query(`TRUNCATE orders, attempts, payments, decisions, key_numbers, refunds, disputes,
    payments_client_operations, payments_client_claims`)
  await pool.query("INSERT INTO orders VALUES ('order-17', 5000, 'EUR')")
})
afterAll(() => pool.end())

async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
  return (await pool.query(`SELECT * FROM ${table} ORDER BY 1`)).rows
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => [Math.random(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value)
}

/**
 * Makes a payment with two captures and three refunds. Returns every response, the payment of every event, and the record
 * of every operation.
 */
async function statesOfAPayment() {
  const sandbox = createSandbox({ now: new Date('2026-03-02T09:00:00Z') })
  const client = new PaymentsClient(sandbox.clientOptions())
  const states: Payment[] = []
  const records: (Partial<OperationRecord> & { amount?: number })[] = []
  sandbox.webhooks.subscribe(async (request) => {
    const event = webhooks.verify(await request.text(), request.headers, sandbox.webhooks.secret)
    if (webhooks.isRecognized(event) && 'payment' in event) states.push(event.payment)
    return new Response()
  })
  const store = async (operation: OperationRecord['operation'], key: string, payment: Payment) => {
    const refund = findNewRefund(states.at(-1) ?? payment, payment)
    const captured = payment.processor?.amountCaptured
    const result = refund ?? { status: payment.status, amountCapturedAfter: captured }
    const { id: paymentId, dateUpdated } = payment
    records.push({ key, operation, state: 'succeeded', paymentId, dateUpdated, ...result } as OperationRecord)
    states.push(payment)
    await sandbox.clock.advance(1)
  }
  const order = { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
  const payment = await client.payments.create({ ...order, paymentMethodToken: sandbox.tokens.card })
  const { id } = payment
  await store('payments.create', 'pay-order-17-1', payment)
  await store('payments.capture', 'capture-1', await client.payments.capture(id, { amount: 2000 }))
  await store('payments.capture', 'capture-2', await client.payments.capture(id, { amount: 3000, final: true }))
  await store('payments.refund', 'refund-1', await client.payments.refund(id, { amount: 500 }))
  await store('payments.refund', 'refund-2', await client.payments.refund(id, { amount: 500 }))
  sandbox.processor.finishRefund(id, 'SETTLED')
  await sandbox.clock.advance(1)
  sandbox.processor.finishRefund(id, 'FAILED')
  await store('payments.refund', 'refund-3', await client.payments.refund(id, { amount: 700 }))
  await sandbox.webhooks.flush()
  return { id, states, records }
}

describe('the code in docs/guides/orders-table.md', () => {
  it('stores the same rows for any order of responses, events and journal records', async () => {
    const { id, states, records } = await statesOfAPayment()
    const decisions = records.filter(({ operation }) => operation !== 'payments.create')
    const refunds = records.filter(({ operation }) => operation === 'payments.refund')

    const results: unknown[] = []
    for (let run = 0; run < 20; run++) {
      await pool.query('TRUNCATE attempts, payments, decisions, refunds')
      await pool.query("INSERT INTO attempts VALUES ('pay-order-17-1', 'order-17')")
      for (const { key, amount } of decisions) {
        await pool.query('INSERT INTO decisions VALUES ($1, $1, $2, $3)', [key, id, amount])
      }
      const writes = [
        ...states.map((state) => () => orders.savePayment(pool, state)),
        ...records.map((record) => () => orders.saveRecord(record, pool)),
      ]
      // Every response, event and record arrives twice, and some arrive at the same time.
      await Promise.all(shuffled([...writes, ...writes]).map((write) => write()))
      results.push({
        totals: await rowsOf('order_totals'),
        attempts: await rowsOf('attempts'),
        payments: (await rowsOf('payments')).map(({ order_id, status, captured }) => [order_id, status, captured]),
        decisions: (await rowsOf('decisions')).map(({ transaction_id }) => transaction_id),
        refunds: Object.fromEntries((await rowsOf('refunds')).map((row) => [row['transaction_id'], row['status']])),
      })
    }

    const transactions = refunds.map(({ transactionId }) => transactionId as string)
    const expected = {
      totals: [{ id: 'order-17', amount: '5000', captured: '5000', refunded: '1200', may_ship: false }],
      attempts: [{ key: 'pay-order-17-1', order_id: 'order-17', state: 'succeeded', payment_id: id }],
      payments: [['order-17', 'SETTLED', '5000']],
      decisions: [null, null, ...transactions],
      refunds: Object.fromEntries(transactions.map((id, index) => [id, ['SETTLED', 'FAILED', 'PENDING'][index]])),
    }
    expect(new Set(transactions).size).toBe(3)
    for (const result of results) expect(result).toEqual(expected)
  })

  it.each<[name: string, payments: Payment[], captured: number, refunded: number, mayShip: boolean]>([
    ['the whole amount was captured', [aPayment('SETTLED', 5000)], 5000, 0, true],
    ['a part was captured', [aPayment('SETTLED', 100)], 100, 0, false],
    ['the capture may still fail', [aPayment('SETTLING', 5000)], 5000, 0, false],
    ['the capture failed', [aPayment('SETTLING', 5000), aPayment('FAILED', 0)], 0, 0, false],
    ['the payment was cancelled', [aPayment('SETTLING', 5000), aPayment('CANCELLED', 0)], 0, 0, false],
    ['the whole amount was refunded', [aPayment('SETTLED', 5000, 'SETTLED')], 5000, 5000, false],
    ['a refund is in progress', [aPayment('SETTLED', 5000, 'PENDING')], 5000, 5000, false],
    ['a refund failed', [aPayment('SETTLED', 5000, 'FAILED')], 5000, 0, true],
    ['a refund was declined', [aPayment('SETTLED', 5000, 'DECLINED')], 5000, 0, true],
    ['a refund was cancelled', [aPayment('SETTLED', 5000, 'CANCELLED')], 5000, 0, true],
    ['a refund has no amount', [withRefunds({ processorTransactionId: 'refund-1' })], 5000, 0, false],
    ['two refunds have no transaction ID', [withRefunds({ amount: 700 }, { amount: 700 })], 5000, 1400, false],
    ['the payment has another currency', [{ ...aPayment('SETTLED', 5000), currencyCode: 'JPY' }], 5000, 0, false],
    ['the captured amount is missing', [{ ...aPayment('SETTLED', 0), processor: {} }], 0, 0, false],
    [
      'the status is missing',
      [{ id: 'pay_1', orderId: 'order-17', processor: { amountCaptured: 5000 } }],
      5000,
      0,
      false,
    ],
  ])('computes the order totals: %s', async (_, payments, captured, refunded, mayShip) => {
    for (const [index, payment] of payments.entries()) {
      await orders.savePayment(pool, { ...payment, dateUpdated: `2026-03-02T09:00:0${index}` })
    }

    expect(await rowsOf('order_totals')).toEqual([
      { id: 'order-17', amount: '5000', captured: `${captured}`, refunded: `${refunded}`, may_ship: mayShip },
    ])
  })

  it.each<[name: string, older: string | undefined, newer: string | undefined]>([
    ['UTC with microseconds', '2026-03-02T09:00:00.123456', '2026-03-02 09:00:00.123457Z'],
    ['a time with an offset', '2026-03-02T11:00:00.123456+02:00', '2026-03-02T09:00:00.123457'],
    ['a missing time', undefined, '2026-03-02T09:00:00'],
    ['no time, but a final status', undefined, undefined],
    ['a final status without a time', '2026-03-02T09:00:00', undefined],
  ])('keeps the newer status: %s', async (_, older, newer) => {
    await orders.savePayment(pool, { id: 'pay_1', status: 'SETTLED', ...(newer && { dateUpdated: newer }) })
    await orders.savePayment(pool, { id: 'pay_1', status: 'AUTHORIZED', ...(older && { dateUpdated: older }) })

    expect(await rowsOf('payments')).toMatchObject([{ status: 'SETTLED' }])
  })

  it('keeps the later status of payments without times, regardless of the order of the states', async () => {
    const states = ['PENDING', 'AUTHORIZED', 'SETTLING', 'SETTLED', 'CANCELLED']
    for (const [index, later] of states.entries()) {
      for (const earlier of states.slice(0, index)) {
        for (const order of [
          [earlier, later],
          [later, earlier],
        ]) {
          await pool.query('TRUNCATE payments')
          // The time of the creation does not show which state is newer.
          for (const status of order)
            await orders.savePayment(pool, { id: 'pay_1', status, date: '2026-03-02T09:00:00' })
          expect(await rowsOf('payments'), String(order)).toMatchObject([{ status: later }])
        }
      }
    }
  })

  it.each<[name: string, status: string, captured: number, first?: string, second?: string]>([
    ['after a cancellation', 'CANCELLED', 0, '2026-03-02T09:00:00', '2026-03-02T09:00:01'],
    ['after a cancellation, without times', 'CANCELLED', 0],
    ['if less is settled', 'SETTLED', 3000, '2026-03-02T09:00:00', '2026-03-02T09:00:01'],
    ['if less is settled, without times', 'SETTLED', 3000],
  ])('lowers the captured amount %s, regardless of the order of the states', async (_, status, captured, ...times) => {
    const [first, second] = times.map((dateUpdated) => ({ dateUpdated }))
    const settling = { ...aPayment('SETTLING', 5000), ...first } as Payment
    const later = { ...aPayment(status, captured), ...second } as Payment

    for (const states of [
      [settling, later],
      [later, settling],
    ]) {
      await pool.query('TRUNCATE payments')
      for (const state of states) await orders.savePayment(pool, state)
      expect(await rowsOf('payments')).toMatchObject([{ status, captured: String(captured) }])
    }
  })

  it.each([undefined, '2026-03-02T09:00:00'])(
    'keeps the larger of two captured amounts with the same status and the time %s',
    async (dateUpdated) => {
      for (const captured of [2000, 5000, 2000]) {
        await orders.savePayment(pool, { ...aPayment('SETTLED', captured), dateUpdated } as Payment)
      }

      expect(await rowsOf('payments')).toMatchObject([{ captured: '5000' }])
    },
  )

  it.each<[dispute: object, mayShip: boolean]>([
    [{ paymentId: 'pay_1', status: 'OPEN' }, false],
    [{ orderId: 'order-17', status: 'OPEN' }, false],
    [{ paymentId: 'pay_1', status: 'LOST' }, false],
    [{ paymentId: 'pay_1' }, false],
    [{ paymentId: 'pay_1', status: 'WON' }, true],
    [{ paymentId: 'pay_2', orderId: 'order-18', status: 'OPEN' }, true],
  ])('decides by the dispute %o whether to ship: %s', async (dispute, mayShip) => {
    await orders.savePayment(pool, aPayment('SETTLED', 5000))

    await orders.saveDispute(pool, { eventType: 'DISPUTE.STATUS', processorDisputeId: 'dp_1', ...dispute })

    expect(await rowsOf('order_totals')).toMatchObject([{ may_ship: mayShip }])
  })

  it('stores the captured amount and the order ID of a response without a time', async () => {
    await orders.savePayment(pool, { id: 'pay_1', status: 'AUTHORIZED', dateUpdated: '2026-03-02T09:00:00' })
    await orders.savePayment(pool, { id: 'pay_1', orderId: 'order-17', processor: { amountCaptured: 2000 } })

    expect(await rowsOf('payments')).toMatchObject([{ order_id: 'order-17', status: 'AUTHORIZED', captured: '2000' }])
  })

  it('stores amounts above 2,147,483,647', async () => {
    const amounts = { currencyCode: 'IDR', amount: 2_500_000_000, processor: { amountCaptured: 2_500_000_000 } }

    for (const status of ['SETTLED', 'CANCELLED'] as const) {
      await orders.savePayment(pool, { id: 'pay_1', status, ...amounts })
    }

    expect(await rowsOf('payments')).toMatchObject([{ amount: '2500000000', captured: '2500000000' }])
  })

  it('keeps the stored status and order ID if a later response contains only the payment’s ID', async () => {
    await orders.savePayment(pool, { id: 'pay_1' })
    await orders.savePayment(pool, { id: 'pay_1', orderId: 'order-17', status: 'AUTHORIZED', date: '2026-03-02' })
    await orders.savePayment(pool, { id: 'pay_1' })

    expect(await rowsOf('payments')).toMatchObject([{ order_id: 'order-17', status: 'AUTHORIZED', captured: '0' }])
  })

  it('stores disputes in earlier tables to which the page’s new columns were added', async () => {
    const client = await pool.connect()
    onTestFinished(async () => {
      await client.query('ROLLBACK')
      client.release()
    })
    await client.query(`BEGIN; DROP VIEW order_totals; ALTER TABLE disputes DROP COLUMN order_id; ${newColumns}`)
    await client.query(tables.slice(tables.indexOf('CREATE VIEW')))
    const dispute = { eventType: 'DISPUTE.STATUS', processorDisputeId: 'dp_1', orderId: 'order-17' } as const
    await orders.savePayment(client, aPayment('SETTLED', 5000))

    for (const status of ['OPEN', 'LOST']) await orders.saveDispute(client, { ...dispute, status, amount: 700 })

    expect((await client.query('SELECT * FROM disputes')).rows).toMatchObject([
      { id: 'dp_1', order_id: 'order-17', status: 'LOST', amount: '700' },
    ])
    expect((await client.query('SELECT may_ship FROM order_totals')).rows).toEqual([{ may_ship: false }])
  })

  it('keeps a dispute’s latest status if an older event arrives later', async () => {
    const ids = { processorDisputeId: 'dp_1', paymentId: 'pay_1' }
    const dispute = { ...ids, eventType: 'DISPUTE.STATUS', type: 'DISPUTE' } as const
    const opened = { ...dispute, status: 'OPEN', amount: 700, receivedAt: '2026-03-02T09:00:00.000001Z' }
    const lost = { ...dispute, status: 'LOST', amount: 700, receivedAt: '2026-03-02T09:00:00.000002Z' }

    for (const event of [opened, lost, opened]) await orders.saveDispute(pool, event)

    expect(await rowsOf('disputes')).toMatchObject([{ id: 'dp_1', status: 'LOST', amount: '700' }])
  })

  it('blocks shipping after a dispute whose IDs only another event has, regardless of the order of the events', async () => {
    const opened = { eventType: 'DISPUTE.STATUS', processorDisputeId: 'dp_1', status: 'OPEN' } as const
    const events = [
      { ...opened, receivedAt: '2026-03-02T09:00:00Z' },
      { ...opened, receivedAt: '2026-03-02T10:00:00Z', orderId: 'order-17', paymentId: 'pay_1' },
      { ...opened, receivedAt: '2026-03-02T11:00:00Z' },
    ]
    await orders.savePayment(pool, aPayment('SETTLED', 5000))

    for (const sequence of [events, events.toReversed(), shuffled(events)]) {
      await pool.query('TRUNCATE disputes')
      for (const event of sequence) await orders.saveDispute(pool, event)

      expect(await rowsOf('disputes')).toMatchObject([{ payment_id: 'pay_1', order_id: 'order-17' }])
      expect(await rowsOf('order_totals')).toMatchObject([{ may_ship: false }])
    }
  })

  it('starts one payment attempt at a time, and a new attempt only after a failure', async () => {
    const start = async () => {
      const client = await pool.connect()
      await client.query('BEGIN')
      const attempt = await orders.currentAttempt(client, 'order-17')
      await client.query('COMMIT')
      client.release()
      return attempt
    }

    const first = await Promise.all([start(), start(), start(), start()])
    await pool.query("UPDATE attempts SET state = 'succeeded', payment_id = 'pay_1'")
    const whilePending = await start()
    await orders.savePayment(pool, { id: 'pay_1', status: 'DECLINED', dateUpdated: '2026-03-02T09:00:00' })
    const afterDecline = await start()

    expect(first.map((attempt) => Object.values(attempt).join(' ')).sort()).toEqual([
      'pay-order-17-1 false',
      'pay-order-17-1 false',
      'pay-order-17-1 false',
      'pay-order-17-1 true',
    ])
    expect([whilePending, afterDecline]).toEqual([
      { key: 'pay-order-17-1', isNew: false },
      { key: 'pay-order-17-2', isNew: true },
    ])
  })

  it('charges and refunds each order once, even if responses are lost', async () => {
    const { sandbox, pay, capture, refund, settle } = await startShop()
    const { id } = await expectLost(sandbox, 'payments.create', () => pay('order-17', 'tok_card'))
    await capture('parcel-1', id, 2000)
    await capture('parcel-2', id, 3000)
    await refund('return-1', id, 500)
    await expectLost(sandbox, 'payments.refund', () => refund('return-2', id, 500))
    sandbox.faults.add({ operation: 'payments.refund', at: 'after', reset: true, times: 3 })
    await expect(refund('return-3', id, 700)).rejects.toMatchObject({ outcome: 'unknown' })

    const report = await settle()

    expect(report).toEqual({ settled: 1, stillOpen: 0, needsReview: 0 })
    expect(sandbox.ledger.map(({ operation, amount }) => `${operation} ${amount}`)).toEqual([
      'payments.create 5000',
      'payments.capture 2000',
      'payments.capture 3000',
      'payments.refund 500',
      'payments.refund 500',
      'payments.refund 700',
    ])
    expect(await rowsOf('order_totals')).toMatchObject([{ captured: '5000', refunded: '1700', may_ship: false }])
    const decisions = await rowsOf('decisions')
    expect(decisions.map(({ state }) => state)).toEqual(Array(5).fill('succeeded'))
    expect(new Set(decisions.map((row) => row['transaction_id'])).size).toBe(4)
  })

  it('captures with a new key after a rejected capture, and finishes a capture whose responses were lost', async () => {
    const { sandbox, pay, capture, settle } = await startShop()
    const { id } = await pay('order-17', 'tok_pending')
    await expect(capture('parcel-4', id, 5000)).rejects.toMatchObject({ retry: 'new-key' })
    sandbox.processor.authorize(id)
    sandbox.faults.add({ operation: 'payments.capture', at: 'after', reset: true, times: 3 })
    await expect(capture('parcel-4', id, 5000)).rejects.toMatchObject({ outcome: 'unknown' })

    await settle()
    await capture('parcel-4', id, 5000)

    expect((await rowsOf('decisions')).map(({ key, state }) => `${key} ${state}`)).toEqual([
      `capture-${id}-parcel-4-1 rejected`,
      `capture-${id}-parcel-4-2 succeeded`,
    ])
    expect(sandbox.ledger.filter(({ operation }) => operation === 'payments.capture')).toHaveLength(1)
    expect(await rowsOf('order_totals')).toMatchObject([{ captured: '5000', may_ship: true }])
  })

  it('returns the captured payment of an order that has two payments', async () => {
    const { id, pay, capture } = await startShopWithPayment()
    const late = { ...aPayment('AUTHORIZED', 0), id: 'pay_0', orderId: 'order-17', dateUpdated: '2026-01-01T00:00:00' }
    await orders.savePayment(pool, late)
    await capture('parcel-1', id, 5000)

    expect(await pay('order-17', 'tok_card')).toMatchObject({ id })
  })

  it('sends no second capture or refund after the journal has removed its records', async () => {
    const { sandbox, id, capture, refund } = await startShopWithPayment()
    await capture('parcel-1', id, 2500)
    await refund('return-1', id, 700)
    const decisions = await rowsOf('decisions')
    await pool.query('TRUNCATE payments_client_operations, payments_client_claims') // as `prune` does after 90 days
    const { length } = sandbox.requests

    const captured = await capture('parcel-1', id, 2500)
    const refunded = await refund('return-1', id, 700)
    await orders.saveRecord({ key: `refund-${id}-return-1-1`, operation: 'payments.refund', state: 'rejected' }, pool)

    expect([captured, refunded]).toEqual([
      { id, status: 'SETTLED' },
      { id, status: 'SETTLED' },
    ])
    expect(sandbox.requests).toHaveLength(length)
    expect(await rowsOf('decisions')).toEqual(decisions)
    await expect(refund('return-1', id, 800)).rejects.toThrow('has the amount 700')
  })

  it('captures the parcel from a new payment if the first capture made the old payment fail', async () => {
    const { pay, capture } = await startShop()
    const first = await pay('order-17', 'tok_fails_on_capture')

    const failed = await capture('parcel-1', first.id, 5000)
    const second = await pay('order-17', 'tok_card')
    const captured = await capture('parcel-1', second.id, 5000)

    expect([failed.status, captured.status]).toEqual(['FAILED', 'SETTLED'])
    expect(second.id).not.toBe(first.id)
    expect(await rowsOf('order_totals')).toMatchObject([{ captured: '5000', may_ship: true }])
  })

  it('captures parcels with the same name for two orders, and rejects a capture after the final capture', async () => {
    const { pay, capture } = await startShop()
    await pool.query("INSERT INTO orders VALUES ('order-29', 5000, 'EUR'), ('order-30', 5000, 'EUR')")
    const first = await pay('order-29', 'tok_card')
    const second = await pay('order-30', 'tok_card')

    await capture('parcel-1', first.id, 2000)
    await capture('parcel-1', second.id, 2000, true)

    await capture('parcel-2', first.id, 2000)
    await expect(capture('parcel-2', second.id, 2000)).rejects.toMatchObject({ errorId: 'FinalCaptureAlreadyMade' })
  })

  it('captures a parcel and refunds a return once if four calls of each run at the same time', async () => {
    const { sandbox, id, capture, refund } = await startShopWithPayment()

    await Promise.all([1, 2, 3, 4].map(() => capture('parcel-1', id, 2000)))
    await Promise.all([1, 2, 3, 4].map(() => refund('return-1', id, 500)))

    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual([
      'payments.create',
      'payments.capture',
      'payments.refund',
    ])
    expect(await rowsOf('decisions')).toHaveLength(2)
  })

  it('does not allow shipping after a refund whose transaction ID is missing', async () => {
    await orders.savePayment(pool, aPayment('SETTLED', 5000))
    await pool.query("INSERT INTO decisions VALUES ('refund-1-1', 'refund-1', 'pay_1', 500)")

    const refund = { key: 'refund-1-1', operation: 'payments.refund', paymentId: 'pay_1', status: 'PENDING' } as const
    await orders.saveRecord({ ...refund, state: 'succeeded' }, pool)

    expect(await rowsOf('order_totals')).toMatchObject([{ captured: '5000', may_ship: false }])
  })

  it('uses a new key even if the rows of failed attempts and rejected decisions were deleted', async () => {
    const { pay, capture, refund } = await startShop()
    await pay('order-17', 'tok_declined')
    await pool.query('DELETE FROM attempts')
    const { id } = await pay('order-17', 'tok_card')
    await expect(refund('return-1', id, 500)).rejects.toMatchObject({ retry: 'new-key' })
    await pool.query("DELETE FROM decisions WHERE state = 'rejected'")
    await capture('parcel-1', id, 5000)

    await refund('return-1', id, 500)

    expect(await rowsOf('attempts')).toMatchObject([{ key: 'pay-order-17-2', state: 'succeeded' }])
    expect(await rowsOf('decisions')).toMatchObject([
      { key: `capture-${id}-parcel-1-1`, state: 'succeeded' },
      { key: `refund-${id}-return-1-2`, state: 'succeeded' },
    ])
  })

  it('does not allow shipping until a person decides about a refund whose result is unclear', async () => {
    const { sandbox, id, capture, refund } = await startShopWithPayment()
    await capture('parcel-1', id, 5000)
    sandbox.faults.add({ operation: 'payments.refund', status: 503, times: 3 })
    await expect(refund('return-1', id, 500)).rejects.toMatchObject({ retry: 'same-key' })
    const shipsIn = async (state: string) => {
      await pool.query("UPDATE decisions SET state = $1 WHERE name LIKE 'refund-%'", [state])
      return (await rowsOf('order_totals'))[0]?.['may_ship']
    }

    const ships = [await shipsIn('open'), await shipsIn('needs_review'), await shipsIn('not_executed')]
    await refund('return-1', id, 500)

    expect(ships).toEqual([false, false, true])
    expect(await rowsOf('order_totals')).toMatchObject([{ refunded: '500', may_ship: false }])
    expect((await rowsOf('decisions')).map(({ key }) => key)).toContain(`refund-${id}-return-1-2`)
  })

  it.each<[string, (shop: Operations, id: string) => Promise<unknown>, object]>([
    ['SETTLED', ({ capture }, id) => capture('parcel-5', id, 5000), { captured: '5000', may_ship: true }],
    ['CANCELLED', ({ cancel }, id) => cancel(id), { captured: '0', may_ship: false }],
  ])('stores the status %s from the journal if all responses and webhooks are lost', async (status, change, totals) => {
    const shop = await startShopWithPayment()
    const { sandbox, id, authorized } = shop
    sandbox.faults.add({ at: 'after', reset: true, times: 3 })
    await expect(change(shop, id)).rejects.toMatchObject({ outcome: 'unknown' })

    await shop.settle()

    expect(await rowsOf('payments')).toMatchObject([{ id, order_id: 'order-17', status }])
    await orders.savePayment(pool, authorized)
    expect(await rowsOf('payments')).toMatchObject([{ status }])
    expect(await rowsOf('order_totals')).toMatchObject([totals])
    await change(shop, id)
    expect(sandbox.ledger).toHaveLength(2)
  })

  it('stores the captured amount of a cancelled payment if all responses and webhooks are lost', async () => {
    const { sandbox, pay, capture, cancel, settle } = await startShop()
    const { id } = await pay('order-17', sandbox.tokens.slowSettlement)
    await capture('parcel-1', id, 5000)
    sandbox.faults.add({ at: 'after', reset: true, times: 3 })
    await expect(cancel(id)).rejects.toMatchObject({ outcome: 'unknown' })

    await settle()

    expect(await rowsOf('payments')).toMatchObject([{ status: 'CANCELLED', captured: '0' }])
  })

  it('captures after the commit if a webhook function plans the capture in its transaction', async () => {
    const { sandbox, pay, planCapture, settle } = await startShop()
    const payment = await pay('order-17', sandbox.tokens.card)
    const handle = async (end: 'COMMIT' | 'ROLLBACK') => {
      const transaction = await pool.connect()
      await transaction.query('BEGIN')
      await orders.savePayment(transaction, payment)
      await planCapture(transaction, 'parcel-1', payment.id, 5000)
      await transaction.query(end)
      transaction.release()
      return (await settle()).settled
    }

    const settled = [await handle('ROLLBACK'), await handle('COMMIT'), await handle('COMMIT')]

    expect(settled).toEqual([0, 1, 0])
    expect(sandbox.ledger.map(({ operation }) => operation)).toEqual(['payments.create', 'payments.capture'])
    expect(await rowsOf('order_totals')).toMatchObject([{ captured: '5000', may_ship: true }])
  })

  it('resumes a payment after 3-D Secure, and cancels it', async () => {
    const { sandbox, pay, resume, cancel } = await startShop()
    const { id, requiredAction } = await pay('order-17', sandbox.tokens.requires3ds)

    const resumed = await resume(id, sandbox.completeAction(id))
    const paid = await pay('order-17', sandbox.tokens.requires3ds)
    await cancel(id)
    await cancel(id)

    expect([requiredAction?.name, resumed.status, paid.id]).toEqual(['3DS_AUTHENTICATION', 'AUTHORIZED', id])
    expect(await rowsOf('payments')).toMatchObject([{ order_id: 'order-17', status: 'CANCELLED' }])
    expect(await rowsOf('decisions')).toMatchObject([{ key: `cancel-${id}-1`, state: 'succeeded', amount: null }])
  })

  it('logs an error for a refund without a row, and leaves its result unacknowledged until a program stores it', async () => {
    const { id, capture, settle, client } = await startShopWithPayment()
    await capture('parcel-6', id, 5000)
    const error = vi.spyOn(console, 'error').mockReturnValue()
    await client.payments.refund(id, { amount: 100 }, { idempotencyKey: 'refund-elsewhere' })
    const acknowledged = async () => (await client.operations.get('refund-elsewhere'))?.acknowledgedAt !== undefined

    await settle()
    await client.operations.settle()

    expect([error.mock.calls.length, await acknowledged()]).toEqual([1, false])
    await client.operations.settle({ onSettled: () => {} })
    expect(await acknowledged()).toBe(true)
  })

  it('returns the stored payment if the service responds that it does not exist', async () => {
    const { sandbox, id, pay } = await startShopWithPayment()
    sandbox.faults.add({ operation: 'payments.get', status: 404 })

    expect(await pay('order-17', 'tok_card')).toEqual({ id, status: 'AUTHORIZED', amount: 5000, currencyCode: 'EUR' })
  })

  it('throws if the order’s amount changed after the payment, and charges the new amount after a cancellation', async () => {
    const { id, pay, cancel } = await startShopWithPayment()
    await pool.query('UPDATE orders SET amount = 8000')

    await expect(pay('order-17', 'tok_card')).rejects.toThrow('The amount or currency of order order-17 changed')

    await cancel(id)
    expect(await pay('order-17', 'tok_card')).toMatchObject({ status: 'AUTHORIZED', amount: 8000 })
  })

  it.each([
    ['amount = 8000', false],
    ["currency = 'USD'", false],
    ['amount = 8000', true],
  ])('throws after UPDATE orders SET %s, even if the first response was lost: %s', async (change, isLost) => {
    const { sandbox, pay, settle } = await startShop()
    if (isLost) sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true, times: 3 })
    await pay('order-17', 'tok_card').catch(settle)
    await pool.query(`UPDATE orders SET ${change}`)
    sandbox.faults.add({ operation: 'payments.get', status: 500, times: Infinity })

    await expect(pay('order-17', 'tok_card')).rejects.toThrow('The amount or currency of order order-17 changed')
  })

  it('waits no longer than the time limit that the caller passes to `pay`', async () => {
    const { sandbox, pay } = await startShop()
    sandbox.faults.add({ operation: 'payments.create', hang: true })

    const error = { name: 'TimeoutError', timeoutMs: 100, retry: 'same-key' }
    await expect(pay('order-17', 'tok_card', 100)).rejects.toMatchObject(error)
  })

  it('stores payments that only webhooks report', async () => {
    const sandbox = createSandbox()
    sandbox.webhooks.subscribe(await startWebhooks(sandbox))
    const client = new PaymentsClient(sandbox.clientOptions())
    const order = { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }

    const { id } = await client.payments.create({ ...order, paymentMethodToken: sandbox.tokens.card })
    await sandbox.webhooks.flush()

    expect(sandbox.webhooks.deliveries.map(({ status }) => status)).toEqual([200])
    expect(await rowsOf('payments')).toMatchObject([{ id, order_id: 'order-17', status: 'AUTHORIZED' }])
  })

  it('starts a new payment attempt after a declined card or a rejected request', async () => {
    const { sandbox, pay } = await startShop()

    const declined = await pay('order-17', 'tok_declined')
    await expect(pay('order-17', 'tok_unknown')).rejects.toMatchObject({ retry: 'new-key' })
    const paid = await pay('order-17', 'tok_card')
    const again = await pay('order-17', 'tok_card')

    expect([declined.status, paid.status, again.id]).toEqual(['DECLINED', 'AUTHORIZED', paid.id])
    expect((await rowsOf('attempts')).map(({ state }) => state)).toEqual(['succeeded', 'rejected', 'succeeded'])
    expect(sandbox.ledger.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['pay-order-17-1', 'pay-order-17-3'])
  })

  it('returns the payment that a webhook reported, instead of charging again, if the journal found no payment', async () => {
    const { sandbox, pay, settle } = await startShop({ now: new Date(), listDelay: '5m' })
    await pool.query("INSERT INTO orders VALUES ('order-19', 5000, 'EUR'), ('order-20', 5000, 'EUR')")
    await pay('order-19', 'tok_card') // The journal computes the clock difference from this response.
    sandbox.webhooks.subscribe(async (request) => {
      const event = webhooks.verify(await request.text(), request.headers, sandbox.webhooks.secret)
      if (webhooks.isRecognized(event) && 'payment' in event) await orders.savePayment(pool, event.payment)
      return new Response()
    })
    sandbox.faults.add({ operation: 'payments.create', at: 'after', reset: true, times: 3 })
    await expect(pay('order-20', 'tok_card')).rejects.toMatchObject({ outcome: 'unknown' })
    await sandbox.webhooks.flush()
    await sandbox.clock.advance('3m')
    await settle()

    const paid = await pay('order-20', 'tok_card')

    expect((await rowsOf('attempts')).map(({ state }) => state)).toEqual(['succeeded', 'not_executed'])
    expect(sandbox.ledger.slice(1).map(({ resourceId }) => resourceId)).toEqual([paid.id])
  })
})

/** Returns a payment of €50.00. If `refund` is passed, the payment has a full refund with this status. */
function aPayment(status: string, amountCaptured: number, refund?: string): Payment {
  const transaction = { transactionType: 'REFUND', processorTransactionId: 'refund-1', amount: 5000 } as const
  const transactions = refund === undefined ? [] : [{ ...transaction, processorStatus: refund }]
  return { id: 'pay_1', orderId: 'order-17', status, currencyCode: 'EUR', processor: { amountCaptured }, transactions }
}

/** Returns a captured payment of €50.00 with successful refunds. */
function withRefunds(...refunds: Partial<Transaction>[]): Payment {
  const transactions = refunds.map((refund) => {
    return { transactionType: 'REFUND', processorStatus: 'SETTLED', ...refund } as Transaction
  })
  return { ...aPayment('SETTLED', 5000), transactions }
}

describe('the steps after a restored backup in docs/guides/durable-operations.md', () => {
  const indented = readFileSync(operationsPage, 'utf8').matchAll(/^ {3}```sql\n(.*?)^ {3}```$/gms)
  const [find = '', store = '', skip = ''] = Array.from(indented, ([, statements]) => statements)

  it('repeats no payment, capture or refund that the backup does not contain', async () => {
    const { client, sandbox, id, capture, planCapture, pay, refund, settle } = await startShopWithPayment()
    await pool.query("INSERT INTO orders VALUES ('order-18', 700, 'EUR')")
    await capture('parcel-1', id, 1000)
    const connection = await pool.connect()
    await connection.query('BEGIN')
    await planCapture(connection, 'parcel-2', id, 2000)
    await connection.query('COMMIT')
    connection.release()
    const restore = await backUp()
    await settle()
    await refund('return-381', id, 500)
    await pay('order-18', 'tok_card')
    const { length } = sandbox.ledger
    await restore()

    for await (const payment of client.payments.list()) {
      await orders.savePayment(pool, await client.payments.get(payment.id))
    }
    const found = (await pool.query(find)) as unknown as { rows: Record<string, unknown>[] }[]
    const transactionId = String(found[0]?.rows[0]?.['transaction_id'])
    await pool.query(store.replaceAll('pay_17', id).replaceAll('re_1', transactionId))
    await pool.query(skip)
    onTestFinished(() => void pool.query('ALTER TABLE key_numbers ALTER COLUMN number SET DEFAULT 1'))

    expect(found.map(({ rows }) => rows)).toMatchObject([
      [{ payment_id: id, amount: '500' }],
      [{ id, captured: '3000', decided: '1000' }],
      [{ name: `capture-${id}-parcel-2`, amount: '2000' }],
    ])
    expect(await settle()).toEqual({ settled: 0, stillOpen: 0, needsReview: 0 })
    await capture('parcel-2', id, 2000)
    await refund('return-381', id, 500)
    await pay('order-18', 'tok_card')
    expect(sandbox.ledger).toHaveLength(length)
    await refund('return-382', id, 600)
    expect(await rowsOf('decisions')).toMatchObject([
      {},
      {},
      { key: `refund-${id}-return-381-1` },
      { key: `refund-${id}-return-382-1001`, state: 'succeeded' },
    ])
  })
})

const shopTables = [
  ...['orders', 'attempts', 'payments', 'decisions', 'key_numbers', 'refunds'],
  ...['payments_client_operations', 'payments_client_claims'],
]

/** Copies the rows of the shop and of the journal. Returns a function that restores them. */
async function backUp(): Promise<() => Promise<void>> {
  const copies = await Promise.all(
    shopTables.map(async (table) => {
      const { rows } = await pool.query(`SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${table} AS t`)
      return [table, rows[0]?.['rows']] as const
    }),
  )
  return async () => {
    await pool.query(`TRUNCATE ${shopTables}`)
    for (const [table, rows] of copies) {
      await pool.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [rows])
    }
  }
}

/** Starts the server of `webhooks.ts`. Returns its URL. */
async function startWebhooks(sandbox: Sandbox): Promise<string> {
  const pools: PgPool[] = []
  const servers: Server[] = []
  const http = {
    createServer: (listener: RequestListener) => {
      servers.push(createServer(listener))
      return servers[0]
    },
  }
  vi.stubEnv('DATABASE_URL', url.href)
  vi.stubEnv('PAYMENTS_WEBHOOK_SECRET', sandbox.webhooks.secret)
  vi.stubEnv('PORT', '0')
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    for (const server of servers) server.close()
    await Promise.all(pools.map((pool) => pool.end()))
  })
  const modules = {
    pg: recordingPools(pools),
    'node:http': http,
    './orders.ts': orders,
    'payments-client/postgres': postgres,
  }
  await evaluate(codeOf('webhooks.ts'), {}, modules)
  const server = servers[0] as Server
  if (!server.listening) await once(server, 'listening')
  return `http://localhost:${(server.address() as AddressInfo).port}/webhooks`
}

/** Returns a replacement for the module `pg`, whose `Pool` adds each new pool to the array. */
function recordingPools(pools: PgPool[]) {
  class ShopPool extends Pool {
    constructor(options: object) {
      super(options)
      pools.push(this as unknown as PgPool)
    }
  }
  return { Pool: ShopPool }
}

/** Loads `operations.ts` with a client that calls a new sandbox over HTTP. */
async function startShop(sandboxOptions: SandboxOptions = {}): Promise<Operations & { sandbox: Sandbox }> {
  const sandbox = createSandbox(sandboxOptions)
  const service = await sandbox.listen()
  const pools: PgPool[] = []
  vi.stubEnv('DATABASE_URL', url.href)
  vi.stubEnv('PAYMENTS_BASE_URL', service.url)
  vi.stubEnv('PAYMENTS_API_KEY', sandbox.apiKey)
  vi.spyOn(Math, 'random').mockReturnValue(0) // makes the client retry without delays
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
    await Promise.all([service.close(), ...pools.map((pool) => pool.end())])
  })
  const modules = { pg: recordingPools(pools), './orders.ts': orders, 'payments-client/postgres': postgres }
  const operations = (await evaluate(codeOf('operations.ts'), {}, modules)) as unknown as Operations
  return { ...operations, sandbox }
}

/** Starts a shop whose order has an authorized payment. */
async function startShopWithPayment() {
  const shop = await startShop()
  const authorized = await shop.pay('order-17', 'tok_card')
  return { ...shop, authorized, id: authorized.id }
}

/** Loses all responses of the first call. Returns the result of the second call. */
async function expectLost<T>(
  sandbox: Sandbox,
  operation: OperationRecord['operation'],
  call: () => Promise<T>,
): Promise<T> {
  sandbox.faults.add({ operation, at: 'after', reset: true, times: 3 })
  await expect(call()).rejects.toMatchObject({ outcome: 'unknown', retry: 'same-key' })
  return call()
}
