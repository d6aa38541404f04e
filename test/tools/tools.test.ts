import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { closedPort } from '../support/scripted-server.js'
import { startRecorder } from './recorder.js'
import { tools } from './tools.js'

const folder = import.meta.dirname
const certificates = inject('certificates')
const chosen = tools.filter(({ quick }) => quick || !process.env['QUICK'])

/** Runs a tool's cases in a separate process, which sends requests to a server that records them. */
it.each(chosen)('the package works with $name', async (tool) => {
  const { module, argument = '', nodeOptions = [], environment, trusted } = tool
  const recorder = await startRecorder()
  onTestFinished(recorder.close)
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
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  /** The error of each case, or `null` if the case passed. */
  let results: Record<string, string | null> = { end: 'The process ended early' }
  child.on('message', (message: 'recorded' | typeof results) => {
    if (message === 'recorded') child.send(recorder.requests())
    else results = message
  })

  await once(child, 'exit')

  expect(
    Object.entries(results).filter(([, error]) => error !== null),
    output,
  ).toEqual([])
})
