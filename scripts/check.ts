/**
 * Runs the checks that a change must pass. With `--all`, also runs the checks for every night and every release.
 *
 *     npm run check                                on Node.js 24, and short tests of connections on 26
 *     npm run check -- stores lint                 only these checks
 *     npm run check -- --node 22 unit stores       these checks on another version
 *     npm run check:all -- fuzz ledger             only these checks, which `check` does not include
 *
 * A failed check does not stop the others.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { parseArgs } from 'node:util'
import type { JsonTestResults } from 'vitest/node'
import { missingTests } from '../test/faults/matrix.js'
import { fetchTools } from '../test/package/consumer.js'
import { nodeProgram, projectsVersion } from '../test/package/node.js'

interface Check {
  name: string
  command: readonly string[]
  /** The version of Node.js. @default the project's version */
  node?: string
  env?: Record<string, string>
}

interface Result {
  name: string
  passed: number
  failures: readonly string[]
  seconds: number
}

const vitest = (...args: string[]) => ['vitest', 'run', ...args]
const project = (name: string) => vitest('--project', name)

/** Checks that can start before the package is built. */
const early: readonly Check[] = [
  { name: 'types', command: project('types') },
  { name: 'lint', command: ['npm', 'run', 'lint'] },
  { name: 'guides', command: project('guides') },
]

const build: Check = { name: 'build', command: ['tsx', 'scripts/build.ts'] }

/** Three checks run at a time, because many only wait for databases, a browser or timers. The longest start first. */
const gate: readonly Check[] = [
  ...early,
  { name: 'unit', command: project('unit') },
  { name: 'stores', command: project('stores') },
  { name: 'browser', command: project('browser') },
  // The version of Node.js affects connections, timers, streams and `node:sqlite`.
  { name: 'unit', command: [...project('unit'), 'test/faults', 'test/stores', 'test/core/transport'], node: '26' },
  { name: 'tools', command: project('tools'), env: { QUICK: '1' } },
  { name: 'smoke', command: project('smoke') },
  { name: 'generated', command: ['tsx', 'scripts/generate.ts', '--check'] },
  { name: 'sizes', command: ['tsx', 'test/bench/budgets.mjs'] },
  { name: 'quickstart', command: ['node', 'examples/quickstart.ts'] },
]

const stress = (folder: string) => vitest('--project', 'unit', `test/stress/${folder}`)

/** Checks for every night and every release. Some repeat a check of the gate with more cases or more tools. */
const nightly: readonly Check[] = [
  ...['core', 'operations', 'orders', 'webhooks'].map((GROUP) => ({
    name: 'mutation',
    command: ['stryker', 'run'],
    env: { GROUP },
  })),
  { name: 'fuzz', command: stress('fuzz'), env: { RUNS: '100000' } },
  {
    name: 'webhooks',
    command: [...project('unit'), 'test/webhooks/hostile-input.test.ts', 'test/webhooks/verify.test.ts'],
    env: { RUNS: '1000000' },
  },
  { name: 'ledger', command: stress('ledger'), env: { RUNS: '10000' } },
  { name: 'journal', command: stress('journal'), env: { RUNS: '10000' } },
  { name: 'orders', command: stress('orders'), env: { RUNS: '1000' } },
  {
    name: 'suspended',
    command: [...project('unit'), 'test/operations/suspended.test.ts', 'test/operations/outage.test.ts'],
    env: { RUNS: '10000' },
  },
  {
    name: 'postgres',
    command: [...project('stores'), 'test/stores/journal-schedules.test.ts', 'test/stores/explore.test.ts'],
    env: { RUNS: '1000' },
  },
  { name: 'chaos', command: ['tsx', 'test/stress/chaos.ts'] },
  {
    name: 'explore',
    command: [...project('unit'), 'test/testing/explore', 'test/orders/explore.test.ts'],
    env: { RUNS: '5000' },
  },
  {
    name: 'permutations',
    command: [...project('unit'), 'test/orders/permutations.test.ts'],
    env: { RUNS: '100000' },
  },
  // NestJS keeps about 0.7 MB of each simulated process, so this check needs more memory.
  {
    name: 'explore-guides',
    command: project('guides'),
    env: { RUNS: '5000', NODE_OPTIONS: '--max-old-space-size=16384' },
  },
  { name: 'coverage', command: [...project('unit'), '--coverage'], env: { RUNS: '5000', ADAPTERS: 'all' } },
  { name: 'faults-22', command: ['tsx', 'test/faults/run.ts', '--node', '22'] },
  {
    name: 'all-drivers',
    command: [
      ...project('unit'),
      '--project',
      'stores',
      'test/operations',
      'test/orders/sqlite.test.ts',
      'test/stores',
    ],
    env: { ADAPTERS: 'all' },
  },
  { name: 'tools', command: project('tools') },
  ...['22', '26'].flatMap((node) =>
    ['unit', 'stores', 'tools'].map((name): Check => ({ name, command: project(name), node })),
  ),
  { name: 'package', command: project('package') },
  { name: 'frameworks', command: project('frameworks') },
  { name: 'openapi', command: project('openapi') },
  { name: 'site', command: project('site') },
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, node: { type: 'string' } },
})
const known = values.all ? [...gate, ...nightly] : gate
const unknown = positionals.filter((name) => !known.some((check) => check.name === name))
if (unknown.length > 0) throw new Error(`No check ${unknown.join(', ')}: ${known.map(({ name }) => name).join(', ')}`)
const queue = known
  .filter(({ name, node }) => (positionals.length === 0 || positionals.includes(name)) && !(node && values.node))
  .map((check) => (values.node ? { ...check, node: values.node } : check))

