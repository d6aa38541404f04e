// Compares the outcomes that calls report with the sandbox's ledger, in 10,000 random schedules of faults. Also kills
// and restarts a program at 200 points of a payment, and compares a journal with the ledger in 10,000 schedules of faults
// and crashes.
//
//     npm run test:ledger
//     SEED=1 LEDGER_SCHEDULES=1000 CRASH_POINTS=50 npm run test:ledger
import { run } from '../../scripts/run.js'

process.env['LEDGER_SCHEDULES'] ??= '10000'
process.env['CRASH_POINTS'] ??= '200'
process.env['JOURNAL_SCHEDULES'] ??= '10000'
const tests = ['test/stress/ledger', 'test/stress/crash', 'test/stress/journal']
process.exitCode = await run('vitest', ['run', ...tests, '--project=unit', '--disableConsoleIntercept=true'])
