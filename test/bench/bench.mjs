/**
 * Compares the built package with stripe, `node:http` and `fetch`.
 *
 *     npm run bench [-- suite …] [--quick]
 */
import { parseArgs } from 'node:util'
import { calls } from './calls.bench.mjs'
import { installOurs, installStripe } from './installed.mjs'
import { lists } from './lists.bench.mjs'
import { load } from './load.bench.mjs'
import { wasDisturbed } from './measure/rounds.mjs'
import { report, save, suites } from './report.mjs'
import { start } from './start.bench.mjs'
import { stores } from './stores.bench.mjs'
import { validation } from './validation.bench.mjs'
import { webhooks } from './webhooks.bench.mjs'
import { weight } from './weight.bench.mjs'

const measure = { calls, validation, webhooks, stores, load, lists, start, weight }

const { values, positionals } = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true })
const quick = values.quick ?? false
const unknown = positionals.filter((name) => !suites.includes(name))
if (unknown.length > 0) throw new Error(`Unknown suite "${unknown[0]}". The suites are ${suites.join(', ')}`)

const chosen = positionals.length > 0 ? positionals : suites
if (chosen.some((suite) => suite !== 'stores' && suite !== 'load')) await installStripe()
installOurs()
for (const suite of chosen) {
  const startedAt = Date.now()
  process.stdout.write(`${suite} … `)
  const results = await measure[suite]({ quick })
  const disturbed = wasDisturbed()
  save(suite, results, { quick, disturbed })
  const warning = disturbed ? ', with unreliable results because other processes disturbed the rounds' : ''
  console.log(`${Math.round((Date.now() - startedAt) / 1000)} s${warning}`)
}
report({ quick })
