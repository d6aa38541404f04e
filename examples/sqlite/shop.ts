// Takes payments with SQLite, for the servers of the framework guides. Only this file creates idempotency keys.
import { DatabaseSync } from 'node:sqlite'
import { type ClientOptions, type OperationRecord, type Payment, PaymentsClient } from 'payments-client'
import { createJournal, migrationSql } from 'payments-client/sqlite'
import { createHandler } from 'payments-client/webhooks'

const tables = `
  CREATE TABLE IF NOT EXISTS attempts ( -- to pay for an order. Keep the rows: the next key depends on their number
    key TEXT PRIMARY KEY, -- the idempotency key
    order_id TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open', -- or the operation's final state
    payment_id TEXT
  );
  CREATE TABLE IF NOT EXISTS payments (
    id TEXT PRIMARY KEY,
    order_id TEXT,
    status TEXT,
    updated_at TEXT NOT NULL -- UTC with microseconds, so that the strings are in the order of the times
  );`

const hasFailed = `coalesce(status IN ('DECLINED', 'FAILED', 'CANCELLED'), 0)`

const isFinal = (row: string) => `coalesce(${row}.status IN ('SETTLED', 'DECLINED', 'FAILED', 'CANCELLED'), 0)`

interface ShopOptions extends ClientOptions {
  webhookSecret?: string
}

/** The fields that the customer's browser receives. The database does not store `requiredAction`. */
type Shown = Fields<'status' | 'requiredAction'>

type Fields<Name extends keyof Payment> = { id: string } & { [N in Name]?: Payment[N] | undefined }

export type Shop = ReturnType<typeof createShop>

/** Creates the shop's functions. The client reads PAYMENTS_BASE_URL and PAYMENTS_API_KEY. */
export function createShop(database: DatabaseSync, { webhookSecret, ...options }: ShopOptions = {}) {
  database.exec('PRAGMA busy_timeout = 5000') // waits while another process writes
  database.exec(tables + migrationSql())
  const journal = createJournal(database)
  const client = new PaymentsClient({ ...options, journal })

  /**
   * Stores a payment from a response or an event, unless a newer state is stored. If a state has no time, or if both
   * have the same time, a final status is newer than other statuses.
   */
  function save(payment: Fields<'orderId' | 'status' | 'requiredAction' | 'dateUpdated'>): Shown {
    const { id, orderId, status, requiredAction, dateUpdated } = payment
    const upsert = `INSERT INTO payments AS stored VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
      SET order_id = coalesce(excluded.order_id, stored.order_id), status = excluded.status,
        updated_at = excluded.updated_at
      WHERE CASE WHEN '' IN (excluded.updated_at, stored.updated_at)
        OR excluded.updated_at = stored.updated_at THEN ${isFinal('excluded')} OR NOT ${isFinal('stored')}
        ELSE excluded.updated_at > stored.updated_at END`
    database.prepare(upsert).run(id, orderId ?? null, status ?? null, dateUpdated ?? '')
    return { id, status, requiredAction }
  }

  /** Stores the result of an operation, in the transaction in which the journal stores the result. */
  function onSettled({ key, operation, state, paymentId: id, status, dateUpdated }: OperationRecord) {
    const update = 'UPDATE attempts SET state = ?, payment_id = ? WHERE key = ? RETURNING order_id'
    const attempt = database.prepare(update).get(state, id ?? null, key) as { order_id: string } | undefined
    // Captures have no attempt.
    if (operation === 'payments.create' && attempt === undefined) throw new Error(`No attempt has the key ${key}`)
    if (id === undefined || operation === 'payments.refund') return // the status of a refund is not the payment's
    save({ id, orderId: attempt?.order_id, status, dateUpdated })
  }

  /** Returns the payment or the attempt that may still succeed, or plans a new attempt. */
  function currentAttempt(orderId: string, paymentMethodToken: string): Shown | { key: string } {
    const selectPayment = `SELECT id, status FROM payments WHERE order_id = ? AND NOT ${hasFailed}`
    const payment = database.prepare(selectPayment).get(orderId) as Pick<Shown, 'id' | 'status'> | undefined
    if (payment) return payment
    const select = `SELECT key, state IN ('rejected', 'not_executed') OR ${hasFailed} AS hasFailed FROM attempts
      LEFT JOIN payments ON payments.id = payment_id WHERE attempts.order_id = ?`
    const attempts = database.prepare(select).all(orderId) as { key: string; hasFailed: number }[]
    const open = attempts.find((attempt) => !attempt.hasFailed)
    if (open) return open
    const key = `pay-${orderId}-${attempts.length + 1}`
    const body = { paymentMethodToken, orderId, currencyCode: 'EUR', amount: 5000 } // the amount of your order
    database.prepare('INSERT INTO attempts (key, order_id) VALUES (?, ?)').run(key, orderId)
    client.operations.planSync(database, { key, operation: 'payments.create', body })
    return { key }
  }

  return {
    /**
     * Pays for an order. After an error, call `pay` again: it starts a new attempt only if all earlier attempts failed.
     */
    async pay(orderId: string, paymentMethodToken: string): Promise<Shown> {
      database.exec('BEGIN IMMEDIATE')
      let current: ReturnType<typeof currentAttempt>
      try {
        current = currentAttempt(orderId, paymentMethodToken)
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
      if (!('key' in current)) {
        const stored = current
        return client.payments.get(stored.id).then(save, () => stored)
      }
      const { payment } = await client.operations.run(current.key, { onSettled })
      return save(payment)
    },

    /** Continues a payment after a customer action. After an error, `pay` returns the payment's current state. */
    async resume(id: string, resumeToken: string): Promise<Shown> {
      return save(await client.payments.resume(id, { resumeToken }))
    },

    /** Captures a payment. After the service has rejected a capture, the next call makes a new capture. */
    async capture(id: string): Promise<Shown> {
      const select = "SELECT id, status FROM payments WHERE id = ? AND status IN ('SETTLING', 'SETTLED')"
      const captured = database.prepare(select).get(id) as Pick<Shown, 'id' | 'status'> | undefined
      if (captured) return captured // even if the journal has removed its record
      const rejected = await client.operations.list({ paymentId: id, state: 'rejected' })
      const number = 1 + rejected.filter(({ operation }) => operation === 'payments.capture').length
      const idempotencyKey = `capture-${id}-${number}`
      return save(await client.payments.capture(id, {}, { idempotencyKey }))
    },

    /** Handles webhooks. */
    receive: createHandler({
      secret: () => webhookSecret ?? process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
      on: {
        'PAYMENT.STATUS': ({ payment }) => {
          save(payment)
          console.log(`${payment.orderId} is ${payment.status}`)
        },
      },
      onError: (error) => console.error(error),
    }),

    /** Finishes the operations that a crash or an outage interrupted, and removes old records. */
    async settle() {
      const report = await client.operations.settle({ onSettled })
      await journal.prune()
      return report
    },
  }
}

let shop: Shop | undefined

/** Opens the shop on first use, so that a build can import this file without an API key. */
export function openShop(options?: ShopOptions): Shop {
  if (shop) return shop
  const opened = createShop(new DatabaseSync(process.env['DATABASE'] ?? 'shop.db'), options)
  setInterval(() => opened.settle().catch(console.error), 30_000).unref()
  shop = opened
  return opened
}
