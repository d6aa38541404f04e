/** Measures the webhook handler with shared stores, compared with a receiver written by hand. */
import { installServers, startPostgres, startRedis } from '../stores/servers.ts'
import { contest, cpuOf, smallestEffort, wallOf } from './measure/contest.mjs'
import { measured } from './measure/servers.mjs'

const servers = { postgres: startPostgres, redis: startRedis }
/** The number of concurrent deliveries and of connections in the pool. */
const lanes = 10

export async function stores({ quick }) {
  await installServers()
  const effort = quick ? smallestEffort : { rounds: 30, blockMs: 300 }
  const figures = {}
  for (const [engine, start] of Object.entries(servers)) figures[engine] = await measure(engine, start, effort)
  return figures
}

async function measure(engine, start, effort) {
  const { server, cpuMs } = await measured(start)
  try {
    const service = { address: { url: server.url, lanes }, cpuMs }
    const module = new URL('contenders/deliveries.mjs', import.meta.url)
    const contenders = ['payments-client', 'by hand'].map((name) => ({
      name,
      module,
      opener: engine,
      operation: name,
      group: engine,
    }))
    const costs = await contest(contenders, { service, lanes, ...effort })
    return Object.fromEntries(
      contenders.map(({ name }) => [name, { wallUs: wallOf(costs, name), cpuUs: cpuOf(costs, name) }]),
    )
  } finally {
    await server.stop()
  }
}
