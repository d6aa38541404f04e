// Refunds with a journal in PostgreSQL. Each refund takes effect once, even if processes crash.
import { type OperationRecord, PaymentsClient } from 'payments-client'
import { createJournal } from 'payments-client/postgres'
import { Pool } from 'pg'

export const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000,
  lock_timeout: 10_000, // by default, a query waits for a lock without a limit
})
// Without these listeners, a lost connection ends the process.
pool.on('error', console.error)
pool.on('connect', (connection: any) => connection.on('error', console.error))
const journal = createJournal(pool)
export const client = new PaymentsClient({ journal, logger: console }) // reads PAYMENTS_BASE_URL and PAYMENTS_API_KEY

/** Creates the tables. */
export async function migrate(): Promise<void> {
  await journal.migrate()
  await pool.query(`CREATE TABLE IF NOT EXISTS returns (
    key text PRIMARY KEY, -- the idempotency key
    payment_id text NOT NULL,
    amount bigint NOT NULL, -- minor units
    state text NOT NULL DEFAULT 'open',
    transaction_id text
  )`)
}

/** 1. Decide: stores the return and the refund in one transaction. Sends nothing. */
export async function planRefund(key: string, paymentId: string, amount: number): Promise<void> {
  const transaction = await pool.connect()
  try {
    await transaction.query('BEGIN')
    const insert = `INSERT INTO returns (key, payment_id, amount) VALUES ($1, $2, $3)
      ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING state`
    const { rows } = await transaction.query(insert, [key, paymentId, amount])
    const intent = { key, operation: 'payments.refund', id: paymentId, body: { amount } } as const
    if (rows[0].state === 'open') await client.operations.plan(transaction, intent)
    await transaction.query('COMMIT')
    transaction.release()
  } catch (error) {
    transaction.release(true) // closes the connection, which also ends its transaction
    throw error
  }
}

/** Stores a result, in the transaction in which the journal stores it. */
async function onSettled(record: OperationRecord, transaction: any): Promise<void> {
  const { key, operation, state, transactionId } = record
  if (operation !== 'payments.refund') return // the table has no rows for payments and captures
  const update = 'UPDATE returns SET state = $2, transaction_id = $3 WHERE key = $1'
  const { rowCount } = await transaction.query(update, [key, state, transactionId])
  if (rowCount !== 1) throw new Error(`No return has the key ${key}`)
}

/** 2. Execute: sends the refund, or returns its recorded result. */
export const runRefund = (key: string) => client.operations.run(key, { onSettled })

/** 3. Finish the operations that a crash or an outage interrupted. Call this function every 30 to 60 seconds. */
export const recover = () => client.operations.recover({ onSettled })
