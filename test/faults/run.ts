// Runs the tests of docs/project/fault-matrix.md and counts them by its ids: every row must have a test, and every test must pass.
//
//     npm run test:faults
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from '../../scripts/run.js'

/** The id that a test is named by: `T04` in `it('T04 reset after the request …')`. */
const named = /\b[CINPRSTUVW]\d\d(?= )/g

const rows = [...readFileSync('docs/project/fault-matrix.md', 'utf8').matchAll(/^\| ([A-Z]\d\d) \|/gm)].map(
  ([, id]) => id as string,
)
const files = globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').match(named) !== null)

const { results, unloaded } = await runTests(files)
for (const file of unloaded) console.log(`${file}  could not be run`)
const failed = rows.filter((id) => !results.get(id)?.every((status) => status === 'passed'))
for (const id of failed) console.log(`${id}  ${results.has(id) ? 'failed' : 'has no test'}`)
const unknown = [...results.keys()].filter((id) => !rows.includes(id))
for (const id of unknown) console.log(`${id}  is not a row of docs/project/fault-matrix.md`)
const problems = failed.length + unknown.length + unloaded.length
console.log(`${rows.length - failed.length} passed, ${problems} failed`)
process.exitCode = problems === 0 ? 0 : 1

/** Run test files; what became of the tests, by id, and which files did not get so far. */
async function runTests(testFiles: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'))
  const report = join(folder, 'report.json')
  try {
    const only = ['--project', 'unit', '--testNamePattern', named.source]
    await run('vitest', ['run', ...only, '--reporter=dot', '--reporter=json', `--outputFile=${report}`, ...testFiles])
    const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'))
    const unloaded = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    )
    return { results: byId(testResults), unloaded: unloaded.map(({ name }) => relative('.', name)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Report {
  testResults: { name: string; status: string; assertionResults: { title: string; status: string }[] }[]
}

function byId(testResults: Report['testResults']): Map<string, string[]> {
  const statuses = new Map<string, string[]>()
  for (const { title, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    for (const [id] of title.matchAll(named)) {
      const known = statuses.get(id)
      if (known === undefined) statuses.set(id, [status])
      else known.push(status)
    }
  }
  return statuses
}
