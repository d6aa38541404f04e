// Receives webhooks, and reports its port and its errors to the parent process.
import { createServer } from 'node:http'
import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHandler, toNodeListener } from '../../../../src/webhooks/index.js'
import { type Engine, openDatabase } from '../webhooks/effects.js'
import { claimTtl, durationOf, secret } from '../webhooks/settings.js'

const [, , engine, url, id] = process.argv as unknown as [string, string, Engine, string, string]
const database = await openDatabase[engine](url)

const receive = createHandler({
  secret,
  deduplicate: database.store,
  claimTtl,
  serializeWait: 500,
  on: {
    'PAYMENT.STATUS': async ({ payment }, context) => {
      const event = String(payment.orderId)
      const halfMs = durationOf(Number(event)) / 2
      await sleep(halfMs)
      await database.record(event, id, context)
      await sleep(halfMs)
    },
  },
  onError: (error) => process.send?.({ error: String(error) }),
})

const server = createServer(toNodeListener(receive)).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
  // Node would write the compile cache only on exit, but this process is killed.
  flushCompileCache()
})
process.on('disconnect', () => process.exit())
