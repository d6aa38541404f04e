import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { PaymentsClient } from '../../src/index.js'
import { createOrders } from '../../src/orders/index.js'
import { createSandbox } from '../../src/testing/index.js'
import { ShopProcess } from '../stress/journal/simulation.js'
import { inVirtualTime } from '../stress/ledger/virtual-time.js'

describe('a process that dies before its request arrives', () => {
  it.each([5_000, 30_000])('lets another process pay within 25 s, with a totalTimeout of %i', async (totalTimeout) => {
    await inVirtualTime(0.5, async () => {
      const start = Date.parse('2026-01-05T09:00:00Z')
      const sandbox = createSandbox({ now: new Date(start) })
      const database = new DatabaseSync(':memory:')
      database.function('unixepoch', { varargs: true }, () => (start + performance.now()) / 1000)
      const open = (client: PaymentsClient) => createOrders({ client, database })
      const orders = open(new PaymentsClient(sandbox.clientOptions({ totalTimeout })))
      await orders.migrate()
      const request = { paymentMethodToken: sandbox.tokens.card, amount: 5000, currencyCode: 'EUR' }
      const dying = new ShopProcess(sandbox)
      dying.crashAt = { request: 1, at: 'before' }
      await dying.race(open(dying.client).pay('17', request) as Promise<never>)
      const diedAt = performance.now()

      let { state } = await orders.pay('17', request)
      while (state === 'pending') ({ state } = await orders.pay('17', request))

      expect(state).toBe('authorized')
      expect(performance.now() - diedAt).toBeLessThanOrEqual(25_000)
      expect(sandbox.ledger).toHaveLength(1)
      database.close()
    })
  })
})
