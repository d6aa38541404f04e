/** Measures what `orders` adds to a call and to a webhook with PostgreSQL, and how `recover` grows with open operations. */
import { createRequire } from 'node:module'
import { performance } from 'node:perf_hooks'
import { installServers, startPostgres } from '../stores/servers.ts'
import { median } from './measure/statistics.mjs'

const driver = createRequire(new URL('../stores/', import.meta.url))

export async function orders({ quick }) {
  await installServers()
  const server = await startPostgres()
  try {
    return {
      ...(await calls(server.url, quick ? 5 : 1000)),
      recovery: await recovery(quick ? [5, 10] : [1000, 10_000]),
    }
  } finally {
    await server.stop()
  }
}

/** Returns the statements, transactions and milliseconds of a payment, and of its webhook. The sandbox runs in this process. */
async function calls(connectionString, count) {
  const { PaymentsClient, createOrders, createSandbox } = await ours()
  const { Client, Pool } = driver('pg')
  const pool = new Pool({ connectionString })
  const sandbox = createSandbox()
  const client = new PaymentsClient(sandbox.clientOptions())
  const orders = createOrders({ client, database: pool, onChange() {} })
  await orders.migrate()
  const receive = orders.webhooks({ secret: sandbox.webhooks.secret })
  const requests = []
  sandbox.webhooks.subscribe((request) => {
    requests.push(request)
    return new Response()
  })
  const request = { paymentMethodToken: sandbox.tokens.card, amount: 5000, currencyCode: 'EUR' }
  const costs = { bare: [], pay: [], webhook: [] }
  for (let number = 0; number < count; number++) {
    costs.bare.push(await cost(Client, () => client.payments.create({ ...request, orderId: `bare-${number}` })))
    await sandbox.webhooks.flush()
    requests.length = 0
    costs.pay.push(await cost(Client, () => orders.pay(`order-${number}`, request)))
    await sandbox.webhooks.flush()
    costs.webhook.push(await cost(Client, () => receive(requests[0])))
  }
  await pool.end()
  const medians = (rows) =>
    Object.fromEntries(Object.keys(rows[0]).map((key) => [key, median(rows.map((row) => row[key]))]))
  const [bare, pay, webhook] = Object.values(costs).map((rows) => medians(rows.slice(rows.length / 10)))
  return { pay: { ...pay, ms: pay.ms - bare.ms }, webhook }
}

/** Runs `work`, and returns its milliseconds, and how many statements and transactions it sent to PostgreSQL. */
async function cost(Client, work) {
  const { query } = Client.prototype
  const result = { statements: 0, transactions: 0, ms: 0 }
  Client.prototype.query = function (config, ...rest) {
    result.statements++
    if (config === 'BEGIN') result.transactions++
    return query.call(this, config, ...rest)
  }
  const startedAt = performance.now()
  await work()
  result.ms = performance.now() - startedAt
  Client.prototype.query = query
  return result
}

/** Returns the time per operation of `recover` with many open operations, divided by the time with few. */
async function recovery(counts) {
  await perOperation(counts[0]) // so that V8 has compiled the code
  const few = await perOperation(counts[0])
  return (await perOperation(counts[1])) / few
}

async function perOperation(count) {
  const { PaymentsClient, createJournal, createSandbox } = await ours()
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(':memory:')
  const journal = createJournal(database)
  await journal.migrate()
  const sandbox = createSandbox()
  const request = (number) => ({
    paymentMethodToken: sandbox.tokens.card,
    orderId: `order-${number}`,
    amount: 5000,
    currencyCode: 'EUR',
    paymentMethod: { paymentType: 'UNSCHEDULED' },
  })
  const payment = await new PaymentsClient(sandbox.clientOptions()).payments.create(request(0))
  const client = new PaymentsClient({ ...sandbox.clientOptions({ journal }), fetch: service(payment) })
  database.exec('BEGIN')
  for (let number = 0; number < count; number++) {
    client.operations.planSync(database, { key: `pay-${number}`, operation: 'payments.create', body: request(number) })
  }
  database.exec('COMMIT')
  const startedAt = performance.now()
  const { finished } = await client.operations.recover({ limit: count })
  if (finished !== count) throw new Error(`recover finished ${finished} of ${count} operations`)
  return (performance.now() - startedAt) / count
}

/** Creates every payment and lists none, always in the same time. The sandbox would search all of its payments for each list. */
function service(payment) {
  let created = 0
  return async (input, init) => {
    const request = new Request(input, init)
    if (request.method === 'GET') return Response.json({ data: [] })
    const { orderId } = await request.json()
    return Response.json({ ...payment, id: `payment-${created++}`, orderId })
  }
}

/** Imports the built package, which the suites install first. */
async function ours() {
  const modules = ['payments-client', 'payments-client/orders', 'payments-client/sandbox', 'payments-client/sqlite']
  return Object.assign({}, ...(await Promise.all(modules.map((name) => import(name)))))
}
