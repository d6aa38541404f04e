/**
 * Exports payments with the built command line from a sandbox in another process.
 *
 * Interrupts one export three times, and compares the speed of complete exports with that of a bare loop.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const count = Number(process.argv[2])
const rounds = 7
const programs = 'test/stress/load/programs'
/** Prints the process's peak memory when it exits. */
const reportMemory = `data:text/javascript,process.on('exit',()=>console.error('rss '+process.resourceUsage().maxRSS))`
let largestRss = 0
let env: Record<string, string> = {}
const folder = mkdtempSync(join(tmpdir(), 'export-'))
const out = join(folder, 'payments.ndjson')

const server = start([`${programs}/serve-payments.ts`, String(count)])
env = JSON.parse(String((await once(server.stdout!, 'data'))[0]))
try {
  const interrupted = await exportWithInterruptions()
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    // Runs both programs at the same time, so that they share the load.
    const [bare, exported] = await Promise.all([finish(start([`${programs}/list-payments.ts`])), finish(startExport())])
    ratios.push(bare.durationMs / exported.durationMs)
  }
  console.log(JSON.stringify({ ...interrupted, ...checkFile(), ratios, rssMiB: largestRss / 1024 }))
} finally {
  server.kill()
  rmSync(folder, { recursive: true })
}

/** Stops an export with SIGINT, SIGKILL and SIGTERM, and resumes it each time. */
async function exportWithInterruptions() {
  const codes: (number | string)[] = []
  for (const [step, signal] of (['SIGINT', 'SIGKILL', 'SIGTERM'] as const).entries()) {
    const child = startExport('--resume')
    await grown(((step + 1) / 4) * count)
    child.kill(signal)
    const [code, killedBy] = await once(child, 'close')
    codes.push(code ?? killedBy)
  }
  await finish(startExport('--resume'))
  return { codes, afterInterruptions: checkFile() }
}

/** Waits until the unfinished export contains about this many payments. */
async function grown(payments: number): Promise<void> {
  const bytesPerPayment = 300
  const size = () => statSync(`${out}.partial`, { throwIfNoEntry: false })?.size ?? 0
  while (size() < payments * bytesPerPayment) await new Promise((resolve) => setTimeout(resolve, 5))
}

function checkFile() {
  const ids = readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id)
  return { payments: ids.length, distinct: new Set(ids).size }
}

function startExport(...args: string[]): ChildProcess {
  const child = start([
    '--import',
    reportMemory,
    'dist/cli.js',
    'payments',
    'export',
    '--format',
    'ndjson',
    '--json',
    ...args,
    '--out',
    out,
  ])
  child.stderr?.on('data', (data) => {
    largestRss = Math.max(largestRss, Number(/^rss (\d+)/m.exec(data)?.[1] ?? 0))
  })
  return child
}

/** Runs a program without tsx, so that it imports the built package. */
function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr.on('data', () => {})
  return child
}

/** Waits for a program, and returns its output. */
async function finish(child: ChildProcess): Promise<{ durationMs: number }> {
  let output = ''
  child.stdout?.on('data', (data) => {
    output += data
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`The program failed with code ${code}: ${output}`)
  return JSON.parse(output)
}
