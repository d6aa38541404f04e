// Takes payments with PostgreSQL, for the serverless framework guides. Only this file creates idempotency keys.
import { type ClientOptions, type OperationRecord, type Payment, PaymentsClient } from 'payments-client'
import { createJournal, createWebhookStore, migrationSql } from 'payments-client/postgres'
import { createHandler } from 'payments-client/webhooks'
import { Pool, type PoolClient } from 'pg'

const tables = `
  CREATE OR REPLACE FUNCTION utc(text) RETURNS timestamptz LANGUAGE sql SET timezone = 'UTC'
    AS 'SELECT $1::timestamptz';
  CREATE TABLE IF NOT EXISTS attempts ( -- to pay for an order. Keep the rows: the next key depends on their number
    key text PRIMARY KEY, -- the idempotency key
    order_id text NOT NULL,
    state text NOT NULL DEFAULT 'open', -- or the operation's final state
    payment_id text
  );
  CREATE TABLE IF NOT EXISTS payments (
    id text PRIMARY KEY,
    order_id text,
    status text,
    updated_at timestamptz NOT NULL -- with microseconds
  );`

const hasFailed = `coalesce(status IN ('DECLINED', 'FAILED', 'CANCELLED'), false)`

const isFinal = (row: string) => `coalesce(${row}.status IN ('SETTLED', 'DECLINED', 'FAILED', 'CANCELLED'), false)`

/** The pool, or the client of a transaction. */
interface Queryable {
  query(sql: string, values: unknown[]): Promise<unknown>
}

interface ShopOptions extends ClientOptions {
  webhookSecret?: string
}

/** The fields that the customer's browser receives. The database does not store `requiredAction`. */
type Shown = Fields<'status' | 'requiredAction'>

type Stored = Fields<'orderId' | 'status' | 'requiredAction' | 'dateUpdated'>

type Fields<Name extends keyof Payment> = { id: string } & { [N in Name]?: Payment[N] | undefined }

export type Shop = ReturnType<typeof createShop>

