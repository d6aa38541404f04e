import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effort } from '../effort.js'
import { schedule } from './schedule.js'
import { contradictionsIn, simulate } from './simulation.js'

const { runs, seed, print } = effort(6)

describe('orders under random faults, delays and crashes', () => {
  it.each(['replay', 'conflict', 'conflict-400'] as const)(
    'agrees with the sandbox’s ledger, with no open work, in idempotency mode %s',
    async (mode) => {
      const states: Record<string, number> = {}
      let crashes = 0
      const property = fc.asyncProperty(schedule(mode), async (planned) => {
        const outcome = await simulate(planned)
        for (const { state } of outcome.orders.flatMap(({ decisions }) => decisions)) {
          states[state] = (states[state] ?? 0) + 1
        }
        crashes += outcome.crashes
        assert.deepEqual(contradictionsIn(outcome), [])
      })
      await fc.assert(property, { numRuns: runs, seed })

      print({ mode, schedules: runs, crashes, states })
      expect(states['succeeded']).toBeGreaterThan(runs / 4)
      expect(crashes).toBeGreaterThan(runs / 4)
    },
  )
})
