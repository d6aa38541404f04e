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
} from '../../../src/testing/index.js'
import { bundled } from '../../support/bundle.js'
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
  /** The mark at which the program is killed, for example `request 2`. */
  readonly mark: string
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

  /** Returns crash points, spread evenly over the program's marks, the faults and the idempotency modes. */
  async points(count: number): Promise<CrashPoint[]> {
    const all: CrashPoint[] = []
    for (const weather of Object.keys(weathers) as (keyof typeof weathers)[]) {
      for (const mark of await this.#rehearse(weather)) {
        for (const idempotency of modes) all.push({ weather, mark, idempotency })
      }
    }
    return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] as CrashPoint)
  }

  /** Runs the program until the crash point, runs it again, and returns the state of the order. */
  async crash({ weather, idempotency, mark }: CrashPoint): Promise<Aftermath> {
    const sandbox = createSandbox({ idempotency })
    const folder = this.#newOrder()
    for (const fault of weathers[weather]) sandbox.faults.add(fault)
    const first = await this.#run(sandbox, folder, mark)
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

  /** Runs the whole program. Returns the marks that the program reaches. */
  async #rehearse(weather: keyof typeof weathers): Promise<string[]> {
    const sandbox = createSandbox()
    for (const fault of weathers[weather]) sandbox.faults.add(fault)
    const { code, output } = await this.#run(sandbox, this.#newOrder())
    if (code !== 0) throw new Error(`The program fails even if it is not killed: ${output}`)
    return JSON.parse(output)
  }

  async #run(sandbox: Sandbox, folder: string, dieAt?: string) {
    const server = await sandbox.listen()
    const task: Task = { baseUrl: server.url, apiKey: sandbox.apiKey, folder, dieAt }
    const program = await bundled('test/stress/crash/shop.ts')
    const child = spawn(process.execPath, [program, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (bytes) => {
      output += bytes
    })
    const [code, signal] = await once(child, 'close')
    await server.close()
    return { code, signal, output }
  }

  #newOrder(): string {
    this.#orders += 1
    return mkdtempSync(join(this.#folder, `order-${this.#orders}-`))
  }
}

const modes: readonly CrashPoint['idempotency'][] = ['replay', 'conflict', 'conflict-400']
