// A process of a shop: takes orders, runs their operations, and recovers operations that other processes did not finish.
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { PaymentsError } from '../../../../src/index.js'
import { isOutage } from '../library.js'
import { keysOf, Shop, type ShopSettings } from '../operations/shop.js'

const [, , settings = '{}'] = process.argv
const shop = new Shop(JSON.parse(settings) as ShopSettings)

/** Reports an error, unless an outage of the service or the database explains it. */
function report(error: unknown): void {
  if (error instanceof PaymentsError && error.code !== 'ERR_CONFIGURATION') return
  if (!isOutage(error)) process.send?.({ error: String(error instanceof PaymentsError ? error.cause : error) })
}

async function takeOrders(): Promise<void> {
  for (;;) {
    try {
      const order = await shop.takeOrder()
      if (order === undefined) await sleep(200)
      else {
        const { create, captures, refunds } = keysOf(order)
        for (const key of [create, ...captures, ...refunds]) await shop.run(key)
      }
    } catch (error) {
      report(error)
      await sleep(20)
    }
  }
}

async function recover(): Promise<void> {
  for (;;) {
    await sleep(Math.random() * 1_000)
    await shop.recover({ limit: 20, concurrency: 2 }).catch(report)
  }
}

for (let lane = 0; lane < 4; lane++) void takeOrders()
void recover()
process.send?.({ port: 0 })
// Node would write the compile cache only on exit, but this process is killed.
flushCompileCache()
process.on('disconnect', () => process.exit())
