/** Receives webhooks with a PostgreSQL store, and inserts a row for each handled event. */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { createWebhookStore } from 'payments-client/postgres'
import { createHandler, toNodeListener } from 'payments-client/webhooks'
import { key } from '../fixtures/deliveries.mjs'
import { memoryOverTime } from './memory.mjs'

const { url } = JSON.parse(process.argv[2])
const { Pool } = createRequire(new URL('../../stores/', import.meta.url))('pg')
const pool = new Pool({ connectionString: url })
await pool.query('CREATE TABLE effects (order_id text NOT NULL)')
const store = createWebhookStore(pool)
await store.migrate()
const handler = createHandler({
  secret: key.toString(),
  deduplicate: store,
  on: {
    'PAYMENT.STATUS': ({ payment }, { transaction }) =>
      transaction.query('INSERT INTO effects VALUES ($1)', [payment.orderId]),
  },
})
const { rssMb, measure } = memoryOverTime()

process.on('message', async () => {
  const { rows } = await pool.query('SELECT count(*) AS rows, count(DISTINCT order_id) AS distinct FROM effects')
  measure()
  process.send({ rows: Number(rows[0].rows), distinct: Number(rows[0].distinct), rssMb })
})
process.on('disconnect', () => process.exit())
const server = createServer(toNodeListener(handler))
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
