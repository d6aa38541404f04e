// A process of a shop that uses only `orders`: continues orders, receives webhooks, and runs `recover` and `sync`.
import { createServer } from 'node:http'
import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { PaymentsError } from '../../../../src/index.js'
import { OrderError } from '../../../../src/orders/index.js'
import { toNodeListener } from '../../../../src/webhooks/index.js'
import { isOutage } from '../library.js'
import { HookFailure, Shop, type ShopSettings } from '../orders/shop.js'

const [, , given = '{}', id] = process.argv
const settings: ShopSettings = JSON.parse(given)
const shop = new Shop(settings)

/** Reports an error, unless an outage of the service or the database explains it. */
function report(error: unknown): void {
  const isExpected = error instanceof PaymentsError && !['ERR_CONFIGURATION', 'ERR_ORDER'].includes(error.code)
  const found = error instanceof PaymentsError ? (error.cause ?? error) : error
  // Another process cancelled the order after this one had read it.
  const isCancelled = error instanceof OrderError && error.reason === 'cancelled'
  if (isExpected || isCancelled || isOutage(error) || found instanceof HookFailure) return
  process.send?.({
    error: error instanceof PaymentsError ? `${error.message} (${String(error.cause)})` : String(found),
  })
}

async function repeat(work: () => Promise<void>, pauseMs: number): Promise<void> {
  for (;;) {
    await work().catch(report)
    await sleep(Math.random() * pauseMs)
  }
}

for (let lane = 0; lane < 8; lane++) {
  void repeat(async () => {
    const order = await shop.nextOrder()
    if (order === undefined) await sleep(200)
    else await shop.continueOrder(order)
  }, 20)
}
void repeat(async () => void (await shop.orders.recover({ limit: 20 })), 2_000)
// `sync` fetches every recent payment again, so only some processes call it.
if (Number(id) % 8 === 0) void repeat(async () => void (await shop.orders.sync()), 20_000)

const receive = shop.orders.webhooks({ secret: settings.webhookSecret, onError: report })
const server = createServer(toNodeListener(receive)).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
  // Node would write the compile cache only on exit, but this process is killed.
  flushCompileCache()
})
process.on('disconnect', () => process.exit())
