/** Measures the webhook handler with shared stores, relative to bare queries on the same database. */
import { readdirSync, readFileSync } from 'node:fs'
import { installServers, startPostgres, startRedis } from '../stores/servers.ts'
import { contest, cpuOf, smallestEffort, wallOf } from './measure/contest.mjs'

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
  const before = new Set(processes().map(({ pid }) => pid))
  const server = await start()
  try {
    const ours = new Set(
      processes()
        .filter(({ pid }) => !before.has(pid))
        .map(({ pid }) => pid),
    )
    const isServer = ({ pid, parent }) => ours.has(pid) || ours.has(parent)
    const service = {
      address: { url: server.url, lanes },
      cpuMs: () => processes().reduce((sum, it) => (isServer(it) ? sum + it.cpuMs : sum), 0),
    }
    const module = new URL('contenders/deliveries.mjs', import.meta.url)
    const contenders = ['payments-client', 'by hand', 'bare'].map((name) => ({
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

/** Returns the processes of the database servers on this machine. */
function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        if (!/^\d+ \((postgres|redis-server)\)/.test(stat)) return []
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return [{ pid: Number(pid), parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * 10 }]
      } catch {
        // The process has exited.
        return []
      }
    })
}
