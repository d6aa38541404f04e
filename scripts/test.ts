/**
 * Runs the unit tests and the type tests at the same time: `npm test [-- <options of vitest>]`. Vitest itself would
 * check types only after all other tests, on one core.
 *
 * Also fails if a test file that ran lacks a test of the fault matrix.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { missingTests } from '../test/faults/matrix.js'
import { run } from './run.js'

const options = process.argv.slice(2)
const report = 'reports/test.json'
rmSync(report, { force: true })
const vitest = (...more: string[]) => run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...more])
const codes = await Promise.all([
  vitest('--project', 'unit', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...options),
  // The options may select only files without type tests, and the run must then pass.
  vitest('--project', 'types', '--passWithNoTests', ...options),
])
const missing = existsSync(report) ? missingTests(JSON.parse(readFileSync(report, 'utf8'))) : []
for (const problem of missing) console.log(problem)
process.exitCode = Math.max(...codes, missing.length && 1)
