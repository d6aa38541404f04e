/** Measures the time and memory of an import in a new process, minus those of a process without imports. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bench, scratch } from './installed.mjs'
import { quietRounds } from './measure/rounds.mjs'
import { lowerQuartile, median } from './measure/statistics.mjs'

const names = ['payments-client', 'stripe', 'zod']

export async function start({ quick }) {
  const runs = quick ? 1 : 24
  return {
    esm: await overNothing('mjs', (name) => `import '${name}'\n`, runs),
    cjs: await overNothing('cjs', (name) => `require('${name}')\n`, runs),
  }
}

async function overNothing(extension, codeOf, runs) {
  const programs = [writeProgram('nothing', extension, '')]
  for (const name of names) programs.push(writeProgram(name, extension, codeOf(name)))
  const rounds = await quietRounds(runs, async () => {
    const measured = new Map()
    for (const { name, file } of programs) measured.set(name, await runOnce(file))
    return { measured, cpuMs: [...measured.values()].reduce((sum, { cpuMs }) => sum + cpuMs, 0) }
  })
  const over = (name, figure, typical) => {
    const all = (program) => typical(rounds.map((round) => round.get(program)[figure]))
    return all(name) - all('nothing')
  }
  return Object.fromEntries(
    names.map((name) => [name, { ms: over(name, 'ms', lowerQuartile), rssMb: over(name, 'rss', median) / 1e6 }]),
  )
}

/** Writes a program that runs the code, then prints the elapsed time and its memory. */
function writeProgram(name, extension, code) {
  const folder = join(scratch, 'start')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name}.${extension}`)
  const report = `const ms = performance.now()
const { rss } = process.memoryUsage()
const { user, system } = process.cpuUsage()
const cpuMs = (user + system) / 1000
process.stdout.write(JSON.stringify({ ms, rss, cpuMs }), () => process.exit())
`
  writeFileSync(file, code + report)
  return { name, file }
}

async function runOnce(file) {
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: bench })
  return JSON.parse(stdout)
}
