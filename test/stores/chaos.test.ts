import { describe, expect, it } from 'vitest'
import { runOperations } from '../stress/chaos/operations/operations.js'
import { runOrders } from '../stress/chaos/orders/orders.js'

const size = { orders: 10, processes: 3, lastMs: 1_000 }
const correct = { twice: [], lost: [], late: [], differences: [], errors: new Map() }
/** The number of effects depends on the machine, because the service receives no request again if its process died. */
const everyOperation = ['payments.capture', 'payments.create', 'payments.refund']

describe('a PostgreSQL journal whose processes are killed', () => {
  it('matches the sandbox’s ledger after an outage', async () => {
    const result = await runOperations({ ...size, idempotency: 'conflict', databaseKills: 1 })

    expect(result).toMatchObject(correct)
    expect(result.states['needs_review']).toBeUndefined()
    expect(result.killed).toBeGreaterThan(0)
    expect(Object.keys(result.effects).toSorted()).toEqual(everyOperation)
  })
})

describe('orders whose processes are killed', () => {
  it('agrees with the sandbox’s ledger after an outage and lost webhooks', async () => {
    const kills = { processes: 2, databaseKills: 1, lastMs: 5_000 }
    const result = await runOrders({ ...kills, library: 'pg', idempotency: 'conflict', orders: 10 })

    const nothing = { twice: [], lost: [], late: [], shippedEarly: [], unmatched: [], differences: [] }
    expect(result).toMatchObject({ ...nothing, errors: new Map() })
    expect(result.decisions['succeeded']).toBeGreaterThan(0)
    expect(result.outside.reported).toBe(result.outside.payments)
    expect(result.outside.payments).toBeGreaterThan(0)
  })
})
