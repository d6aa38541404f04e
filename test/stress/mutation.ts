// Creates mutants of src (one small change each), and counts the mutants that a test or the compiler detects. An
// undetected mutant shows that no test checks this code. Prints the share of detected mutants per group, and fails if a
// share is below its goal.
//
//     npx tsx test/stress/mutation.ts
//     npx tsx test/stress/mutation.ts webhooks errors
//     npx tsx test/stress/mutation.ts --fresh webhooks
//
// The next run reuses the results in reports/mutation for unchanged code, unless you pass --fresh. The environment
// variable WORKERS sets the number of concurrent test runs. To exclude a change that no test can detect, add a comment
// before the code: `// Stryker disable next-line <mutator>: <reason>`.
import { parseArgs } from 'node:util'
import { groups, wholePackage } from './mutation/groups.js'
import { handleOneInterrupt } from './mutation/interrupt.js'
import { type Mutant, mutantsOf } from './mutation/mutants.js'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { fresh: { type: 'boolean' } } })

const chosen = groups.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const unknown = positionals.filter((name) => !groups.some((group) => group.name === name))
if (unknown.length > 0) throw new Error(`No group ${unknown.join(', ')}: ${groups.map(({ name }) => name).join(', ')}`)

handleOneInterrupt()
const all: Mutant[] = []
const lines: string[] = []
let failed = 0
for (const group of chosen) {
  const mutants = await mutantsOf(group, { fresh: values.fresh === true })
  all.push(...mutants)
  for (const { file, line, original, mutated } of mutants.filter(({ detected }) => !detected)) {
    console.log(`\n${file}:${line} is not detected by a test:\n- ${original}\n+ ${mutated}`)
  }
  report(group.name, mutants, group.goal)
}
if (chosen.length === groups.length) report('whole package', all, wholePackage)

for (const line of lines) console.log(line)
console.log(`${lines.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function report(name: string, mutants: readonly Mutant[], goal: number): void {
  const detected = mutants.filter((mutant) => mutant.detected).length
  const share = (100 * detected) / mutants.length
  // A group without mutants has the share NaN, which does not meet the goal.
  const isMet = share >= goal
  if (!isMet) failed++
  const status = isMet ? 'pass' : 'FAIL'
  lines.push(
    `${status}  ${name.padEnd(13)}  ${share.toFixed(2)} % of ${mutants.length} changes detected (goal ${goal} %)`,
  )
}
