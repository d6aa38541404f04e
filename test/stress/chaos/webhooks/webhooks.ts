import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseServer, startPostgres, startRedis } from '../../../stores/servers.js'
import { type Checks, printErrors } from '../../checks.js'
import { compile, Processes } from '../processes.js'
import { type Database, type Engine, openDatabase } from './effects.js'
import { monitorRedis } from './monitor.js'
import { createDeliveries, Sender } from './sender.js'

export interface WebhooksOptions {
  readonly processes: number
  readonly events: number
  readonly deliveries: number
  /** @default every store */
  readonly store?: string | undefined
}

const servers: Record<Engine, () => Promise<DatabaseServer>> = { postgres: startPostgres, redis: startRedis }

/**
 * Sends webhooks to several receiver processes that share a store, and kills the processes and later the database
 * server. Checks that no event is lost and, if the store can prevent it, that no event is handled twice.
 */
export async function testWebhooks(options: WebhooksOptions, checks: Checks): Promise<void> {
  const program = await compile('receiver')
  for (const engine of Object.keys(servers) as Engine[]) {
    if (options.store !== undefined && options.store !== engine) continue
    for (const run of [killProcesses, killServer]) {
      const server = await servers[engine]()
      try {
        const database = await openDatabase[engine](server.url)
        await database.prepare()
        await run({ ...options, engine, server, database, program, checks })
        await database.close()
      } finally {
        await server.stop()
      }
    }
  }
}

interface Scene extends WebhooksOptions {
  readonly engine: Engine
  readonly server: DatabaseServer
  readonly database: Database
  readonly program: string
  readonly checks: Checks
}

const limitMs = (deliveries: number) => 60_000 + deliveries * 200

async function killProcesses({ engine, server, database, program, checks, ...options }: Scene): Promise<void> {
  const { events, deliveries, processes } = options
  const created = createDeliveries(events, deliveries)
  const monitor = engine === 'redis' ? await monitorRedis(server.url, created) : undefined
  const receivers = new Processes(program, [engine, server.url], processes)
  const sender = new Sender(created, receivers)
  // Stops killing processes for the last 1 % of deliveries. Slow webhook functions would need many attempts, because
  // processes live for only 2.4 seconds on average.
  const killing = setInterval(() => sender.open > deliveries / 100 && receivers.killOne(), 2_400 / processes)
  const startedAt = performance.now()
  await sender.run(processes * 6, limitMs(deliveries))
  clearInterval(killing)
  await receivers.stop()

  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`\n${engine}: ${deliveries} deliveries of ${events} events to ${processes} processes, ${seconds} s`)
  report(sender, receivers)
  console.log(`      processes killed: ${receivers.killedAt.size} of ${receivers.started}`)
  const effects = await checkNothingLost(database, sender, checks)
  const twice = [...effects.values()].filter((by) => by.length > 1).length
  if (monitor === undefined) return checks.check('each event has exactly one effect', twice === 0, `${twice} have more`)
  const { total, unexplained } = await monitor.repeated(receivers.killedAt)
  checks.check(
    'an effect is repeated only if its process was killed between the effect and complete()',
    unexplained === 0,
    `${total} effects of ${twice} events were repeated, ${unexplained} of them without such a kill`,
  )
  const completed = monitor.completedOnce()
  checks.check(
    'each event is completed once, after its effects',
    completed === sender.events.size,
    `${completed} events`,
  )
}

async function killServer({ engine, server, database, program, checks, ...options }: Scene): Promise<void> {
  const [events, deliveries] = [Math.ceil(options.events / 4), Math.ceil(options.deliveries / 4)]
  const receivers = new Processes(program, [engine, server.url], 2)
  const sender = new Sender(createDeliveries(events, deliveries), receivers)
  const sending = sender.run(12, limitMs(options.deliveries))
  while (sender.open > deliveries * 0.7) await sleep(10)
  const before = sender.statuses[500] ?? 0
  await server.kill()
  await sleep(1_500)
  const during = (sender.statuses[500] ?? 0) - before
  await server.restart()
  await sending
  await receivers.stop()

  console.log(`\n${engine}: the server is killed and restarted during ${deliveries} deliveries of ${events} events`)
  report(sender, receivers)
  const { started } = receivers
  checks.check('deliveries get 500 while the server is down', during > 0, `${during} responses`)
  checks.check('the receivers recover without a restart', started === 2, `${started} processes started`)
  const effects = await checkNothingLost(database, sender, checks)
  const twice = [...effects.values()].filter((by) => by.length > 1).length
  if (engine === 'postgres') checks.check('each event has exactly one effect', twice === 0, `${twice} have more`)
  else console.log(`      ${twice} events have more than one effect`)
}

async function checkNothingLost(database: Database, sender: Sender, checks: Checks): Promise<Map<string, string[]>> {
  const effects = await database.effects()
  checks.check('every delivery finally gets 200', sender.open === 0, `${sender.open} did not`)
  const missing = [...sender.events].filter((event) => !effects.has(event)).length
  checks.check('no event is lost', missing === 0, `${effects.size} of ${sender.events.size} events have an effect`)
  return effects
}

function report({ statuses }: Sender, { errors }: Processes): void {
  console.log(`      responses: ${JSON.stringify(statuses)}`)
  printErrors(errors)
}
