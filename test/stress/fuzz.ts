// Fuzzes the code that parses untrusted bytes, with the targets in test/stress/fuzz. Uses jazzer.js, or our own loop if
// jazzer.js cannot be loaded.
//
// Also runs the property tests of webhooks with a million random inputs each: only signed webhooks are accepted, and
// only errors of this package are thrown.
//
//     npm run test:fuzz                                    ten minutes per target
//     npm run test:fuzz -- --quick                         two seconds per target, a thousand inputs
//     npm run test:fuzz -- --seconds 60 retry-after        one minute for one target
//     npm run test:fuzz -- webhooks-million
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from '../../scripts/run.js'
import { bundleTarget } from './fuzz/runner/bundle.js'
import { installJazzer, runJazzer } from './fuzz/runner/jazzer.js'
import { type Ending, runLoop } from './fuzz/runner/loop.js'

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string' }, quick: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const seconds = Number(values.seconds ?? (values.quick ? 2 : 600))
if (!(seconds > 0)) throw new Error('--seconds must be a number above 0')

const million = 'webhooks-million'
const targets = globSync('test/stress/fuzz/*.fuzz.ts')
  .map((file) => basename(file, '.fuzz.ts'))
  .sort()
const unknown = positionals.find((name) => name !== million && !targets.includes(name))
if (unknown) throw new Error(`There is no target "${unknown}". The targets are ${[...targets, million].join(', ')}`)
const wanted = (name: string) => positionals.length === 0 || positionals.includes(name)

const chosen = targets.filter(wanted)
const passes: boolean[] = []
if (chosen.length > 0) {
  const reasonAgainstJazzer = await installJazzer()
  console.log(reasonAgainstJazzer === undefined ? 'with jazzer.js' : `with our own loop: ${reasonAgainstJazzer}`)
  const fuzz = reasonAgainstJazzer === undefined ? runJazzer : runLoop
  for (const name of chosen) passes.push(report(name, await fuzz(await bundleTarget(name), seconds)))
}
if (wanted(million)) passes.push(await holdsSoOften(values.quick ? 1_000 : 1_000_000))

const passed = passes.filter(Boolean).length
console.log(`${passed} passed, ${passes.length - passed} failed`)
process.exitCode = passed === passes.length ? 0 : 1

/** Prints the result for a target, and returns whether it passed. */
function report(name: string, { runs, seconds, finding }: Ending): boolean {
  const holds = finding === undefined
  const figures = `${runs.toLocaleString('en')} runs, ${seconds} s, ${holds ? 'findings: 0' : 'findings: 1'}`
  console.log(`${holds ? 'pass' : 'FAIL'}  ${name.padEnd(17)}  ${figures}`)
  if (!holds) console.log(finding)
  return holds
}

/** Runs the webhook property tests with this many inputs, and returns whether they pass. */
async function holdsSoOften(runs: number): Promise<boolean> {
  process.env['FUZZ_RUNS'] = String(runs)
  const startedAt = performance.now()
  const tests = ['test/webhooks/hostile-input.test.ts', 'test/webhooks/verify.test.ts']
  const code = await run('vitest', ['run', ...tests, '--project=unit', '--testTimeout=7200000'])
  const holds = code === 0
  const figures = `${runs.toLocaleString('en')} runs of every property, ${Math.round((performance.now() - startedAt) / 1000)} s`
  console.log(`${holds ? 'pass' : 'FAIL'}  ${million.padEnd(17)}  ${figures}`)
  return holds
}
