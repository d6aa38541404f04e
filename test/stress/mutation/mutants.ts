import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { compiles } from './compiler.js'
import type { Group } from './groups.js'

/** One mutant: a small change to the source code. */
export interface Mutant {
  file: string
  line: number
  /** The original lines, joined into one. */
  original: string
  mutated: string
  /** Whether the mutant was detected: a test failed or hung, or the code does not compile. */
  detected: boolean
}

type Result = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

/** A relative path, because Stryker uses the file in its copy of the repository. */
const configFile = relative('.', fileURLToPath(import.meta.resolve('./vitest.config.ts')))

/** Tests every mutant in a group, and returns the results. */
export async function mutantsOf({ name, files, tests, lazy }: Group, { fresh }: { fresh: boolean }): Promise<Mutant[]> {
  // Avoids Stryker's option `testFiles`, which activates a mutant only after the mutant's file was loaded.
  process.env['MUTATION_TESTS'] = tests.join(' ')
  process.env['MUTATION_LAZY'] = lazy ?? ''
  const incrementalFile = `reports/mutation/${name}.json`
  if (existsSync(incrementalFile)) forgetStaticSurvivors(incrementalFile)
  const results = await new Stryker({
    mutate: [...files],
    testRunner: 'vitest',
    plugins: [import.meta.resolve('@stryker-mutator/vitest-runner')],
    vitest: { configFile, related: false, pool: 'forks' },
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env['WORKERS'] ?? availableParallelism()),
    timeoutMS: 45_000,
    incremental: true,
    incrementalFile,
    force: fresh,
    reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
    logLevel: 'warn' as never,
    warnings: { slow: false } as never,
    disableTypeChecks: false,
    ignorePatterns: ['/dist', '/reports', '/coverage', '/.build', '/test/bench'],
  }).runMutationTest()
  const [untried, ...others] = results.filter(({ status }) => status === 'RuntimeError')
  if (others.length > results.length / 50) throw new Error(`${name}: the tests do not run. ${untried?.statusReason}`)
  return results.filter(({ status }) => counted.includes(status)).map(toMutant)
}

/** The mutant statuses that count. Disabled mutants, and mutants that prevent loading, are ignored. */
const counted: readonly Result['status'][] = ['Killed', 'Timeout', 'Survived', 'NoCoverage']

interface Report {
  files: Record<string, { mutants: { static?: boolean; status: string }[] }>
}

/**
 * Deletes undetected mutants of load-time code from the results file, because Stryker would not test these mutants
 * again with new tests.
 */
function forgetStaticSurvivors(incrementalFile: string): void {
  const report: Report = JSON.parse(readFileSync(incrementalFile, 'utf8'))
  for (const file of Object.values(report.files)) {
    file.mutants = file.mutants.filter((mutant) => !(mutant.static && mutant.status === 'Survived'))
  }
  writeFileSync(incrementalFile, JSON.stringify(report))
}

function toMutant({ fileName, location: { start, end }, replacement, status }: Result): Mutant {
  const file = relative('.', fileName)
  const lines = readFileSync(file, 'utf8').split('\n')
  const before = [...lines.slice(0, start.line - 1), lines[start.line - 1]?.slice(0, start.column - 1)].join('\n')
  const after = [lines[end.line - 1]?.slice(end.column - 1), ...lines.slice(end.line)].join('\n')
  const text = before + replacement + after
  const from = before.lastIndexOf('\n') + 1
  return {
    file,
    line: start.line,
    original: onOneLine(lines.slice(start.line - 1, end.line).join('\n')),
    mutated: onOneLine(text.slice(from, text.indexOf('\n', text.length - after.length))),
    detected: status === 'Killed' || status === 'Timeout' || !compiles(file, text),
  }
}

function onOneLine(code: string): string {
  return code.trim().replace(/\s+/g, ' ')
}
