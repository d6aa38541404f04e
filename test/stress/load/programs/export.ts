/**
 * Exports payments with the built command line from a sandbox in another process. Prints the goals for the memory, and
 * for the speed compared with that of a bare loop.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inDigits, printGoals } from '../goals.js'

const [count, leastRatio] = process.argv.slice(2).map(Number) as [number, number]
const rounds = 7
const programs = 'test/stress/load/programs'
/** Prints the process's peak memory when it exits. */
const reportMemory = `data:text/javascript,process.on('exit',()=>console.error('rss '+process.resourceUsage().maxRSS))`
let largestRss = 0
const folder = mkdtempSync(join(tmpdir(), 'export-'))
const out = join(folder, 'payments.ndjson')

// Runs the programs without tsx, so that they import the built package.
const server = spawn(process.execPath, [`${programs}/serve-payments.ts`, String(count)])
const env: Record<string, string> = JSON.parse(String((await once(server.stdout, 'data'))[0]))
try {
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    // Runs both programs at the same time, so that they share the load.
    const [bare, exported] = await Promise.all([run(`${programs}/list-payments.ts`), runExport()])
    if (exported.payments !== count) throw new Error(`${exported.payments} payments were exported`)
    ratios.push(bare.durationMs / exported.durationMs)
  }
  const middle = ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] as number
  printGoals([
    {
      what: `payments export of ${inDigits(count)}: at least ${leastRatio} times as fast as a simultaneous loop over the list`,
      measured: `${ratios.map((ratio) => ratio.toFixed(2)).join(', ')} times`,
      met: middle >= leastRatio,
    },
    {
      what: 'payments export: at most 128 MiB of memory (RSS)',
      measured: `${Math.round(largestRss / 1024)} MiB`,
      met: largestRss / 1024 <= 128,
    },
  ])
} finally {
  server.kill()
  rmSync(folder, { recursive: true })
}

function runExport() {
  return run(
    '--import',
    reportMemory,
    'dist/cli.js',
    'payments',
    'export',
    '--format',
    'ndjson',
    '--json',
    '--out',
    out,
  )
}

/** Runs a program, and returns its output. */
async function run(...args: readonly string[]): Promise<{ payments: number; durationMs: number }> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } })
  largestRss = Math.max(largestRss, Number(/^rss (\d+)/m.exec(stderr)?.[1] ?? 0))
  return JSON.parse(stdout)
}
