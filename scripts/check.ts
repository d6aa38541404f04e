/**
 * Runs the checks that a change must pass. With `--all`, also runs the checks for every night and every release.
 *
 *     npm run check                                on Node.js 24 and 26; with --all, also on 22
 *     npm run check -- --node 22                   on another version
 *     npm run check -- stores lint                 only these checks
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
  /** Whether the Node.js version can affect the result. Other checks run only on the project's version. */
  perVersion?: true
  /** Whether the check can start before the package is built. */
  needsNoBuild?: true
  env?: Record<string, string>
}

interface Result {
  name: string
  passed: number
  failed: number
  seconds: number
  failures: readonly string[]
}

const vitest = (...args: string[]) => ['vitest', 'run', ...args]
const project = (name: string) => vitest('--project', name)

/** The checks run longest first, three at a time, because many only wait for databases, a browser or timers. */
const gate: readonly Check[] = [
  { name: 'unit', command: project('unit'), perVersion: true },
  { name: 'stores', command: project('stores'), perVersion: true, needsNoBuild: true },
  { name: 'tools', command: project('tools'), perVersion: true, env: { QUICK: '1' } },
  { name: 'smoke', command: project('smoke') },
  { name: 'browser', command: project('browser') },
  { name: 'guides', command: project('guides'), needsNoBuild: true },
  { name: 'types', command: project('types'), needsNoBuild: true },
  { name: 'lint', command: ['npm', 'run', 'lint'], needsNoBuild: true },
  { name: 'generated', command: ['tsx', 'scripts/generate.ts', '--check'], needsNoBuild: true },
  { name: 'sizes', command: ['tsx', 'test/bench/budgets.mjs'] },
  { name: 'quickstart', command: ['node', 'examples/quickstart.ts'] },
]

const stress = (folder: string) => vitest('--project', 'unit', `test/stress/${folder}`)

/** Checks for every night and every release. Some repeat a check of the gate with more cases or more tools. */
const nightly: readonly Check[] = [
  { name: 'mutation', command: ['stryker', 'run'] },
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
  { name: 'all-tools', command: project('tools'), perVersion: true },
  { name: 'package', command: project('package') },
  { name: 'frameworks', command: project('frameworks') },
  { name: 'openapi', command: project('openapi') },
  { name: 'site', command: project('site') },
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    node: { type: 'string', multiple: true },
  },
})
const versions = values.node ?? [projectsVersion, '26', ...(values.all ? ['22'] : [])]
const known = values.all ? [...gate, ...nightly] : gate
const unknown = positionals.filter((name) => !known.some((check) => check.name === name))
if (unknown.length > 0) throw new Error(`No check ${unknown.join(', ')}: ${known.map(({ name }) => name).join(', ')}`)

if (values.all) {
  // Concurrent checks must not install into the same folder.
  for (const folder of ['test/frameworks', 'test/tools']) await fetchTools(folder)
}
const programs = await installPrograms()
const results: Result[] = []
const running = new Set<string>()
const queue = chosen(values.all ? [...gate, ...nightly] : gate)
let isBuilt = false
const preparing = run({ name: 'build', command: ['tsx', 'scripts/build.ts'], version: projectsVersion }).then(
  (result) => {
    results.push(result)
    isBuilt = true
  },
)
await Promise.all([preparing.then(runQueued), runQueued(), runQueued()])

for (const { name, passed, failed, seconds } of results) {
  const status = failed ? 'FAIL' : 'pass'
  console.log(`${status}  ${name.padEnd(20)}  ${`${seconds} s`.padStart(6)}  ${passed} passed, ${failed} failed`)
}
for (const { name, failures } of results) {
  for (const failure of failures) console.log(`failed in ${name}: ${failure}`)
}
const passed = results.reduce((sum, result) => sum + result.passed, 0)
const failed = results.reduce((sum, result) => sum + result.failed, 0)
process.exitCode = failed ? 1 : 0
console.log(`${passed} passed, ${failed} failed`)

/** Installs the other Node.js versions one after the other, because they share a folder. Returns their paths. */
async function installPrograms(): Promise<ReadonlyMap<string, string>> {
  const programs = new Map<string, string>()
  for (const version of versions) programs.set(version, await nodeProgram(version))
  return programs
}

interface Run extends Check {
  version: string
}

/** Returns the checks to run. Repeats a check for each Node.js version if the version can affect the result. */
function chosen(checks: readonly Check[]): Run[] {
  const wanted = checks.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const others = versions.filter((version) => version !== projectsVersion)
  return [
    ...wanted
      .filter(({ perVersion }) => !perVersion || versions.includes(projectsVersion))
      .map((check) => ({ ...check, version: projectsVersion })),
    ...others.flatMap((version) =>
      wanted.filter(({ perVersion }) => perVersion).map((check) => ({ ...check, version })),
    ),
  ]
}

/** Never runs a check on two versions at the same time, because both would install into the same folder. */
async function runQueued(): Promise<void> {
  const isFree = ({ name, needsNoBuild }: Check) => !running.has(name) && (isBuilt || needsNoBuild)
  for (;;) {
    const next = queue.findIndex(isFree)
    if (next >= 0) {
      const [check] = queue.splice(next, 1) as [Run]
      running.add(check.name)
      results.push(await run(check))
      running.delete(check.name)
    } else if (isBuilt) return
    else await preparing
  }
}

async function run({ name, command, version, env }: Run): Promise<Result> {
  const startedAt = performance.now()
  const isOther = version !== projectsVersion
  const fullName = isOther ? `${name} on Node ${version}` : name
  const report = `reports/${fullName.replaceAll(' ', '-').toLowerCase()}.json`
  rmSync(report, { force: true })
  const [program = '', ...args] = command
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const all = [...args, ...(program === 'vitest' ? reporting : [])]
  const node = isOther ? programs.get(version) : process.execPath
  // The nightly checks also run the tests that `vitest.config.ts` omits on other versions.
  const quick: Record<string, string> = isOther && !values.all ? { QUICK: '1' } : {}
  const { code, output } = await start(program, all, node ?? '', { ...quick, ...env })
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`\n> ${fullName}: ${[program, ...all].join(' ')}\n${output}`)
  const count = existsSync(report) ? countTests(report) : { passed: code === 0 ? 1 : 0, failures: [] }
  // A check that fails although no test fails, for example because of low coverage, counts as one failure.
  const failed = code !== 0 && count.failures.length === 0 ? 1 : count.failures.length
  return { name: fullName, ...count, failed, seconds }
}

/** Starts a program. Collects its output, so that the outputs of concurrent programs are not mixed. */
function start(program: string, args: readonly string[], node: string, more: Record<string, string> = {}) {
  // Programs such as vitest run on the Node.js version that is first in PATH.
  const env = { ...process.env, ...more, PATH: `${dirname(node)}${delimiter}${process.env['PATH']}` }
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
    const end = (code: number) => resolve({ code, output: Buffer.concat(chunks).toString() })
    child.once('error', () => end(127))
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
