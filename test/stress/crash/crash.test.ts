import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSandbox, type Fault, type Sandbox } from '../../../src/testing/index.js'
import { bundled } from '../../support/bundle.js'
import { effort } from '../effort.js'
import type { Task } from './shop.js'

const { runs, print } = effort(5)

/** Faults of the service that occur in addition to the crash. */
const faults: Fault[][] = [
  [],
  [{ status: 503 }],
  [{ operation: 'payments.create', at: 'after', reset: true }],
  [{ operation: 'payments.capture', at: 100 }],
]

/** The number of marks that the shop reaches without faults. */
const marks = 12

const modes = ['replay', 'conflict', 'conflict-400'] as const

/** Runs the shop in a process. Returns its exit code, or the signal that killed it. */
async function runShop(sandbox: Sandbox, folder: string, dieAt?: number) {
  const server = await sandbox.listen()
  const task: Task = { baseUrl: server.url, apiKey: sandbox.apiKey, folder, dieAt }
  const program = await bundled('test/stress/crash/shop.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: 'inherit' })
  const [code, signal] = await once(child, 'close')
  await server.close()
  return code ?? signal
}

function openShop(idempotency: (typeof modes)[number], given: readonly Fault[]) {
  const sandbox = createSandbox({ idempotency })
  for (const fault of given) sandbox.faults.add(fault)
  return { sandbox, folder: mkdtempSync(join(tmpdir(), 'shop-')) }
}

describe('a process that is killed and restarted with its stored idempotency key', () => {
  it('creates exactly one payment and one capture when killed at several points', async () => {
    const numbers = Array.from({ length: marks }, (_, index) => index + 1)
    const points = faults.flatMap((given) => numbers.flatMap((dieAt) => modes.map((mode) => ({ given, dieAt, mode }))))
    const effectsBefore: number[] = []
    for (let run = 0; run < runs; run++) {
      const point = points[Math.floor((run * points.length) / runs)] as (typeof points)[number]
      const { sandbox, folder } = openShop(point.mode, point.given)
      const first = await runShop(sandbox, folder, point.dieAt)
      effectsBefore.push(sandbox.ledger.length)
      sandbox.faults.clear()
      const second = await runShop(sandbox, folder)

      expect([first, second], JSON.stringify(point)).toEqual(['SIGKILL', 0])
      expect(sandbox.ledger, JSON.stringify(point)).toMatchObject([
        { operation: 'payments.create' },
        { operation: 'payments.capture' },
      ])
      const receipt = JSON.parse(readFileSync(join(folder, 'receipt'), 'utf8'))
      expect(receipt).toEqual({ id: sandbox.ledger[0]?.resourceId, status: 'SETTLED' })
    }

    print({ crashes: runs, effectsBefore })
    expect(new Set(effectsBefore)).toEqual(new Set([0, 1, 2]))
  })
})
