/** Writes the latest results to docs/project/benchmarks.md and benchmarks.svg, or prints the results of a quick run. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { bench, root, scratch } from './installed.mjs'
import { chart } from './report/chart.mjs'
import { page } from './report/page.mjs'
import { rows } from './report/rows.mjs'
import { lines, loadTable, table } from './report/table.mjs'

export const suites = ['calls', 'validation', 'webhooks', 'stores', 'load', 'lists', 'start', 'weight']

const resultFile = (suite, quick) => join(scratch, quick ? 'quick' : 'results', `${suite}.json`)

/** Saves the results of a suite. The report is written when all suites have run. */
export function save(suite, figures, { quick, disturbed }) {
  const file = resultFile(suite, quick)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    JSON.stringify({ date: today(), commit: commit(), machine: machine(), disturbed, figures }, null, 2),
  )
}

export function report({ quick }) {
  const missing = suites.filter((suite) => !existsSync(resultFile(suite, quick)))
  const results = suites
    .filter((suite) => !missing.includes(suite))
    .map((suite) => [suite, JSON.parse(readFileSync(resultFile(suite, quick), 'utf8'))])
  const all = results.flatMap(([suite, { figures }]) => rows[suite](figures))
  console.log(lines(all))
  if (missing.length > 0) {
    console.log(`\nNo report yet: ${missing.join(', ')} ${missing.length === 1 ? 'was' : 'were'} not measured.`)
    return
  }
  if (quick) {
    console.log('\nA quick run only shows that the benchmarks work. Its results are too rough to publish.')
    return
  }
  const [, load] = results.find(([suite]) => suite === 'load')
  const { version } = JSON.parse(readFileSync(join(bench, 'node_modules/stripe/package.json'), 'utf8'))
  const dates = [...new Set(results.map(([, { date }]) => date))]
  const commits = [...new Set(results.map(([, { commit }]) => commit))]
  const machines = [...new Set(results.map(([, { machine }]) => machine))]
  const disturbed = results.filter(([, { disturbed }]) => disturbed).map(([suite]) => suite)
  writeFileSync(
    join(root, 'docs/project/benchmarks.md'),
    page({
      table: table(all),
      load: loadTable(load.figures),
      dates,
      commits,
      machines,
      disturbed,
      stripe: version,
    }),
  )
  writeFileSync(join(root, 'docs/project/benchmarks.svg'), chart(all))
  console.log('\nWrote docs/project/benchmarks.md and docs/project/benchmarks.svg')
}

/** Returns the commit that is checked out. */
function commit() {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', 'src') !== ''
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with uncommitted changes' : ''}`
}

const today = () => new Date().toISOString().slice(0, 10)

const machine = () => `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`
