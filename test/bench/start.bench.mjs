/**
 * Measures the time and memory of an import in a new process, minus the time and memory of a process without imports.
 *
 * Also measures the time until the first response, which includes lazily loaded modules.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bench, scratch } from './installed.mjs'
import { quietRounds } from './measure/rounds.mjs'
import { startService } from './measure/service.mjs'
import { lowerQuartile, median } from './measure/statistics.mjs'

const entries = ['payments-client', 'payments-client/webhooks', 'payments-client/schemas', 'payments-client/sandbox']
export async function start({ quick }) {
  const runs = quick ? 1 : 24
  const names = [...entries, 'stripe']
  const esm = names.map((name) => program(name, 'mjs', `import '${name}'\n`))
  const cjs = names.map((name) => program(name, 'cjs', `require('${name}')\n`))
  const service = await startService()
  const calling = ['payments-client', 'stripe', 'fetch'].map((name) => {
    return program(name, 'call.mjs', firstCall(name, service.address))
  })
  try {
    return {
      esm: await overNothing(esm, program('nothing', 'mjs', ''), runs),
      cjs: await overNothing(cjs, program('nothing', 'cjs', ''), runs),
      firstCall: await overNothing(calling, program('nothing', 'mjs', ''), runs),
    }
  } finally {
    service.stop()
  }
}

const firstCall = (name, address) =>
  `import { open } from '${new URL(`contenders/${name}.mjs`, import.meta.url)}'
const { create } = await open(${JSON.stringify(address)})
await create(1)
`

/** Writes a program that runs the code, then prints the elapsed time and its memory. */
function program(name, extension, code) {
  const folder = join(scratch, 'start')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name.replaceAll('/', '-')}.${extension}`)
  const report = `const ms = performance.now()
const { rss } = process.memoryUsage()
const { user, system } = process.cpuUsage()
const cpuMs = (user + system) / 1000
process.stdout.write(JSON.stringify({ ms, rss, cpuMs }), () => process.exit())
`
  writeFileSync(file, code + report)
  return { name, file }
}

async function overNothing(programs, nothing, runs) {
  const rounds = await quietRounds(runs, async () => {
    const measured = new Map()
    for (const { name, file } of [nothing, ...programs]) measured.set(name, await runOnce(file))
    return { measured, cpuMs: [...measured.values()].reduce((sum, { cpuMs }) => sum + cpuMs, 0) }
  })
  const over = (name, figure, typical) => {
    const all = (program) => typical(rounds.map((round) => round.get(program)[figure]))
    return all(name) - all('nothing')
  }
  return Object.fromEntries(
    programs.map(({ name }) => [
      name,
      {
        ms: over(name, 'ms', lowerQuartile),
        rssMb: over(name, 'rss', median) / 1e6,
      },
    ]),
  )
}

async function runOnce(file) {
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: bench })
  return JSON.parse(stdout)
}
