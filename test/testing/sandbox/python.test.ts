import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSandbox } from '../../../src/testing/index.js'

const python = 'python3'
const hasPython = spawnSync(python, ['--version']).status === 0
if (!hasPython) console.warn(`${python} is not installed: the test of the control API with Python is skipped`)

describe('a Python program', () => {
  it.runIf(hasPython)('controls the sandbox with only the standard library', async () => {
    const sandbox = createSandbox()
    const { url, close } = await sandbox.listen()
    onTestFinished(close)
    const env = { PATH: process.env['PATH'], PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY: sandbox.apiKey }

    const { stdout } = await promisify(execFile)(python, ['test/testing/sandbox/programs/control.py'], { env })

    expect(JSON.parse(stdout)).toEqual({
      status: 'SETTLED',
      responses: [503, 200],
      history: ['AUTHORIZED', 'SETTLED'],
      requests: [
        ['payments.create', 200],
        ['payments.get', 503],
        ['payments.get', 200],
      ],
      userAgent: 'Python-urllib',
      followed: ['AUTHORIZED', 'SETTLED'],
      conflict: 409,
    })
  })
})
