/** Runs a client, and a webhook receiver with PostgreSQL, under load for ten minutes each. Measures their memory. */
import { installServers, startPostgres } from '../stores/servers.ts'
import { ask, startProcess } from './measure/contest.mjs'
import { startService } from './measure/service.mjs'
import { median } from './measure/statistics.mjs'

export async function load({ quick }) {
  const seconds = quick ? 2 : 600
  const service = await startService()
  await installServers()
  const database = await startPostgres()
  try {
    const address = { url: database.url, lanes: 10 }
    return {
      client: await growth('payments-client', 'open', service.address, { operation: 'create', lanes: 1000 }, seconds),
      receiver: await growth('deliveries', 'postgres', address, { operation: 'payments-client', lanes: 200 }, seconds),
    }
  } finally {
    service.stop()
    await database.stop()
  }
}

/** Returns the process's memory in the last quarter of the time, divided by its memory in the second quarter. */
async function growth(name, opener, service, block, seconds) {
  const module = new URL(`contenders/${name}.mjs`, import.meta.url)
  const child = await startProcess({ module, opener, service })
  const memory = []
  for (const endsAt = Date.now() + seconds * 1000; Date.now() < endsAt || memory.length < 4; ) {
    memory.push((await ask(child, { ...block, count: 5 * block.lanes })).rss)
  }
  child.kill()
  const quarter = (number) => median(memory.slice((number * memory.length) / 4, ((number + 1) * memory.length) / 4))
  return quarter(3) / quarter(1)
}
