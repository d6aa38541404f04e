/**
 * Tests the built package with the tools that merchants use: `npm run test:tools [-- --quick] [-- NAME …]`.
 *
 * Each tool runs in a separate process against a server that records raw requests.
 */
import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyBuild, fetchTools } from '../package/consumer.js'
import { closedPort } from '../support/scripted-server.js'
import { createCertificates } from './certificates.js'
import { startRecorder } from './recorder.js'
import { type Tool, tools } from './tools.js'

const folder = import.meta.dirname
const timeLimitMs = 60_000

interface Result {
  tool: string
  name: string
  status: 'pass' | 'fail'
  reason?: string
}

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const quick = process.argv.includes('--quick')
const chosen = tools.filter(({ name, quick: short }) => (names.length > 0 ? names.includes(name) : !quick || short))

await fetchTools(folder, ['--ignore-scripts', ...(quick ? ['--omit=dev'] : [])])
await copyBuild(folder)
const certificates = await mkdtemp(join(tmpdir(), 'certificates-'))
await createCertificates(certificates)
const results: Result[] = []
for (const tool of chosen) {
  console.error(`${tool.name} …`)
  results.push(...(await runTool(tool)))
}
await rm(certificates, { recursive: true })
report(results)

async function runTool({ name, module, argument = '', nodeOptions = [], environment, trusted }: Tool) {
  const recorder = await startRecorder()
  const found: Result[] = []
  let output = ''
  const child = fork(join(folder, 'child.mjs'), [join(folder, module), argument], {
    cwd: folder,
    execArgv: nodeOptions,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      RECORDER_URL: recorder.url,
      CLOSED_URL: `http://127.0.0.1:${await closedPort()}`,
      CERTIFICATES: certificates,
      ...(trusted && { NODE_EXTRA_CA_CERTS: join(certificates, 'authority.pem') }),
      ...environment?.(recorder.url),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const collect = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  const timer = setTimeout(() => child.kill('SIGKILL'), timeLimitMs)
  let ended = false
  child.on('message', (message: { type: string } & Result) => {
    if (message.type === 'recorded') child.send(recorder.requests())
    else if (message.type === 'end') ended = true
    else found.push({ ...message, tool: name })
  })
  await new Promise((resolve) => child.on('exit', resolve))
  clearTimeout(timer)
  await recorder.close()
  if (!ended) found.push({ tool: name, name: 'end', status: 'fail', reason: `The process ended early:\n${output}` })
  return found
}

function report(all: readonly Result[]): void {
  const columns = [...new Set(all.map(({ name }) => name))]
  const rows = chosen.map(({ name: tool }) => [
    tool,
    ...columns.map((column) => all.find((result) => result.tool === tool && result.name === column)?.status ?? '–'),
  ])
  const table = [['tool', ...columns], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  const failed = all.filter(({ status }) => status === 'fail')
  for (const { tool, name, reason } of failed) console.log(`\n${tool}, ${name}: ${reason}`)
  console.log(`\n${all.length - failed.length} passed, ${failed.length} failed`)
  if (failed.length > 0 || all.length === 0) process.exitCode = 1
}
