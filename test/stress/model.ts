// Long form of test/model/lives: 100,000 sequences of what can happen to payments. Prints the figures.
//
//     npm run test:model
//     SEED=1 MODEL_SEQUENCES=10000 npm run test:model
import { run } from '../../scripts/run.js'

process.env['MODEL_SEQUENCES'] ??= '100000'
const tests = ['test/stress/model']
process.exitCode = await run('vitest', ['run', ...tests, '--project=unit', '--disableConsoleIntercept=true'])
