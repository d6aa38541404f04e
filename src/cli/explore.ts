import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from '@commander-js/extra-typings'
import { isObject } from '../core/internal/objects.js'
import { counted } from '../core/internal/plural.js'
import type { ExploreReport } from '../testing/explore/explore.js'
import type { ExploreOptions } from '../testing/explore/options.js'
import { addCommand, CommandFailed, integerFrom, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

export function addExploreCommand(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    'explore <file>',
    'Run your shop under faults, crashes and webhook disturbances',
    'explore test/explore.ts --budget 1000',
  )
    .option('--budget <number>', 'Maximum number of runs (default: that of the file, or 500)', integerFrom(1))
    .option('--seed <string>', 'Create the same keys and IDs in every run with this seed')
    .option('--replay <string>', 'Run only the schedule of a failure')
    .addHelpText('after', notes)
    .action(async (file, { json, ...given }) => {
      // Loads the module lazily, because the other commands do not need it.
      const { exploreSilently, InvalidOptionsError } = await import('../testing/explore/explore.js')
      const options = { ...(await load(file)), ...given }
      const onProgress: ExploreOptions<unknown>['onProgress'] = (progress) => {
        terminal.interrupted.throwIfAborted()
        showProgress(progress, terminal)
        options.onProgress?.(progress)
      }
      const report = await exploreSilently({ ...options, onProgress }).catch((error: unknown) => {
        throw error instanceof InvalidOptionsError ? new UsageError(error.message) : error
      })
      terminal.redraw?.('')
      terminal.print(...(json ? [JSON.stringify(report)] : describe(report, file)))
      if (report.failures.length > 0) throw new CommandFailed()
    })
}

const notes = `
The file exports the options of explore() as the default export or as \`options\`. Node 22.18 or later runs TypeScript files.
The exit code is 1 if a rule was broken.`

async function load(file: string): Promise<ExploreOptions<unknown>> {
  const path = resolve(file)
  if (!existsSync(path)) throw new UsageError(`${file}: the file does not exist`)
  let loaded: { default?: unknown; options?: unknown }
  try {
    loaded = await import(/* @vite-ignore */ pathToFileURL(path).href)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new UsageError(`${file}: this runtime cannot run the file. TypeScript needs Node 22.18 or later`)
  }
  const options = loaded.options ?? loaded.default
  if (!isObject(options)) {
    throw new UsageError(`${file}: export the options of explore() as the default export or as \`options\``)
  }
  return options as unknown as ExploreOptions<unknown>
}

const barLength = 20

/** Draws a progress bar. Without a terminal, prints a line after each tenth of the budget instead. */
function showProgress(
  { runs, budget, failures }: { runs: number; budget: number; failures: number },
  { redraw, note }: Terminal,
): void {
  const line = `${runs} of ${budget} runs, ${failures} broke a rule`
  const length = Math.floor((runs / budget) * barLength)
  if (redraw) redraw(`[${'='.repeat(length).padEnd(barLength)}] ${line}`)
  else if (runs % Math.ceil(budget / 10) === 0) note(line)
}

function describe({ runs, points, pairsLeftOut, failures }: ExploreReport, file: string): string[] {
  const timelines = failures.flatMap(({ timeline, replay }) => [
    ...timeline.split('\n').slice(0, -1),
    `Replay: npx payments-client explore ${file} --replay ${replay}`,
    '',
  ])
  const broken = failures.length === 0 ? 'no broken rule' : counted(failures.length, 'broken rule')
  return [
    ...timelines,
    `${counted(runs, 'run')}, ${counted(points, 'different request')}: ${broken}`,
    ...(pairsLeftOut > 0
      ? [`${counted(pairsLeftOut, 'pair')} of faults did not run: increase --budget to run more`]
      : []),
  ]
}
