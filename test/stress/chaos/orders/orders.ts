import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxOptions } from '../../../../src/testing/index.js'
import { startPostgres } from '../../../stores/servers.js'
import type { LibraryName } from '../library.js'
import { compile, Processes, start } from '../processes.js'
import type { Command, ServiceState } from '../programs/service.js'
import { type Audit, audit, differingPayments } from './audit.js'
import { Shop, type ShopSettings } from './shop.js'

export interface OrdersOptions {
  readonly library: LibraryName
  readonly orders: number
  readonly processes: number
  readonly idempotency: NonNullable<SandboxOptions['idempotency']>
  /** The number of times that the database server is killed. */
  readonly databaseKills: number
  /** The maximum time in milliseconds without progress until the processes are stopped. */
  readonly lastMs: number
  readonly onProgress?: (open: number, killed: number) => void
}

export interface OrdersResult extends Audit {
  readonly seconds: number
  readonly killed: number
  readonly requests: number
  /** The number of requests that failed because of a fault. */
  readonly faults: number
  /** For each kill, the number of orders that were done since the kill before. */
  readonly doneBetweenKills: readonly number[]
  /** The number of orders that were not done when the processes were stopped. */
  readonly open: number
  readonly errors: ReadonlyMap<string, number>
  /** Lost events of the run. */
  readonly lostEvents: LostEvents
  /** Lost events of refunds that were made outside the shop. */
  readonly outside: LostEvents
}

/** The number of payments whose events were lost, and the number of changes that `sync` reported. */
export interface LostEvents {
  readonly payments: number
  readonly reported: number
}

/** After this number of orders, the next process is killed. So kills never prevent progress. */
export const ordersPerKill = 2
const hookFailures = 0.02
/** The number of refunds that are made outside the shop at the end. */
const outsideRefunds = 5

/**
 * Kills the database server, and processes that continue orders, receive webhooks and run `recover` and `sync`. Then
 * finishes the orders that are still open, and compares the tables with the service's ledger.
 */
export async function runOrders(options: OrdersOptions): Promise<OrdersResult> {
  const { library, orders, processes, idempotency, databaseKills, lastMs } = options
  const startedAt = performance.now()
  const server = await startPostgres()
  const [seller, program] = [await compile('seller'), await compile('service')]
  const service = start(program, idempotency)
  const command = async (given: Command) => {
    service.send(given)
    return ((await once(service, 'message')) as [ServiceState])[0]
  }
  try {
    const [{ url, apiKey, tokens, webhookSecret }] = (await once(service, 'message')) as [ServiceState]
    const settings: ShopSettings = {
      ...{ library, databaseUrl: server.url, serviceUrl: url, apiKey, tokens, webhookSecret, hookFailures },
    }
    const shop = new Shop({ ...settings, hookFailures: 0 })
    await shop.prepare(orders)

    const sellers = new Processes(seller, [JSON.stringify(settings)], processes)
    const doneBetweenKills: number[] = []
    let doneAtKill = 0
    let kills = 0
    let last = { open: orders, at: performance.now() }
    for (;;) {
      const ports = sellers.running.map(({ port }) => port)
      await command({ receivers: { ports, isLost: false } })
      await sleep(100)
      const open = await shop.openOrders()
      options.onProgress?.(open, sellers.killedAt.size)
      const done = orders - open - doneAtKill
      if (open > 0 && done >= ordersPerKill && sellers.killOne()) {
        doneBetweenKills.push(done)
        doneAtKill += done
      }
      if (kills < databaseKills && open <= orders * (1 - (kills + 0.5) / (databaseKills + 1))) {
        kills++
        await server.kill()
        await sleep(1_000)
        await server.restart()
      }
      if (open < last.open) last = { open, at: performance.now() }
      if (open === 0 || performance.now() - last.at > lastMs) break
    }
    const { open } = last
    await sellers.stop()

    await command({ recover: true, receivers: { ports: [], isLost: true } })
    const pass = async () => {
      // After this time, the claims of dead processes have expired, and the list of payments is complete.
      await shop.pass(62_000)
      await command({ pass: 62_000 })
    }
    const lostEvents = await finish(shop, pass)
    const { ledger, requests, faults } = await command({})
    const result = await audit(shop, ledger, orders)
    const paid = (await shop.all()).filter(({ state }) => state === 'partially_refunded').slice(0, outsideRefunds)
    for (const { payment } of paid) await shop.client.payments.refund(String(payment?.id), { amount: 100 })
    const outside = await repair(shop)
    await shop.close()
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const { size: killed } = sellers.killedAt
    const counts = { seconds, killed, requests, faults, doneBetweenKills, open }
    return { ...result, ...counts, errors: sellers.errors, lostEvents, outside }
  } finally {
    service.kill('SIGKILL')
    await server.stop()
  }
}

/** Finishes all orders, as the processes of the shop would do without faults. All webhooks are lost. */
async function finish(shop: Shop, pass: () => Promise<void>): Promise<LostEvents> {
  const total = { payments: 0, reported: 0 }
  for (let turn = 0; turn < 10; turn++) {
    await pass()
    await shop.orders.recover({ limit: 100_000 })
    if (turn > 0 && (await shop.openOrders()) === 0) break
    const lane = async () => {
      for (let order = await shop.nextOrder(); order !== undefined; order = await shop.nextOrder()) {
        await shop.continueOrder(order)
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    // The processor finishes refunds within two seconds. The same time passes until an order is continued again.
    await sleep(2_500)
    const { payments, reported } = await repair(shop)
    total.payments += payments
    total.reported += reported
  }
  return total
}

/** Calls `sync`, and checks that it reports each payment whose stored state is not the service's. */
async function repair(shop: Shop): Promise<LostEvents> {
  const { length: payments } = await differingPayments(shop, await shop.all())
  const { changed: reported } = await shop.orders.sync()
  return { payments, reported }
}
