// Stores the newest status of each payment in PostgreSQL, exactly once for each delivery.
import express from 'express'
import { isFinal } from 'payments-client'
import { createWebhookStore } from 'payments-client/postgres'
import { createHandler, toNodeListener } from 'payments-client/webhooks'
import { Pool } from 'pg'

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000,
  lock_timeout: 10_000, // by default, a query that waits for itself waits forever
})
// Without these listeners, a lost connection ends the process.
pool.on('error', console.error)
pool.on('connect', (connection) => connection.on('error', console.error))
const store = createWebhookStore(pool)
await store.migrate()
await pool.query('CREATE TABLE IF NOT EXISTS orders (payment_id text PRIMARY KEY, status text, changes int)')

const receive = createHandler({
  secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  deduplicate: store,
  on: {
    'PAYMENT.STATUS': async ({ payment: { id, status } }, { stale, transaction }) => {
      if (stale && !isFinal(status)) return
      const upsert = `INSERT INTO orders VALUES ($1, $2, 1)
        ON CONFLICT (payment_id) DO UPDATE SET status = excluded.status, changes = orders.changes + 1
        WHERE $3 OR coalesce(orders.status NOT IN ('SETTLED', 'DECLINED', 'FAILED', 'CANCELLED'), true)`
      await transaction.query(upsert, [id, status ?? null, isFinal(status)])
    },
  },
  onError: (error) => console.error(error),
})

const app = express()
app.post('/webhooks', toNodeListener(receive))
app.listen(process.env['PORT'] ?? 3000)
