/**
 * Measures the CPU time that a journal adds to a call, without a network. The goal for the journal in memory is 40 µs.
 * Each journal in a database is compared with an insert and an update without a journal.
 *
 *     npm run build && node test/bench/journal.mjs
 */
import { installServers, startPostgres } from '../stores/servers.ts'
import { installOurs } from './installed.mjs'
import { contest } from './measure/contest.mjs'
import { wasDisturbed } from './measure/rounds.mjs'
import { measured } from './measure/servers.mjs'

const lanes = 16
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

installOurs()
await installServers()
await compare('local', ['memory', 'sqlite', 'sqlite by hand'])
const { server, cpuMs } = await measured(startPostgres)
try {
  const service = { address: { url: server.url, lanes }, cpuMs }
  await compare('postgres', ['pg', 'pg by hand', 'postgres', 'postgres by hand'], service)
} finally {
  await server.stop()
}

async function compare(opener, names, service) {
  const module = new URL('contenders/journal.mjs', import.meta.url)
  const contenders = ['none', ...names].map((name) => ({ name, group: opener, module, opener, operation: name }))
  const costs = await contest(contenders, { lanes, rounds: 40, blockMs: 50, service })
  const without = costs.none.cpuUs
  console.log(`${opener}: a call without a journal takes ${median(without).toFixed(1)} µs of CPU time`)
  for (const name of names) {
    // Compares blocks of calls from the same round, because other work on the machine affects both blocks.
    const added = median(costs[name].cpuUs.map((cpuUs, round) => cpuUs - without[round]))
    const ratio = median(costs[name].cpuUs.map((cpuUs, round) => cpuUs / without[round]))
    console.log(`- ${name}: ${added.toFixed(1)} µs more, ${ratio.toFixed(2)} times the CPU time`)
  }
  if (wasDisturbed()) console.log('Other processes disturbed the rounds, so only the ratios are meaningful.')
}
