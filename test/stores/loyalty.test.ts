import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { evaluate, snippetsIn } from '../support/snippets.js'
import { driver } from './drivers.js'

const pool = new (driver('pg').Pool)({ connectionString: inject('postgresUrl'), max: 8 })
afterAll(() => pool.end())

type RedeemOnce = (on: typeof pool, orderId: string, customerId: string, value: number) => Promise<{ id: string }>

/** Starts a sandbox whose customer has 1,000 points. Returns the guide's function, which uses this sandbox. */
async function start() {
  const sandbox = createSandbox()
  sandbox.loyalty.setBalance('connection-1', 'member-42', 1_000)
  const client = new PaymentsClient(sandbox.clientOptions())
  const { code = '' } =
    snippetsIn('docs/guides/loyalty.md').find((snippet) => snippet.code.includes('redeemOnce')) ?? {}
  const { redeemOnce } = (await evaluate(code, { client })) as { redeemOnce: RedeemOnce }
  return { sandbox, redeemOnce }
}

describe('the redemption code in docs/guides/loyalty.md', () => {
  it('N69 redeems the points of an order once, even if eight calls run at the same time', async () => {
    const { sandbox, redeemOnce } = await start()

    const results = await Promise.all(Array.from({ length: 8 }, () => redeemOnce(pool, 'order-17', 'member-42', 300)))

    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('N69 finds a transaction whose response was lost, and releases its lock after a failure', async () => {
    const { sandbox, redeemOnce } = await start()
    sandbox.faults.add({ operation: 'loyalty.transactions.create', at: 'after', reset: true })

    await expect(redeemOnce(pool, 'order-17', 'member-42', 300)).rejects.toMatchObject({ outcome: 'unknown' })
    const found = await redeemOnce(pool, 'order-17', 'member-42', 300)

    expect(found).toMatchObject({ orderId: 'order-17', value: 300 })
    expect(sandbox.ledger).toHaveLength(1)
  })
})
