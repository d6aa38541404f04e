// Runs the tests for docs/project/fault-matrix.md. Fails if a row of the matrix has no test with its ID, or if a test
// fails. Lists the rows whose tests cannot run on the chosen version.
//
//     npm run test:faults                  on the current Node.js version
//     npm run test:faults -- --node 20     on version 20, 22, 24 or 26
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from '../../scripts/run.js'
import { nodeProgram, projectsVersion } from '../runtimes/node.js'
import { idPattern, statusesById, type TestReport } from './support/rows.js'

const projects = ['unit', 'stores', 'frameworks', 'browser'].flatMap((name) => ['--project', name])
const vitest5 = ['node_modules/vitest/vitest.mjs', 'run', ...projects]
/** The last vitest that runs on Node.js 20. */
const vitest3 = [
  'test/runtimes/node_modules/vitest-3/vitest.mjs',
  'run',
  '--config',
  'test/runtimes/vitest-3.config.js',
]
/** Test files that cannot run on Node.js 20, because they use `node:sqlite` or start servers with vitest 5. */
const needNode22 = /^test\/(browser|docs\/retries|explore\/guides|frameworks|openapi|package|stores\/(?!memory))/

const { values: options } = parseArgs({ options: { node: { type: 'string', default: projectsVersion } } })
const node = await nodeProgram(options.node)
const isNode20 = options.node === '20'
const vitest = isNode20 ? vitest3 : vitest5

/** Includes files such as `test/stores/shared-tests.ts`, whose tests run as part of other files. */
const idsByFile = new Map(
  globSync('test/**/*.ts', { exclude: ['**/node_modules'] }).map((file) => [
    file,
    readFileSync(file, 'utf8').match(idPattern) ?? [],
  ]),
)
const excluded = [...idsByFile].filter(([file]) => isNode20 && needNode22.test(file))
const chosen = [...idsByFile].filter(([file, ids]) => ids.length > 0 && !excluded.some(([other]) => other === file))
const files = chosen.map(([file]) => file).filter((file) => file.endsWith('.test.ts'))
const ids = new Set(chosen.flatMap(([, own]) => own))
const onlyExcluded = new Set(excluded.flatMap(([, own]) => own).filter((id) => !ids.has(id)))
const matrix = readFileSync('docs/project/fault-matrix.md', 'utf8')
const allRows = [...matrix.matchAll(/^\| ([A-Z]\d\d) \|/gm)].map(([, id]) => id as string)
const rows = allRows.filter((id) => !onlyExcluded.has(id))

const { results, unloaded, exitCode } = await runTests(files)
for (const id of allRows.filter((row) => onlyExcluded.has(row))) console.log(`${id}  cannot run on this version`)
for (const file of unloaded) console.log(`${file}  cannot be loaded`)
const failed = rows.filter((id) => !results.get(id)?.every((status) => status === 'passed'))
for (const id of failed) console.log(`${id}  ${results.has(id) ? 'failed' : 'has no test'}`)
const unknown = [...results.keys()].filter((id) => !rows.includes(id))
for (const id of unknown) console.log(`${id}  is not a row of docs/project/fault-matrix.md`)
const problems = failed.length + unknown.length + unloaded.length
console.log(`Node.js ${options.node}: ${rows.length - failed.length} passed, ${problems} failed`)
if (exitCode !== 0 && problems === 0) console.log('An error occurred outside the tests')
process.exitCode = exitCode === 0 && problems === 0 ? 0 : 1

/** Returns the test results by ID, the files that failed to load, and the exit code of vitest. */
async function runTests(testFiles: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'))
  const report = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`]
    const exitCode = await run(node, [...vitest, '--testNamePattern', idPattern.source, ...reporters, ...testFiles])
    const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'))
    const broken = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    )
    const results = statusesById(testResults.flatMap(({ assertionResults }) => assertionResults))
    return { results, unloaded: broken.map(({ name }) => relative('.', name)), exitCode }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Report {
  testResults: { name: string; status: string; assertionResults: TestReport[] }[]
}
