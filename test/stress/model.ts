// Sends 100,000 random sequences of requests to the sandbox, and compares its payments with those of a model.
//
//     npm run test:model
//     SEED=1 MODEL_SEQUENCES=10000 npm run test:model
import { run } from '../../scripts/run.js'

process.env['MODEL_SEQUENCES'] ??= '100000'
const tests = ['test/stress/model']
process.exitCode = await run('vitest', ['run', ...tests, '--project=unit', '--disableConsoleIntercept=true'])
