import { httpStatusOf, isPaymentsError, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { redeemOnce, table } from '../../examples/recipes/redeem-once.js'
import { driver } from './drivers.js'

const pool = new (driver('pg').Pool)({ connectionString: inject('postgresUrl'), max: 8 })

beforeAll(() => pool.query(table))
beforeEach(() => pool.query('TRUNCATE redemptions'))
afterAll(() => pool.end())

/** Starts a sandbox whose customer has 1,000 points. Returns the example's function, which uses this sandbox. */
async function start() {
  const sandbox = createSandbox()
  sandbox.loyalty.setBalance('connection-1', 'member-42', 1_000)
  const client = new PaymentsClient(sandbox.clientOptions())
  const redemption = { connectionId: 'connection-1', customerId: 'member-42', orderId: 'order-17' }
  return { sandbox, redeem: (value = 300, on = pool) => redeemOnce(client, on, { ...redemption, value }) }
}

/** Simulates a list that does not contain the latest transactions yet. */
const emptyList = { operation: 'loyalty.transactions.list', at: 'after', body: { items: [], total: 0 } } as const

const fourMinutesLater = () => pool.query("UPDATE redemptions SET sent_at = sent_at - interval '4 minutes'")

describe('redeemOnce in examples/recipes/redeem-once.ts', () => {
  it('redeems the points of an order once, even if eight calls run at the same time', async () => {
    const { sandbox, redeem } = await start()

    const results = await Promise.allSettled(Array.from({ length: 8 }, () => redeem()))

    expect(results.filter(({ status }) => status === 'fulfilled')).not.toEqual([])
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('returns the transaction to a second click while the first one finishes', async () => {
    const { redeem } = await start()
    await pool.query("INSERT INTO redemptions (order_id, value) VALUES ('order-17', 300)")
    let reads = 0
    const query = async (sql: string, values: unknown[]) => {
      if (sql.startsWith('SELECT') && ++reads === 2)
        await pool.query(`UPDATE redemptions SET transaction = '{"id":"t-1"}'`)
      return pool.query(sql, values)
    }

    expect(await redeem(300, { query } as typeof pool)).toEqual({ id: 't-1' })
  })

  it('returns the transaction of a redemption that is not in the list yet', async () => {
    const { sandbox, redeem } = await start()
    sandbox.faults.add({ ...emptyList, times: Infinity })

    const first = await redeem()

    expect(await redeem()).toEqual(first)
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('finds a transaction with a lost response, even if the list contains it later', async () => {
    const { sandbox, redeem } = await start()
    sandbox.faults.add({ operation: 'loyalty.transactions.create', at: 'after', reset: true })
    sandbox.faults.add({ ...emptyList, times: 2 })

    await expect(redeem()).rejects.toMatchObject({ outcome: 'unknown' })
    const error = await redeem().catch((error: unknown) => error)
    expect(isPaymentsError(error) && error.retry).toBe('check-first')
    expect(httpStatusOf(error)).toBe(500)
    await fourMinutesLater()

    expect(await redeem()).toMatchObject({ orderId: 'order-17', value: 300 })
    expect(sandbox.ledger).toHaveLength(1)
  })

  it('resends a lost request after four minutes, from only one of several processes', async () => {
    const { sandbox, redeem } = await start()
    sandbox.faults.add({ operation: 'loyalty.transactions.create', reset: true })
    await expect(redeem()).rejects.toMatchObject({ outcome: 'unknown' })
    await expect(redeem()).rejects.toThrow('may be redeemed')
    expect(sandbox.ledger).toHaveLength(0)

    await fourMinutesLater()
    await Promise.allSettled(Array.from({ length: 8 }, () => redeem()))

    expect(sandbox.ledger).toHaveLength(1)
  })

  it('redeems only the same number of points again after a rejected request', async () => {
    const { sandbox, redeem } = await start()
    sandbox.faults.add({ operation: 'loyalty.transactions.create', status: 422 })
    await expect(redeem()).rejects.toMatchObject({ outcome: 'rejected' })

    await expect(redeem(400)).rejects.toThrow('Order order-17 redeems 300 points')

    expect(await redeem()).toMatchObject({ value: 300 })
    expect(sandbox.ledger).toHaveLength(1)
  })
})
