// Changes src in one place at a time, and counts how many of these changes the tests notice: a change that passes them
// all is code that nobody holds to anything. Prints the share of each group; fails below its goal, and when a change
// passes that .ci/mutation/survivors.ts does not explain.
//
//     npm run test:mutation
//     npm run test:mutation -- webhooks errors
//     npm run test:mutation -- --quick
//     npm run test:mutation -- --fresh webhooks
//
// What was found is kept in reports/mutation: the next run tries only what has changed since, and what an interrupted
// run did not come to. --fresh tries everything. WORKERS is how many changes to try at once.
import { parseArgs } from 'node:util'
import { type Group, groups, wholePackage } from './mutation/groups.js'
import { heedOneInterrupt } from './mutation/interrupt.js'
import { type Mutant, mutantsOf } from './mutation/mutants.js'
import { type Survivor, survivors } from './mutation/survivors.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, fresh: { type: 'boolean' } },
})

const chosen = groups.filter(({ name, quick }) =>
  values.quick ? quick : !positionals.length || positionals.includes(name),
)
const unknown = positionals.filter((name) => !groups.some((group) => group.name === name))
if (unknown.length > 0) throw new Error(`No group ${unknown.join(', ')}: ${groups.map(({ name }) => name).join(', ')}`)

heedOneInterrupt()
const all: Mutant[] = []
const lines: string[] = []
let failed = 0
for (const group of chosen) {
  const mutants = await mutantsOf(group, { fresh: values.fresh === true })
  all.push(...mutants)
  judge(group.name, mutants, group.goal, complaintsAbout(group, mutants))
}
if (chosen.length === groups.length) judge('whole package', all, wholePackage, [])

for (const line of lines) console.log(line)
console.log(`${lines.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function judge(name: string, mutants: readonly Mutant[], goal: number, complaints: readonly string[]): void {
  for (const complaint of complaints) console.log(`\n${complaint}`)
  const noticed = mutants.filter((mutant) => mutant.noticed).length
  const share = (100 * noticed) / mutants.length
  const good = share >= goal && complaints.length === 0
  if (!good) failed++
  lines.push(
    `${good ? 'pass' : 'FAIL'}  ${name.padEnd(13)}  ${share.toFixed(2)} % of ${mutants.length} changes noticed (goal ${goal} %)`,
  )
}

/** Where the list of survivors and what was found are not the same, in a group that has one. */
function complaintsAbout(group: Group, mutants: readonly Mutant[]): string[] {
  if (!group.explained) return []
  const survived = mutants.filter(({ noticed }) => !noticed)
  const files = new Set(mutants.map(({ file }) => file))
  return [
    ...survived
      .filter((mutant) => !survivors.some((survivor) => isOf(survivor, mutant)))
      .map(({ file, line, was, became }) => `${file}:${line} is noticed by no test:\n- ${was}\n+ ${became}`),
    // An explanation is for one place: the next one that becomes the same may be another matter.
    ...survivors
      .filter(({ file }) => files.has(file))
      .map((survivor) => ({
        places: 1,
        ...survivor,
        found: survived.filter((mutant) => isOf(survivor, mutant)).length,
      }))
      .filter(({ places, found }) => found !== places)
      .map(
        ({ file, became, places, found }) =>
          `${file}: survivors.ts explains ${places}, and ${found} survived of:\n+ ${became}`,
      ),
  ]
}

function isOf(survivor: Survivor, { file, became }: Mutant): boolean {
  return survivor.file === file && survivor.became === became
}
