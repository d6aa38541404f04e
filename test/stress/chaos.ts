// Sends webhooks to several receiver processes that share a store, and kills the processes and later the database
// server. Checks that no event is lost and, if the store can prevent it, that no event is handled twice.
//
//     npm run test:chaos
//     npm run test:chaos -- --quick
//     npm run test:chaos -- --store redis --events 4000 --deliveries 10000
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type DatabaseServer, installServers, startPostgres, startRedis } from '../stores/servers.js'
import { type Database, type Engine, openDatabase } from './chaos/effects.js'
import { monitorRedis } from './chaos/monitor.js'
import { compileReceiver, Receivers } from './chaos/receivers.js'
import { createDeliveries, Sender } from './chaos/sender.js'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    store: { type: 'string' },
    events: { type: 'string' },
    deliveries: { type: 'string' },
  },
})
const events = Number(values.events ?? (values.quick ? 200 : 4_000))
const deliveries = Number(values.deliveries ?? (values.quick ? 500 : 10_000))
const processes = values.quick ? 2 : 8
/** The time between kills. Processes live for 2.4 seconds on average. */
const killEveryMs = 2_400 / processes
const limitMs = 60_000 + deliveries * 200

const servers: Record<Engine, () => Promise<DatabaseServer>> = { postgres: startPostgres, redis: startRedis }
let passed = 0
let failed = 0

await installServers()
const program = await compileReceiver()
for (const engine of Object.keys(servers) as Engine[]) {
  if (values.store !== undefined && values.store !== engine) continue
  await withDatabase(engine, killProcesses)
  await withDatabase(engine, killServer)
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

interface Scene {
  readonly engine: Engine
  readonly server: DatabaseServer
  readonly database: Database
}

async function withDatabase(engine: Engine, run: (scene: Scene) => Promise<void>): Promise<void> {
  const server = await servers[engine]()
  try {
    const database = await openDatabase[engine](server.url)
    await database.prepare()
    await run({ engine, server, database })
    await database.close()
  } finally {
    await server.stop()
  }
}

async function killProcesses({ engine, server, database }: Scene): Promise<void> {
  const created = createDeliveries(events, deliveries)
  const monitor = engine === 'redis' ? await monitorRedis(server.url, created) : undefined
  const receivers = new Receivers(program, engine, server.url, processes)
  const sender = new Sender(created, receivers)
  // Spares the last 1 % of deliveries, whose slow functions would need many attempts.
  const killing = setInterval(() => sender.open > deliveries / 100 && receivers.killOne(), killEveryMs)
  const startedAt = performance.now()
  await sender.run(processes * 6, limitMs)
  clearInterval(killing)
  receivers.stop()

  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`\n${engine}: ${deliveries} deliveries of ${events} events to ${processes} processes, ${seconds} s`)
  report(sender, receivers)
  console.log(`      processes killed: ${receivers.killedAt.size} of ${receivers.started}`)
  const effects = await checkNothingLost(database, sender)
  const twice = [...effects.values()].filter((by) => by.length > 1).length
  if (monitor === undefined) return check('each event has exactly one effect', twice === 0, `${twice} have more`)
  const { total, unexplained } = await monitor.repeated(receivers.killedAt)
  check(
    'an effect is repeated only if its process was killed between the effect and complete()',
    unexplained === 0,
    `${total} effects of ${twice} events were repeated, ${unexplained} of them without such a kill`,
  )
  const completed = monitor.completedOnce()
  check('each event is completed once, after its effects', completed === sender.events.size, `${completed} events`)
}

async function killServer({ engine, server, database }: Scene): Promise<void> {
  const [fewEvents, fewDeliveries] = [Math.ceil(events / 4), Math.ceil(deliveries / 4)]
  const receivers = new Receivers(program, engine, server.url, 2)
  const sender = new Sender(createDeliveries(fewEvents, fewDeliveries), receivers)
  const sending = sender.run(12, limitMs)
  while (sender.open > fewDeliveries * 0.7) await sleep(10)
  const before = sender.statuses[500] ?? 0
  await server.kill()
  await sleep(1_500)
  const during = (sender.statuses[500] ?? 0) - before
  await server.restart()
  await sending
  receivers.stop()

  console.log(
    `\n${engine}: the server is killed and restarted during ${fewDeliveries} deliveries of ${fewEvents} events`,
  )
  report(sender, receivers)
  check('deliveries get 500 while the server is down', during > 0, `${during} responses`)
  check('the receivers recover without a restart', receivers.started === 2, `${receivers.started} processes started`)
  const effects = await checkNothingLost(database, sender)
  const twice = [...effects.values()].filter((by) => by.length > 1).length
  if (engine === 'postgres') check('each event has exactly one effect', twice === 0, `${twice} have more`)
  else console.log(`      ${twice} events have more than one effect`)
}

async function checkNothingLost(database: Database, sender: Sender): Promise<Map<string, string[]>> {
  const effects = await database.effects()
  check('every delivery finally gets 200', sender.open === 0, `${sender.open} did not`)
  const missing = [...sender.events].filter((event) => !effects.has(event)).length
  check('no event is lost', missing === 0, `${effects.size} of ${sender.events.size} events have an effect`)
  return effects
}

function check(title: string, isMet: boolean, measured: string): void {
  console.log(`${isMet ? 'pass' : 'FAIL'}  ${title}\n      ${measured}`)
  if (isMet) passed++
  else failed++
}

function report({ statuses }: Sender, { errors }: Receivers): void {
  console.log(`      responses: ${JSON.stringify(statuses)}`)
  for (const [error, count] of errors) console.log(`      ${count} × ${error.slice(0, 120)}`)
}
