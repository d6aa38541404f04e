import { readFileSync } from 'node:fs'
import { findNewRefund, type Payment, PaymentsClient, webhooks } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { evaluate } from '../support/snippets.js'
import { driver } from './drivers.js'

interface Database {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

/** The fields of an operation record that the page reads. */
interface SettledRecord {
  key: string
  operation: string
  state: string
  paymentId?: string
  transactionId?: string
  status?: string
  amountCapturedAfter?: number
}

interface Functions {
  saveRecord(record: SettledRecord, db: Database): Promise<void>
  savePayment(db: Database, payment: Payment): Promise<void>
  saveDispute(db: Database, dispute: webhooks.DisputeStatusEvent): Promise<void>
  currentAttempt(db: Database, orderId: string): Promise<{ key: string; isNew: boolean }>
}

const page = readFileSync('docs/guides/orders-table.md', 'utf8')
const [, tables = ''] = /^```sql\n(.*?)^```$/ms.exec(page) ?? []
const code = [...page.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms)]
  .map(([, block = '']) => block)
  .filter((block) => block.includes('export async function save'))

let pool: Database & { end(): Promise<void>; connect(): Promise<Database & { release(): void }> }
let orders: Functions

beforeAll(async () => {
  const schema = 'orders_table'
  pool = new (driver('pg').Pool)({
    connectionString: inject('postgresUrl'),
    options: `-c search_path=${schema} -c timezone=America/New_York`,
  })
  await pool.query(`CREATE SCHEMA ${schema}`)
  await pool.query(tables)
  orders = (await evaluate(code.join('\n'))) as unknown as Functions
})
beforeEach(() => pool.query('TRUNCATE orders, attempts, payments, returns, refunds, disputes'))
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
  const records: SettledRecord[] = []
  sandbox.webhooks.subscribe(async (request) => {
    const event = webhooks.verify(await request.text(), request.headers, sandbox.webhooks.secret)
    if (webhooks.isRecognized(event) && 'payment' in event) states.push(event.payment)
    return new Response()
  })
  const store = async (operation: string, key: string, payment: Payment) => {
    const refund = findNewRefund(states.at(-1) ?? payment, payment)
    const captured = payment.processor?.amountCaptured
    const result = refund ?? { status: payment.status, amountCapturedAfter: captured }
    records.push({ key, operation, state: 'succeeded', paymentId: payment.id, ...result })
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

describe('docs/guides/orders-table.md', () => {
  it('N34 stores the same rows for every order of responses, events and records', async () => {
    const { id, states, records } = await statesOfAPayment()
    const refunds = records.filter(({ operation }) => operation === 'payments.refund')
    await pool.query("INSERT INTO orders VALUES ('order-17', 5000, 'EUR')")

    const results: unknown[] = []
    for (let run = 0; run < 20; run++) {
      await pool.query('TRUNCATE attempts, payments, returns, refunds')
      await pool.query("INSERT INTO attempts VALUES ('pay-order-17-1', 'order-17')")
      for (const { key } of refunds) await pool.query('INSERT INTO returns VALUES ($1, $2, 500)', [key, id])
      const writes = [
        ...states.map((state) => () => orders.savePayment(pool, state)),
        ...records.map((record) => () => orders.saveRecord(record, pool)),
      ]
      // Some arrive at the same time, and all of them twice.
      await Promise.all(shuffled([...writes, ...writes]).map((write) => write()))
      results.push({
        totals: await rowsOf('order_totals'),
        attempts: await rowsOf('attempts'),
        returns: (await rowsOf('returns')).map(({ transaction_id }) => transaction_id),
        refunds: Object.fromEntries((await rowsOf('refunds')).map((row) => [row['transaction_id'], row['status']])),
      })
    }

    const transactions = refunds.map(({ transactionId }) => transactionId as string)
    const expected = {
      totals: [{ id: 'order-17', amount: '5000', captured: '5000', refunded: '1200', is_paid: true }],
      attempts: [{ key: 'pay-order-17-1', order_id: 'order-17', state: 'succeeded', payment_id: id }],
      returns: transactions,
      refunds: Object.fromEntries(transactions.map((id, index) => [id, ['SETTLED', 'FAILED', 'PENDING'][index]])),
    }
    expect(new Set(transactions).size).toBe(3)
    for (const result of results) expect(result).toEqual(expected)
  })

  it('compares times with microseconds, as UTC', async () => {
    const older = { id: 'pay_1', status: 'AUTHORIZED', dateUpdated: '2026-03-02T09:00:00.123456' }
    const newer = { id: 'pay_1', status: 'SETTLED', dateUpdated: '2026-03-02 09:00:00.123457Z' }

    await orders.savePayment(pool, newer)
    await orders.savePayment(pool, older)

    expect(await rowsOf('payments')).toMatchObject([{ status: 'SETTLED' }])
  })

  it('stores states that have only an id', async () => {
    await orders.savePayment(pool, { id: 'pay_1' })
    await orders.savePayment(pool, { id: 'pay_1', orderId: 'order-17', status: 'AUTHORIZED', date: '2026-03-02' })
    await orders.savePayment(pool, { id: 'pay_1' })

    expect(await rowsOf('payments')).toMatchObject([{ order_id: 'order-17', status: 'AUTHORIZED', captured: '0' }])
  })

  it('does not reopen a dispute after an older event', async () => {
    const dispute = {
      eventType: 'DISPUTE.STATUS',
      processorDisputeId: 'dp_1',
      paymentId: 'pay_1',
      type: 'DISPUTE',
    } as const
    const opened = { ...dispute, status: 'OPEN', amount: 700, receivedAt: '2026-03-02T09:00:00.000001Z' }
    const lost = { ...dispute, status: 'LOST', amount: 700, receivedAt: '2026-03-02T09:00:00.000002Z' }

    for (const event of [opened, lost, opened]) await orders.saveDispute(pool, event)

    expect(await rowsOf('disputes')).toMatchObject([{ id: 'dp_1', status: 'LOST', amount: '700' }])
  })

  it('starts one attempt at a time, and another one only after a failure', async () => {
    await pool.query("INSERT INTO orders VALUES ('order-17', 5000, 'EUR')")
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

    expect(first.map(({ key, isNew }) => `${key} ${isNew}`).sort()).toEqual([
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
})
