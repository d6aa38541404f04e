// The whole gate. Every step runs, whatever became of the one before; the last line counts what passed and what failed.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { run } from './run.js'

interface Step {
  name: string
  command: [program: string, ...args: string[]]
  /** Whether it is vitest's, where every test counts. */
  tests?: true
}

const steps: Step[] = [
  { name: 'lint', command: ['biome', 'check', '.'] },
  { name: 'layers', command: ['depcruise', 'src'] },
  { name: 'unused', command: ['knip'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'guards', command: ['npm', 'run', 'guards:check'] },
  { name: 'docs', command: ['npm', 'run', 'docs:check'] },
  { name: 'conformance', command: ['npm', 'run', 'conformance:check'] },
  { name: 'test', command: ['npm', 'test', '--', '--coverage'], tests: true },
  { name: 'quickstart', command: ['node', 'examples/quickstart.ts'] },
  { name: 'package', command: ['vitest', 'run', '--project', 'package', '--project', 'runtimes'], tests: true },
  { name: 'budgets', command: ['npm', 'run', 'budgets'] },
  // Short forms, so that the long ones cannot rot.
  { name: 'fuzz', command: ['npm', 'run', 'test:fuzz', '--', '--quick'] },
  { name: 'load', command: ['npm', 'run', 'test:load', '--', '--quick'] },
  { name: 'mutation', command: ['npm', 'run', 'test:mutation', '--', '--quick'] },
  { name: 'bench', command: ['npm', 'run', 'bench:quick'] },
]

interface Count {
  passed: number
  failed: number
}

const counts: Count[] = []
for (const step of steps) counts.push(await take(step))
for (const [index, { name }] of steps.entries()) {
  const { passed, failed } = counts[index] ?? { passed: 0, failed: 1 }
  console.log(`${failed ? 'FAIL' : 'pass'}  ${name.padEnd(11)}  ${passed} passed, ${failed} failed`)
}
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
process.exitCode = failed ? 1 : 0
console.log(`${passed} passed, ${failed} failed`)

async function take({ name, command: [program, ...args], tests }: Step): Promise<Count> {
  console.log(`\n> ${name}: ${[program, ...args].join(' ')}`)
  const report = `reports/${name}.json`
  rmSync(report, { force: true })
  const reporting = tests ? ['--reporter=default', '--reporter=json', `--outputFile=${report}`] : []
  const code = await run(program, [...args, ...reporting])
  const count = existsSync(report) ? countTests(report) : { passed: code === 0 ? 1 : 0, failed: 0 }
  // A step may fail without a failed test: by its coverage, or before the first test.
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count
}

interface TestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

function countTests(report: string): Count {
  const { numPassedTests, numFailedTests, testResults }: TestReport = JSON.parse(readFileSync(report, 'utf8'))
  const unloadable = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.length,
  )
  return { passed: numPassedTests, failed: numFailedTests + unloadable.length }
}
