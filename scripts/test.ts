/**
 * Runs the unit tests and the type tests at the same time: `npm test [-- <options of vitest>]`. Vitest itself would
 * check types only after all other tests, on one core.
 */
import { run } from './run.js'

const options = process.argv.slice(2)
const vitest = (...more: string[]) => run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...more])
const codes = await Promise.all([
  vitest('--project', 'unit', ...options),
  // The options may select only files without type tests, and the run must then pass.
  vitest('--project', 'types', '--passWithNoTests', ...options),
])
process.exitCode = Math.max(...codes)