/** Creates the shop's functions. The client reads PAYMENTS_BASE_URL and PAYMENTS_API_KEY. */
export function createShop(pool: Pool, { webhookSecret, ...options }: ShopOptions = {}) {
  const journal = createJournal(pool)
  const client = new PaymentsClient({ ...options, journal })

  /**
   * Stores a payment from a response or an event, unless a newer state is stored. If a state has no time, or if both
   * have the same time, a final status is newer than other statuses.
   */
  async function save(payment: Stored, db: Queryable = pool): Promise<Shown> {
    const { id, orderId, status, requiredAction, dateUpdated } = payment
    const upsert = `INSERT INTO payments AS stored VALUES ($1, $2, $3, coalesce(utc($4), '-infinity'))
      ON CONFLICT (id) DO UPDATE
      SET order_id = coalesce(excluded.order_id, stored.order_id), status = excluded.status,
        updated_at = excluded.updated_at
      WHERE CASE WHEN '-infinity' IN (excluded.updated_at, stored.updated_at)
        OR excluded.updated_at = stored.updated_at THEN ${isFinal('excluded')} OR NOT ${isFinal('stored')}
        ELSE excluded.updated_at > stored.updated_at END`
    await db.query(upsert, [id, orderId, status, dateUpdated])
    return { id, status, requiredAction }
  }

  /** Stores the result of an operation, in the transaction in which the journal stores the result. */
  async function onSettled(record: OperationRecord, transaction: PoolClient) {
    const { key, operation, state, paymentId: id, status, dateUpdated } = record
    const update = 'UPDATE attempts SET state = $1, payment_id = $2 WHERE key = $3 RETURNING order_id'
    const { rows } = await transaction.query<{ order_id: string }>(update, [state, id, key])
    // Captures have no attempt.
    if (operation === 'payments.create' && rows.length === 0) throw new Error(`No attempt has the key ${key}`)
    if (id === undefined || operation === 'payments.refund') return // the status of a refund is not the payment's
    await save({ id, orderId: rows[0]?.order_id, status, dateUpdated }, transaction)
  }

  /** Returns the payment or the attempt that may still succeed, or plans a new attempt. */
  async function currentAttempt(transaction: PoolClient, orderId: string, paymentMethodToken: string) {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [orderId]) // waits for other processes
    const selectPayment = `SELECT id, status FROM payments WHERE order_id = $1 AND NOT ${hasFailed}`
    const { rows: payments } = await transaction.query<Shown>(selectPayment, [orderId])
    if (payments[0]) return { stored: payments[0] }
    const select = `SELECT key, state IN ('rejected', 'not_executed') OR ${hasFailed} AS has_failed FROM attempts
      LEFT JOIN payments ON payments.id = payment_id WHERE attempts.order_id = $1`
    const { rows: attempts } = await transaction.query<{ key: string; has_failed: boolean }>(select, [orderId])
    const open = attempts.find((attempt) => !attempt.has_failed)
    if (open) return { key: open.key }
    const key = `pay-${orderId}-${attempts.length + 1}`
    const body = { paymentMethodToken, orderId, currencyCode: 'EUR', amount: 5000 } // the amount of your order
    await transaction.query('INSERT INTO attempts (key, order_id) VALUES ($1, $2)', [key, orderId])
    await client.operations.plan(transaction, { key, operation: 'payments.create', body })
    return { key }
  }

  return {
    /**
     * Pays for an order. After an error, call `pay` again: it starts a new attempt only if all earlier attempts failed.
     */
    async pay(orderId: string, paymentMethodToken: string): Promise<Shown> {
      const connection = await pool.connect()
      let current: Awaited<ReturnType<typeof currentAttempt>>
      try {
        await connection.query('BEGIN')
        current = await currentAttempt(connection, orderId, paymentMethodToken)
        await connection.query('COMMIT')
        connection.release()
      } catch (error) {
        connection.release(true) // closes the connection, which also ends its transaction
        throw error
      }
      const { key, stored } = current
      if (stored) return client.payments.get(stored.id).then(save, () => stored)
      const { payment } = await client.operations.run(key, { onSettled })
      return save(payment)
    },

    /** Continues a payment after a customer action. After an error, `pay` returns the payment's current state. */
    async resume(id: string, resumeToken: string): Promise<Shown> {
      return save(await client.payments.resume(id, { resumeToken }))
    },

    /** Captures a payment. After the service has rejected a capture, the next call makes a new capture. */
    async capture(id: string): Promise<Shown> {
      const select = "SELECT id, status FROM payments WHERE id = $1 AND status IN ('SETTLING', 'SETTLED')"
      const { rows: captured } = await pool.query<Shown>(select, [id])
      if (captured[0]) return captured[0] // even if the journal has removed its record
      const rejected = await client.operations.list({ paymentId: id, state: 'rejected' })
      const number = 1 + rejected.filter(({ operation }) => operation === 'payments.capture').length
      const idempotencyKey = `capture-${id}-${number}`
      return save(await client.payments.capture(id, {}, { idempotencyKey }))
    },

    /** Handles webhooks. */
    receive: createHandler({
      secret: () => webhookSecret ?? process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
      deduplicate: createWebhookStore(pool),
      on: {
        'PAYMENT.STATUS': async ({ payment }, { transaction }) => {
          await save(payment, transaction)
          console.log(`${payment.orderId} is ${payment.status}`)
        },
      },
      onError: (error) => console.error(error),
    }),

    /**
     * Finishes the operations that a crash or an outage interrupted, and removes old records. Call `settle` every
     * minute.
     */
    async settle() {
      const report = await client.operations.settle({ onSettled })
      await journal.prune()
      return report
    },
  }
}

let shop: Shop | undefined

/** Opens the shop on first use. Requests to a Cloudflare Worker cannot share connections, so each opens its own shop. */
export function openShop(options?: ShopOptions): Shop {
  const isWorker = navigator.userAgent === 'Cloudflare-Workers'
  if (shop && !isWorker) return shop
  const pool = new Pool({
    connectionString: process.env['DATABASE_URL'],
    maxUses: isWorker ? 1 : Infinity,
    connectionTimeoutMillis: 5_000,
    lock_timeout: 10_000, // by default, a query that waits for itself waits forever
  })
  // Without a listener, a lost connection ends the process.
  pool.on('connect', (connection) => connection.on('error', console.error))
  shop = createShop(pool, options)
  return shop
}

/** Creates the tables. */
export async function migrate(): Promise<void> {
  const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
  await pool.query(migrationSql() + tables)
  await pool.end()
}
