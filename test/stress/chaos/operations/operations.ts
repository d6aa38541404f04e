import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxOptions } from '../../../../src/testing/index.js'
import { startPostgres } from '../../../stores/servers.js'
import type { LibraryName } from '../library.js'
import { compile, Processes, start } from '../processes.js'
import type { Command, ServiceState } from '../programs/service.js'
import { type Audit, audit } from './audit.js'
import { Shop, type ShopSettings } from './shop.js'

export interface OperationsOptions {
  /** @default 'pg' */
  readonly library?: LibraryName
  readonly orders: number
  readonly processes: number
  readonly idempotency: NonNullable<SandboxOptions['idempotency']>
  /** The number of times that the database server is killed. */
  readonly databaseKills: number
  /** The maximum time in milliseconds from the last order until no operation is open. */
  readonly lastMs: number
  /**
   * Whether all processes stop for two hours after half of the orders. After that, the service has forgotten every key.
   */
  readonly hasPause?: boolean
  readonly onProgress?: (progress: { carts: number; open: number }) => void
}

export interface OperationsResult extends Audit {
  readonly seconds: number
  readonly killed: number
  readonly requests: number
  /** The number of requests that failed because of a fault. */
  readonly faults: number
  /** The number of operations that were open when the processes were stopped. */
  readonly open: number
  readonly errors: ReadonlyMap<string, number>
}

const killEveryMs = 400
const hour = 3_600_000

/**
 * Kills the database server, and processes that take orders and recover operations. Then recovers the operations that are
 * still open, and compares the journal with the service's ledger.
 */
export async function runOperations(options: OperationsOptions): Promise<OperationsResult> {
  const { orders, processes, idempotency, databaseKills, lastMs, hasPause = false, library = 'pg' } = options
  const startedAt = performance.now()
  const server = await startPostgres()
  const [worker, program] = [await compile('worker'), await compile('service')]
  const service = start(program, idempotency)
  const command = async (given: Command) => {
    service.send(given)
    return ((await once(service, 'message')) as [ServiceState])[0]
  }
  try {
    const [{ url, apiKey, tokens }] = (await once(service, 'message')) as [ServiceState]
    // The service forgets keys after an hour.
    const keyLifetime = hasPause ? hour : 24 * hour
    const settings: ShopSettings = {
      library,
      databaseUrl: server.url,
      serviceUrl: url,
      apiKey,
      token: String(tokens['card']),
      keyLifetime,
    }
    const shop = new Shop(settings)
    await shop.prepare(orders)
    const pass = async (ms: number) => {
      await shop.pass(ms)
      return command({ pass: ms })
    }

    let killed = 0
    const errors = new Map<string, number>()
    /** Runs processes until only `carts` carts are left, and then until no operation is open. */
    const runProcesses = async (carts: number, serverKills: number) => {
      const before = (await shop.progress()).carts
      const workers = new Processes(worker, [JSON.stringify(settings)], processes)
      const killing = setInterval(() => workers.killOne(), killEveryMs)
      let kills = 0
      let lastOrderAt = Number.POSITIVE_INFINITY
      for (;;) {
        await sleep(Math.min(1_000, orders * 3))
        const progress = await shop.progress()
        options.onProgress?.(progress)
        if (kills < serverKills && progress.carts - carts <= (before - carts) * (1 - (kills + 0.5) / serverKills)) {
          kills++
          await server.kill()
          await sleep(1_000)
          await server.restart()
        }
        if (progress.carts > carts) continue
        if (carts > 0) break
        lastOrderAt = Math.min(lastOrderAt, performance.now())
        if (progress.open === 0 || performance.now() - lastOrderAt > lastMs) break
      }
      clearInterval(killing)
      await workers.stop()
      killed += workers.killedAt.size
      for (const [error, count] of workers.errors) errors.set(error, (errors.get(error) ?? 0) + count)
    }

    if (hasPause) {
      await runProcesses(Math.floor(orders / 2), 0)
      await pass(2 * hour)
      await command({ forget: true })
    }
    await runProcesses(0, databaseKills)
    const { open } = await shop.progress()
    await command({ recover: true })
    for (let turn = 0; turn < 10 && (turn === 0 || (await shop.progress()).open > 0); turn++) {
      // After this time, the claims of dead processes have expired, and the list of payments is complete.
      await pass(62_000)
      await Promise.all(Array.from({ length: 4 }, () => shop.recover({ limit: 100_000, concurrency: 4 })))
    }
    const { ledger, requests, faults } = await command({})
    const result = await audit({ shop, ledger, orders, mayNeedReview: hasPause })
    await shop.close()
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    return { ...result, seconds, killed, requests, faults, open, errors }
  } finally {
    service.kill('SIGKILL')
    await server.stop()
  }
}
