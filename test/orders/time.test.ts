import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { PaymentsClient } from '../../src/index.js'
import { createOrders } from '../../src/orders/index.js'
import { createSandbox } from '../../src/testing/index.js'
import { ShopProcess } from '../stress/journal/simulation.js'
import { inVirtualTime } from '../stress/ledger/virtual-time.js'

describe('pay after another process died before its request arrived', () => {
  it.each([5_000, 30_000])('succeeds within 25 s of the crash, with a totalTimeout of %i ms', async (totalTimeout) => {
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
