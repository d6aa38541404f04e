/**
 * Measures the CPU time that a journal adds to a call, without a network. The goal is 40 µs for the journal in memory:
 * other journals add the cost of their database.
 *
 *     npm run build && node test/bench/journal.mjs
 */
import { installOurs } from './installed.mjs'
import { contest } from './measure/contest.mjs'
import { wasDisturbed } from './measure/rounds.mjs'

installOurs()
const module = new URL('contenders/journal.mjs', import.meta.url)
const contenders = ['none', 'memory', 'sqlite'].map((name) => ({ name, group: 'journal', module, operation: name }))
const costs = await contest(contenders, { lanes: 16, rounds: 60, blockMs: 50 })
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const without = costs.none.cpuUs
console.log(`a call without a journal: ${median(without).toFixed(1)} µs of CPU time`)
for (const name of ['memory', 'sqlite']) {
  // Compares the blocks of the same round, because other work on the machine affects both.
  const added = median(costs[name].cpuUs.map((cpuUs, round) => cpuUs - without[round]))
  const ratio = median(costs[name].cpuUs.map((cpuUs, round) => cpuUs / without[round]))
  console.log(`with the journal in ${name}: ${added.toFixed(1)} µs more, ${ratio.toFixed(2)} times the CPU time`)
}
if (wasDisturbed()) console.log('Other processes disturbed the rounds, so only the ratios are meaningful.')
