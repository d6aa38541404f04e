// Measures the client under load: with 10,000 concurrent calls, during an outage, near its deadlines, and with a list
// of a million items. Fails if a result misses its goal. Each measurement and its service run in separate processes.
//
//     npx tsx test/stress/load.ts
//     npx tsx test/stress/load.ts --quick    fewer calls
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { Checks } from './checks.js'
import { type Goal, type Measure, measures } from './load/measures.js'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })

const checks = new Checks()
for (const measure of measures(values.quick)) {
  for (const { what, measured, met } of resultsOf(measure)) checks.check(what, met, measured)
}
checks.end()

/** Repeats the measurement until its goals are met, at most `tries` times. */
function resultsOf({ program, args, flags = [], tries = 1, goals }: Measure<never>): readonly Goal[] {
  const output = execFileSync(process.execPath, [...flags, '--import', 'tsx', program, ...args], { encoding: 'utf8' })
  const result = goals(JSON.parse(output) as never)
  const isMet = result.every(({ met }) => met)
  return isMet || tries === 1 ? result : resultsOf({ program, args, flags, tries: tries - 1, goals })
}
