import { describe, expect, it } from 'vitest'
import { runOperations } from '../stress/chaos/operations/operations.js'

const size = { orders: 30, processes: 3, lastMs: 1_000 }
const correct = { twice: [], lost: [], late: [], differences: [], errors: new Map() }
/** The number of effects depends on the machine, because the service receives no request again if its process died. */
const everyOperation = ['payments.capture', 'payments.create', 'payments.refund']

describe('a PostgreSQL journal whose processes are killed', () => {
  it.each(['replay', 'conflict'] as const)(
    'agrees with the sandbox’s ledger after an outage, with idempotency mode %s',
    async (mode) => {
      const result = await runOperations({ ...size, idempotency: mode, databaseKills: 1 })

      expect(result).toMatchObject(correct)
      expect(result.states['needs_review']).toBeUndefined()
      expect(result.killed).toBeGreaterThan(0)
      expect(Object.keys(result.effects).toSorted()).toEqual(everyOperation)
    },
  )

  it('performs each operation once, even if the service forgets keys during a pause', async () => {
    const result = await runOperations({ ...size, idempotency: 'replay', databaseKills: 0, hasPause: true })

    expect(result).toMatchObject(correct)
    expect(Object.keys(result.effects).toSorted()).toEqual(everyOperation)
  })
})
