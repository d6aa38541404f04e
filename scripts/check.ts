/**
 * Runs everything that CI runs. The steps that measure time or size run alone, at the end. A failed step does not stop
 * the others.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'

interface Step {
  name: string
  command: readonly [program: string, ...args: string[]]
  /** Whether the command passes its arguments to vitest, so that the tests can be counted. */
  vitest?: true
}

interface Count {
  name: string
  passed: number
  failed: number
  seconds: number
  failures: readonly string[]
}

/** Steps that start beside each other. All later steps need the build. */
const first: readonly Step[] = [
  { name: 'build', command: ['npm', 'run', 'build'] },
  { name: 'site', command: ['npm', 'run', 'test:site', '--'], vitest: true },
]

/** All suites of the benchmarks except `weight`, which `budgets` measures. */
const benchmarks = ['calls', 'validation', 'webhooks', 'stores', 'lists', 'observability', 'start']

/** Steps that run two at a time, longest first. */
const parallel: readonly Step[] = [
  { name: 'test', command: ['npm', 'test', '--', '--coverage'], vitest: true },
  { name: 'package', command: ['npm', 'run', 'test:package', '--'], vitest: true },
  // Early, because it must not install the database servers at the same time as `chaos` or `bench`.
  { name: 'stores', command: ['npm', 'run', 'test:stores', '--'], vitest: true },
  { name: 'browser', command: ['npm', 'run', 'test:browser', '--'], vitest: true },
  { name: 'bench', command: ['npm', 'run', 'bench', '--', '--quick', ...benchmarks] },
  { name: 'tools', command: ['npm', 'run', 'test:tools', '--', '--quick'] },
  // The short form (`--quick`) is enough to show that a suite still works.
  { name: 'mutation', command: ['npm', 'run', 'test:mutation', '--', '--quick'] },
  { name: 'chaos', command: ['npm', 'run', 'test:chaos', '--', '--quick'] },
  { name: 'fuzz', command: ['npm', 'run', 'test:fuzz', '--', '--quick'] },
  { name: 'lint', command: ['npm', 'run', 'lint'] },
  { name: 'generated', command: ['npm', 'run', 'generate', '--', '--check'] },
  { name: 'quickstart', command: ['npm', 'run', 'quickstart'] },
]

/**
 * Steps that run alone. Other work would distort the measurements of `load`. The benchmarks replace the installed
 * package that `budgets` measures.
 */
const alone: readonly Step[] = [
  { name: 'load', command: ['npm', 'run', 'test:load', '--', '--quick'] },
  { name: 'budgets', command: ['npm', 'run', 'budgets'] },
]

const counts: Count[] = []
const queue = [...parallel]
await Promise.all(
  first.map(async (step) => {
    counts.push(await take(step))
    await takeQueued()
  }),
)
for (const step of alone) counts.push(await take(step))

for (const { name, passed, failed, seconds } of counts) {
  console.log(
    `${failed ? 'FAIL' : 'pass'}  ${name.padEnd(10)}  ${`${seconds} s`.padStart(6)}  ${passed} passed, ${failed} failed`,
  )
}
for (const { name, failures } of counts) {
  for (const failure of failures) console.log(`failed in ${name}: ${failure}`)
}
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
process.exitCode = failed ? 1 : 0
console.log(`${passed} passed, ${failed} failed`)

async function takeQueued(): Promise<void> {
  for (let step = queue.shift(); step; step = queue.shift()) counts.push(await take(step))
}

async function take({ name, command: [program, ...args], vitest }: Step): Promise<Count> {
  const startedAt = performance.now()
  const report = `reports/${name}.json`
  rmSync(report, { force: true })
  const reporting = vitest ? ['--reporter=default', '--reporter=json', `--outputFile=${report}`] : []
  const { code, output } = await run(program, [...args, ...reporting])
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`\n> ${name}: ${[program, ...args].join(' ')}\n${output}`)
  const count = existsSync(report) ? countTests(report) : { passed: code === 0 ? 1 : 0, failures: [] }
  // A step that fails without a failed test, for example because of its coverage, counts as one failure.
  const failed = code !== 0 && count.failures.length === 0 ? 1 : count.failures.length
  return { name, ...count, failed, seconds }
}

/** Collects the output, to keep the outputs of concurrent programs separate. */
function run(program: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
    const end = (code: number) => resolve({ code, output: Buffer.concat(chunks).toString() })
    child.once('error', () => end(127))
    child.once('close', (code) => end(code ?? 1))
  })
}

interface TestReport {
  numPassedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[]
  }[]
}

function countTests(report: string): { passed: number; failures: string[] } {
  const { numPassedTests, testResults }: TestReport = JSON.parse(readFileSync(report, 'utf8'))
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    // A test file that cannot be loaded counts as one failed test.
    if (status === 'failed' && !assertionResults.length) return [`${name}: ${message}`]
    return assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => `${test.fullName}: ${test.failureMessages?.[0]?.split('\n')[0] ?? ''}`)
  })
  return { passed: numPassedTests, failures }
}
