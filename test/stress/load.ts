// Measures the client under load: with 10,000 concurrent calls, during an outage, near its deadlines, and with a list
// of a million items. Fails if a result misses its goal. Each measurement and its service run in separate processes.
//
//     npx tsx test/stress/load.ts
//     npx tsx test/stress/load.ts --quick    fewer calls
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { Checks } from './checks.js'
import type { Goal } from './load/goals.js'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const calls = values.quick ? '1000' : '10000'
const programs = 'test/stress/load/programs'

const checks = new Checks()
measure(['test/faults/programs/concurrent-calls.ts', '10000'])
measure([`${programs}/outage.ts`, 'fails', calls])
measure([`${programs}/outage.ts`, 'resets', calls])
measure([`${programs}/limits.ts`, values.quick ? '200' : '1000'], 3)
measure(['--expose-gc', `${programs}/long-list.ts`])
checks.end()

/** Runs a program until its goals are met, at most `tries` times, because a busy machine may pause a process. */
function measure(args: readonly string[], tries = 1): void {
  const goals: Goal[] = JSON.parse(execFileSync(process.execPath, ['--import', 'tsx', ...args], { encoding: 'utf8' }))
  const areMet = goals.every(({ met }) => met)
  if (!areMet && tries > 1) measure(args, tries - 1)
  else for (const { what, measured, met } of goals) checks.check(what, met, measured)
}
