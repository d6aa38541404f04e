// Kills worker processes and later the database server, and checks that no event or operation is lost or takes effect
// twice:
// - `webhooks`: processes that receive webhooks and share a store.
// - `operations`: processes that plan, run and settle operations with a journal, while the service fails at random.
// - `orders`: processes that use only `payments-client/orders`, while the service fails and webhooks are lost.
//
//     npx tsx test/stress/chaos.ts --quick
//     npx tsx test/stress/chaos.ts webhooks --store redis --events 4000 --deliveries 10000
//     npx tsx test/stress/chaos.ts operations --orders 5000 --run conflict
//     npx tsx test/stress/chaos.ts orders --orders 1000 --run 'prisma, conflict'
import { parseArgs } from 'node:util'
import { installServers } from '../stores/servers.js'
import type { LibraryName } from './chaos/library.js'
import { type OperationsOptions, runOperations } from './chaos/operations/operations.js'
import { ordersPerKill, runOrders } from './chaos/orders/orders.js'
import { testWebhooks } from './chaos/webhooks/webhooks.js'
import { Checks, printErrors } from './checks.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    store: { type: 'string' },
    events: { type: 'string' },
    deliveries: { type: 'string' },
    orders: { type: 'string' },
    run: { type: 'string' },
  },
})
const { quick } = values
const numberOfOrders = Number(values.orders ?? (quick ? 100 : 5_000))
const suites = { webhooks, operations, orders }
const unknown = positionals.find((name) => !(name in suites))
if (unknown !== undefined) throw new Error(`No suite ${unknown}: ${Object.keys(suites).join(', ')}`)

await installServers()
const checks = new Checks()
for (const [name, run] of Object.entries(suites)) {
  if (positionals.length === 0 || positionals.includes(name)) await run()
}
checks.end()
process.exit()

async function webhooks(): Promise<void> {
  const events = Number(values.events ?? (quick ? 200 : 4_000))
  const deliveries = Number(values.deliveries ?? (quick ? 500 : 10_000))
  await testWebhooks({ processes: quick ? 2 : 8, events, deliveries, store: values.store }, checks)
}

async function operations(): Promise<void> {
  const orders = numberOfOrders
  const onProgress = ({ carts, open }: { carts: number; open: number }) => {
    if (process.stdout.isTTY) process.stdout.write(`\r${carts} orders left, ${open} operations open \x1b[K`)
  }
  const size = { onProgress, orders, processes: quick ? 2 : 8, lastMs: quick ? 2_000 : 30_000 }
  const runs: Record<string, OperationsOptions> = {
    replay: { ...size, idempotency: 'replay', databaseKills: 2 },
    conflict: { ...size, idempotency: 'conflict', databaseKills: 2 },
    prisma: { ...size, orders: Math.ceil(orders / 5), library: 'prisma', idempotency: 'conflict', databaseKills: 1 },
    pause: { ...size, orders: Math.ceil(orders / 5), idempotency: 'replay', databaseKills: 0, hasPause: true },
  }
  for (const [name, options] of Object.entries(runs)) {
    if (values.run === undefined || values.run === name) await testOperations(options)
  }
}

async function testOperations(options: OperationsOptions): Promise<void> {
  const { orders, processes, idempotency, library = 'pg', hasPause = false } = options
  const result = await runOperations(options)
  const { seconds, requests, faults, killed, open, errors, states, reasons, effects } = result
  const pause = hasPause ? ', no process for two hours, and keys that the service forgets after one hour' : ''
  console.log(
    `\noperations: ${orders} orders in ${processes} processes with ${library}, mode ${idempotency}${pause}, ${seconds} s`,
  )
  console.log(`      processes killed: ${killed}, requests: ${requests}, faults: ${faults}`)
  console.log(`      effects: ${JSON.stringify(effects)}`)
  console.log(`      open when the processes were stopped: ${open}`)
  console.log(`      records: ${JSON.stringify(states)} ${JSON.stringify(reasons)}`)
  printErrors(errors)
  empty('no operation takes effect twice', result.twice)
  empty('no planned operation is lost', result.lost)
  empty('no payment is created after resendFor', result.late)
  empty('every record is final and equals the ledger', result.differences)
  empty('no process reports another error', [...errors.keys()])
  const reviews = states['needs_review'] ?? 0
  if (!hasPause) checks.check('no operation needs a review', reviews === 0, `${reviews}`)
}

async function orders(): Promise<void> {
  const size = { orders: numberOfOrders, processes: quick ? 3 : 4, lastMs: quick ? 20_000 : 60_000 }
  const idempotency: Readonly<Record<LibraryName, 'replay' | 'conflict'>> = { pg: 'replay', prisma: 'conflict' }
  for (const library of ['pg', 'prisma'] as const) {
    for (const mode of quick ? [idempotency[library]] : (['replay', 'conflict'] as const)) {
      if (values.run === undefined || values.run === `${library}, ${mode}`) await testOrders(library, mode, size)
    }
  }
}

async function testOrders(
  library: LibraryName,
  idempotency: 'replay' | 'conflict',
  size: { orders: number; processes: number; lastMs: number },
): Promise<void> {
  const onProgress = (open: number, killed: number) => {
    if (process.stdout.isTTY) process.stdout.write(`\r${killed} processes killed, ${open} orders left \x1b[K`)
  }
  const result = await runOrders({ ...size, library, idempotency, databaseKills: quick ? 1 : 2, onProgress })
  const { seconds, requests, faults, killed, open, errors, states, decisions, effects, lostEvents, outside } = result
  const done = result.doneBetweenKills
  console.log(
    `\norders: ${size.orders} in ${size.processes} processes with ${library}, mode ${idempotency}, ${seconds} s`,
  )
  console.log(`      processes killed: ${killed}, requests: ${requests}, faults: ${faults}`)
  console.log(`      effects: ${JSON.stringify(effects)}`)
  console.log(`      done before the first kill: ${done[0]}, at most between two kills: ${Math.max(...done)}`)
  console.log(`      open when the processes were stopped: ${open}`)
  console.log(`      orders: ${JSON.stringify(states)}, decisions: ${JSON.stringify(decisions)}`)
  printErrors(errors)
  const doneWhileKilling = size.orders - open
  checks.check(
    'at least 90 % of the orders are done while processes are killed',
    doneWhileKilling >= size.orders * 0.9,
    `${doneWhileKilling} of ${size.orders}`,
  )
  const fewestKills = Math.floor(size.orders / ordersPerKill / 4)
  checks.check('processes are killed again and again', killed >= fewestKills, `${killed}, at least ${fewestKills}`)
  empty('no intention takes effect twice', result.twice)
  empty('no order and no return is lost', result.lost)
  empty('no payment is created after resendFor', result.late)
  empty('no order ships without the money', result.shippedEarly)
  empty('each change is stored in one transaction with onChange', result.unmatched)
  empty('the tables equal the ledger', result.differences)
  empty('no process reports another error', [...errors.keys()])
  for (const [what, { payments, reported }] of Object.entries({ 'lost events': lostEvents, outside })) {
    checks.check(`sync repairs and counts all payments: ${what}`, payments === reported, `${reported} of ${payments}`)
  }
}

function empty(title: string, found: readonly string[]): void {
  checks.check(title, found.length === 0, [found.length, ...found.slice(0, 5)].join(' '))
}