// Each night tries other random cases. `check` always tries the same, so that it fails only because of a change.
if (values.all) process.env['SEED'] ??= String(Date.now() % 1_000_000_000)
// Concurrent checks must not install into the same folder.
if (values.all) for (const folder of ['test/frameworks', 'test/tools']) await fetchTools(folder)
for (const { node } of queue) if (node) await nodeProgram(node)

const results: Result[] = []
const running = new Set<string>()
const built = run(build)
await Promise.all([built.then(runQueued), runQueued(), runQueued()])

for (const { name, passed, failures, seconds } of results) {
  const status = failures.length > 0 ? 'FAIL' : 'pass'
  console.log(
    `${status}  ${name.padEnd(20)}  ${`${seconds} s`.padStart(6)}  ${passed} passed, ${failures.length} failed`,
  )
}
const failures = results.flatMap(({ name, failures }) => failures.map((failure) => `failed in ${name}: ${failure}`))
for (const failure of failures) console.log(failure)
process.exitCode = failures.length && 1
console.log(`${results.reduce((sum, { passed }) => sum + passed, 0)} passed, ${failures.length} failed`)

/** Never runs two checks with the same name at the same time, because both would install into the same folder. */
async function runQueued(): Promise<void> {
  for (;;) {
    const next = queue.findIndex(({ name }) => !running.has(name))
    const [check] = next < 0 ? [] : queue.splice(next, 1)
    if (!check) return
    running.add(check.name)
    if (!early.includes(check)) await built
    await run(check)
    running.delete(check.name)
  }
}

async function run({ name, command, node = projectsVersion, env }: Check): Promise<void> {
  const startedAt = performance.now()
  const variants = [env?.['GROUP'], node === projectsVersion ? undefined : `on Node ${node}`]
  const fullName = [name, ...variants].filter(Boolean).join(' ')
  const report = `reports/${fullName.replaceAll(' ', '-').toLowerCase()}.json`
  rmSync(report, { force: true })
  const [program = '', ...args] = command
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const all = [...args, ...(program === 'vitest' ? reporting : [])]
  const { code, output } = await start(program, all, await nodeProgram(node), env)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`\n> ${fullName}: ${[program, ...all].join(' ')}\n${output}`)
  const { passed, failures } = existsSync(report) ? countTests(report) : { passed: code === 0 ? 1 : 0, failures: [] }
  // A check can fail although no test fails, for example because of low coverage.
  const others = code !== 0 && failures.length === 0 ? [`exit code ${code}`] : []
  results.push({ name: fullName, passed, failures: [...failures, ...others], seconds })
}

/** Starts a program. Collects its output, so that the outputs of concurrent programs are not mixed. */
function start(program: string, args: readonly string[], node: string, more = {}) {
  // Programs such as vitest run on the Node.js version that is first in PATH.
  const env = { ...process.env, ...more, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` }
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
    const end = (code: number) => resolve({ code, output: Buffer.concat(chunks).toString() })
    child.once('error', (error) => {
      chunks.push(Buffer.from(String(error)))
      end(127)
    })
    child.once('close', (code) => end(code ?? 1))
  })
}

function countTests(report: string): { passed: number; failures: string[] } {
  const content: JsonTestResults = JSON.parse(readFileSync(report, 'utf8'))
  const { numPassedTests, testResults } = content
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    // A test file that cannot be loaded counts as one failed test.
    if (status === 'failed' && !assertionResults.length) return [`${name}: ${message}`]
    return assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => `${test.fullName}: ${test.failureMessages?.[0]?.split('\n')[0] ?? ''}`)
  })
  return { passed: numPassedTests, failures: [...failures, ...missingTests(content)] }
}
