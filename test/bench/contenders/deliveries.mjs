import { createHmac, timingSafeEqual } from 'node:crypto'
import { createRequire } from 'node:module'
import { createWebhookStore as createPostgresStore } from 'payments-client/postgres'
import { createWebhookStore as createRedisStore } from 'payments-client/redis'
import { createHandler } from 'payments-client/webhooks'
import { bodies, key } from '../fixtures/deliveries.mjs'

const driver = createRequire(new URL('../../stores/', import.meta.url))
const payments = 1000

/** By hand, a transaction inserts the delivery and updates the order. */
export async function postgres({ url, lanes }) {
  const pool = new (driver('pg').Pool)({ connectionString: url, max: lanes })
  await pool.query('CREATE TABLE orders (id int PRIMARY KEY, status text)')
  await pool.query('INSERT INTO orders SELECT id, NULL FROM generate_series(0, $1) AS id', [payments])
  await pool.query('CREATE TABLE deliveries (key text PRIMARY KEY)')
  const store = createPostgresStore(pool)
  await store.migrate()
  const update = (on, index) => on.query('UPDATE orders SET status = $1 WHERE id = $2', ['SETTLED', index % payments])
  const onStatus = ({ payment }, { transaction }) => update(transaction, Number(payment.orderId))

  const bare = async (index) => {
    const client = await pool.connect()
    await client.query('BEGIN')
    const key = [`delivery-${index}`]
    const { rowCount } = await client.query('INSERT INTO deliveries VALUES ($1) ON CONFLICT DO NOTHING', key)
    if (rowCount === 1) await update(client, index)
    await client.query('COMMIT')
    client.release()
    return true
  }
  return deliveries(store, onStatus, bare)
}

/** By hand, two Redis commands claim and complete the delivery. */
export async function redis({ url }) {
  const client = await driver('redis').createClient({ url }).connect()
  const expiration = { type: 'PX', value: 60_000 }
  const bare = async (index) => {
    await client.set(`delivery-${index}`, 'claimed', { condition: 'NX', expiration })
    return client.set(`delivery-${index}`, 'done', { expiration })
  }
  return deliveries(createRedisStore(client), () => {}, bare)
}

/**
 * Returns our handler, and a hand-written receiver that verifies the signature, parses the body and calls `bare`.
 *
 * `prepare` creates deliveries before the measurement.
 */
function deliveries(store, onStatus, bare) {
  const handler = createHandler({ secret: key.toString(), deduplicate: store, on: { 'PAYMENT.STATUS': onStatus } })
  const sample = JSON.parse(bodies[0])
  let created = 0
  let prepared = []
  return {
    prepare(_, count) {
      prepared = Array.from({ length: count }, () => create(created++))
    },
    async 'payments-client'() {
      const response = await handler(new Request('http://localhost/webhooks', prepared.pop()))
      if (response.status !== 200) throw new Error(`The handler responded with ${response.status}`)
      return response
    },
    async 'by hand'(index) {
      const request = new Request('http://localhost/webhooks', prepared.pop())
      const body = Buffer.from(await request.arrayBuffer())
      const expected = createHmac('sha256', key).update(body).digest()
      const received = Buffer.from(request.headers.get('x-signature-primary'), 'base64')
      if (!timingSafeEqual(expected, received)) throw new Error('The signature does not match')
      JSON.parse(body.toString())
      await bare(index)
      return new Response()
    },
  }

  function create(index) {
    const payment = { ...sample.payment, id: `pay_${index % payments}`, orderId: String(index) }
    const body = JSON.stringify({ ...sample, payment })
    const signature = createHmac('sha256', key).update(body).digest('base64')
    return { method: 'POST', body, headers: { 'content-type': 'application/json', 'x-signature-primary': signature } }
  }
}
