import { describe, expect, it } from 'vitest'
import { runOperations } from '../stress/chaos/operations/operations.js'

const size = { orders: 30, processes: 3, lastMs: 1_000 }
const correct = { twice: [], lost: [], late: [], differences: [], errors: new Map() }

describe('N35 createJournal, if its processes are killed', () => {
  it.each(['replay', 'conflict'] as const)(
    'matches the service’s ledger after a database outage, in idempotency mode %s',
    async (mode) => {
      const result = await runOperations({ ...size, idempotency: mode, databaseKills: 1 })

      expect(result).toMatchObject(correct)
      expect(result.states['needs_review']).toBeUndefined()
      expect(result.killed).toBeGreaterThan(0)
      expect(result.effects).toBeGreaterThan(3 * size.orders)
    },
  )

  it('performs no operation twice after a pause in which the service forgets its idempotency keys', async () => {
    const result = await runOperations({ ...size, idempotency: 'replay', databaseKills: 0, hasPause: true })

    expect(result).toMatchObject(correct)
    expect(result.effects).toBeGreaterThan(2 * size.orders)
  })
})
