import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import type { Group } from './groups.js'

/** One change of one place. */
export interface Mutant {
  file: string
  line: number
  /** The lines it touches, without indentation and as one. */
  was: string
  became: string
  /** Whether a test failed or hung. */
  noticed: boolean
}

type Result = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

/** Below the root, since Stryker looks for it in its own copy of everything. */
const configFile = relative('.', fileURLToPath(import.meta.resolve('./vitest.config.ts')))

/** Make every change of a group, one at a time, and see what its tests say. */
export async function mutantsOf(
  { name, changes, tests, remembers }: Group,
  { fresh }: { fresh: boolean },
): Promise<Mutant[]> {
  // Few runs of each property suffice to notice.
  process.env['FUZZ_RUNS'] ??= '50'
  // Stryker's own testFiles would switch a change on when what it changes has long been loaded.
  process.env['MUTATION_TESTS'] = tests.join(' ')
  process.env['MUTATION_REMEMBERS'] = remembers ?? ''
  const incrementalFile = `reports/mutation/${name}.json`
  if (existsSync(incrementalFile)) forgetStaticSurvivors(incrementalFile)
  const results = await new Stryker({
    mutate: [...changes],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile, related: false, pool: 'forks' },
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env['WORKERS'] ?? availableParallelism()),
    timeoutMS: 15_000,
    incremental: true,
    incrementalFile,
    force: fresh,
    reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
    logLevel: 'warn' as never,
    warnings: { slow: false } as never,
    disableTypeChecks: false,
    ignorePatterns: ['/dist', '/docs', '/reports', '/coverage', '/.build', '/test/bench'],
  }).runMutationTest()
  const [untried, ...others] = results.filter(({ status }) => status === 'RuntimeError')
  if (others.length > results.length / 50) throw new Error(`${name}: the tests do not run. ${untried?.statusReason}`)
  return results.filter(({ status }) => counted.includes(status)).map(toMutant)
}

/** What could be tried. A few others do not even load, and say nothing of the tests. */
const counted: readonly Result['status'][] = ['Killed', 'Timeout', 'Survived', 'NoCoverage']

interface Report {
  files: Record<string, { mutants: { static?: boolean; status: string }[] }>
}

/** Of what acts while a file is loaded, Stryker does not know which tests it concerns, and would not try it with new ones. */
function forgetStaticSurvivors(incrementalFile: string): void {
  const report: Report = JSON.parse(readFileSync(incrementalFile, 'utf8'))
  for (const file of Object.values(report.files)) {
    file.mutants = file.mutants.filter((mutant) => !(mutant.static && mutant.status === 'Survived'))
  }
  writeFileSync(incrementalFile, JSON.stringify(report))
}

function toMutant({ fileName, location: { start, end }, replacement, status }: Result): Mutant {
  const file = relative('.', fileName)
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line)
  const before = lines[0]?.slice(0, start.column - 1) ?? ''
  const after = lines.at(-1)?.slice(end.column - 1) ?? ''
  return {
    file,
    line: start.line,
    was: onOneLine(lines.join('\n')),
    became: onOneLine(before + replacement + after),
    noticed: status === 'Killed' || status === 'Timeout',
  }
}

function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
