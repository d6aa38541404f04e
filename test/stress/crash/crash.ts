import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createSandbox,
  type Effect,
  type Fault,
  type Sandbox,
  type SandboxOptions,
} from '../../../src/sandbox/index.js'
import { bundled } from '../../support/bundle.js'
import { type LastByte, startKillingProxy } from './killing-proxy.js'
import type { Task } from './shop.js'

/** Faults of the service that occur in addition to the crash. */
const weathers = {
  fair: [],
  overloaded: [{ status: 503 }],
  'response to the creation lost': [{ operation: 'payments.create', at: 'after', reset: true }],
  'response to the capture truncated': [{ operation: 'payments.capture', at: 100 }],
} satisfies Record<string, Fault[]>

export interface CrashPoint {
  readonly weather: keyof typeof weathers
  readonly idempotency: NonNullable<SandboxOptions['idempotency']>
  /** The point at which the program is killed: one of its named marks, or a byte position on its connection. */
  readonly at: string | LastByte
}

/** The state of an order after both runs. */
export interface Aftermath {
  readonly firstRun: 'killed' | 'survived'
  readonly secondRun: 'finished' | 'failed'
  /** The number of effects that the first run had. */
  readonly effectsBefore: number
  readonly effects: readonly Effect[]
  readonly receipt: unknown
}

/** Runs a merchant's program and kills it at a given point. */
export class Shop {
  readonly #folder = mkdtempSync(join(tmpdir(), 'shop-'))
  #orders = 0

  close(): void {
    rmSync(this.#folder, { recursive: true })
  }

  /** Returns crash points, spread evenly over the program's marks and the bytes on its connection. */
  async points(count: number): Promise<CrashPoint[]> {
    const all: CrashPoint[] = []
    for (const weather of Object.keys(weathers) as (keyof typeof weathers)[]) {
      const { marks, passed } = await this.#rehearse(weather)
      const places = [
        ...marks,
        ...bytes(passed.request).map((byte) => ({ side: 'request', byte }) as const),
        ...bytes(passed.answer).map((byte) => ({ side: 'answer', byte }) as const),
      ]
      for (const at of places) {
        all.push({ weather, at, idempotency: modes[all.length % modes.length] as CrashPoint['idempotency'] })
      }
    }
    return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] as CrashPoint)
  }

  /** Runs the program until the crash point, runs it again, and returns the state of the order. */
  async crash({ weather, idempotency, at }: CrashPoint): Promise<Aftermath> {
    const sandbox = createSandbox({ idempotency })
    const folder = this.#newOrder()
    for (const fault of weathers[weather]) sandbox.faults.add(fault)
    const first = await this.#run(sandbox, folder, at)
    const effectsBefore = sandbox.ledger.length
    sandbox.faults.clear()
    const second = await this.#run(sandbox, folder)
    return {
      firstRun: first.signal === 'SIGKILL' ? 'killed' : 'survived',
      secondRun: second.code === 0 ? 'finished' : 'failed',
      effectsBefore,
      effects: sandbox.ledger,
      receipt: second.code === 0 ? JSON.parse(readFileSync(join(folder, 'receipt'), 'utf8')) : undefined,
    }
  }

  /** Runs the whole program. Returns the marks that the program reaches, and the number of bytes in each direction. */
  async #rehearse(weather: keyof typeof weathers) {
    const sandbox = createSandbox()
    for (const fault of weathers[weather]) sandbox.faults.add(fault)
    const { code, output, passed } = await this.#run(sandbox, this.#newOrder())
    if (code !== 0) throw new Error(`The program fails even if it is not killed: ${output}`)
    return { marks: JSON.parse(output) as string[], passed }
  }

  async #run(sandbox: Sandbox, folder: string, at?: CrashPoint['at']) {
    const server = await sandbox.listen()
    const last = typeof at === 'object' ? at : undefined
    const proxy = await startKillingProxy(server.url, last, () => child.kill('SIGKILL'))
    const dieAt = typeof at === 'string' ? at : undefined
    const task: Task = { baseUrl: proxy.url, apiKey: sandbox.apiKey, folder, dieAt }
    const program = await bundled('test/stress/crash/shop.ts')
    const child = spawn(process.execPath, [program, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (bytes) => {
      output += bytes
    })
    const [code, signal] = await once(child, 'close')
    await Promise.all([proxy.close(), server.close()])
    return { code, signal, output, passed: proxy.passed }
  }

  #newOrder(): string {
    this.#orders += 1
    return mkdtempSync(join(this.#folder, `order-${this.#orders}-`))
  }
}

const modes: readonly CrashPoint['idempotency'][] = ['replay', 'conflict', 'conflict-400']

/** Returns evenly spaced byte positions, plus the first and the second-to-last position. */
function bytes(total: number): number[] {
  const step = 50
  return [1, ...Array.from({ length: Math.floor(total / step) }, (_, index) => (index + 1) * step), total - 1]
}
