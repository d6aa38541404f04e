// pg-boss: one transaction inserts the job and marks the delivery as handled, so that both happen or neither.
import { createServer } from 'node:http'
import { createWebhookStore } from 'payments-client/postgres'
import { createHandler, toNodeListener } from 'payments-client/webhooks'
import { Pool } from 'pg'
import { PgBoss } from 'pg-boss'

const connectionString = process.env['DATABASE_URL'] ?? 'postgres://localhost:5432/shop'
// By default, `pg` waits for a connection or a lock without a limit.
const pool = new Pool({ connectionString, connectionTimeoutMillis: 5_000, lock_timeout: 10_000 })
// Without these listeners, a lost connection ends the process.
pool.on('error', console.error)
pool.on('connect', (connection) => connection.on('error', console.error))
const store = createWebhookStore(pool)
await store.migrate()

const boss = new PgBoss(connectionString)
boss.on('error', (error) => console.error(String(error)))
await boss.start()
await boss.createQueue('payment-status')
// Jobs may run in any order. To act on a payment, fetch it in the job.
await boss.work<{ id: string; status?: string }>('payment-status', async (jobs) => {
  for (const { data } of jobs) console.log(`${data.id} is ${data.status}`)
})

const receive = createHandler({
  secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
  deduplicate: store,
  on: {
    'PAYMENT.STATUS': async ({ payment }, { transaction }) => {
      const db = { executeSql: (sql: string, values?: unknown[]) => transaction.query(sql, values) }
      await boss.send('payment-status', { id: payment.id, status: payment.status }, { db })
    },
  },
  onError: (error) => console.error(String(error)),
})

const server = createServer(toNodeListener(receive))
server.listen(Number(process.env['PORT'] ?? 3000), () => console.log('listening on', server.address()))
