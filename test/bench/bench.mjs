/**
 * Compares the built package with stripe, `node:http` and `fetch`.
 *
 *     npm run bench [-- suite …] [--quick]
 *
 * A run of all suites writes its results to docs/project/benchmarks.md.
 */
import { parseArgs } from 'node:util'
import { calls } from './calls.bench.mjs'
import { installOurs, installStripe } from './installed.mjs'
import { lists } from './lists.bench.mjs'
import { load } from './load.bench.mjs'
import { wasDisturbed } from './measure/rounds.mjs'
import { orders } from './orders.bench.mjs'
import { table, writeReport } from './report.mjs'
import { start } from './start.bench.mjs'
import { stores } from './stores.bench.mjs'
import { validation } from './validation.bench.mjs'
import { webhooks } from './webhooks.bench.mjs'
import { weight } from './weight.bench.mjs'

const measure = { calls, validation, webhooks, stores, orders, load, lists, start, weight }
const suites = Object.keys(measure)

const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true })
const { quick = false } = values
const unknown = positionals.filter((name) => !suites.includes(name))
if (unknown.length > 0) throw new Error(`Unknown suite "${unknown[0]}". The suites are ${suites.join(', ')}`)

const chosen = positionals.length > 0 ? positionals : suites
await installStripe()
installOurs()
const results = {}
const disturbed = []
for (const suite of chosen) {
  const startedAt = Date.now()
  process.stdout.write(`${suite} … `)
  results[suite] = await measure[suite]({ quick })
  if (wasDisturbed()) disturbed.push(suite)
  const warning = disturbed.includes(suite) ? ', with unreliable results because of other processes' : ''
  console.log(`${Math.round((Date.now() - startedAt) / 1000)} s${warning}`)
}
console.log(table(results))
if (quick) console.log('\nA quick run only shows that the benchmarks work. Its results are meaningless.')
if (positionals.length === 0 && !quick) writeReport(results, disturbed)
