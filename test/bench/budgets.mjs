/**
 * Compares sizes and counts with budgets.json, and fails if a value exceeds its budget.
 *
 *     tsx test/bench/budgets.mjs [--update]
 *
 * `--update` sets each budget to 2 % above the current value, except for budgets marked as `firm`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bench, installOurs } from './installed.mjs'
import { weightOf } from './weight.bench.mjs'

const file = join(bench, 'budgets.json')
const budgets = JSON.parse(readFileSync(file, 'utf8'))

installOurs()
const client = await weightOf('payments-client')
const webhooks = await weightOf('payments-client/webhooks')
const measured = {
  'client bundle': client.bundle.gzipped,
  'webhooks bundle': webhooks.bundle.gzipped,
  'client types': client.compilation.types,
  'client instantiations': client.compilation.instantiations,
  'errors in declarations': client.compilation.errors + webhooks.compilation.errors,
  'webhooks types': webhooks.compilation.types,
  'webhooks instantiations': webhooks.compilation.instantiations,
  'files loaded by the client': client.modules.files,
  'files loaded by the webhooks': webhooks.modules.files,
  'code loaded by the client': client.modules.bytes,
  'code loaded by the webhooks': webhooks.modules.bytes,
  'modules of Node loaded by the client': client.modules.builtins,
  'modules of Node loaded by the webhooks': webhooks.modules.builtins,
  'installed packages': client.installed.packages,
  'installed size': client.installed.bytes,
}

if (process.argv.includes('--update')) update()
else compare()

function update() {
  for (const [name, value] of Object.entries(measured)) {
    if (!budgets[name].firm) budgets[name].budget = Math.floor(value * 1.02)
  }
  writeFileSync(file, `${JSON.stringify(budgets, null, 2)}\n`)
}

function compare() {
  for (const [name, value] of Object.entries(measured)) {
    const { budget, goal, unit = '' } = budgets[name]
    const verdict = value > budget ? 'OVER BUDGET' : goal !== undefined && value > goal ? 'goal not reached' : 'ok'
    const figures = [value, budget, goal ?? ''].map((figure) => String(figure).padStart(9)).join(' ')
    console.log(`${name.padEnd(40)} ${figures} ${unit.padEnd(6)} ${verdict}`)
    if (value > budget) process.exitCode = 1
  }
  if (process.exitCode)
    console.log(
      '\nIf the growth is justified, run `npx tsx test/bench/budgets.mjs --update` and explain it in the commit.',
    )
}
