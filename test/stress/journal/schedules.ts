import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { effort } from '../effort.js'
import { schedule } from './schedule.js'
import { contradictionsIn, type SimulatedEngine, simulate } from './simulation.js'

/** Declares the test that a journal matches the sandbox's ledger in random schedules. */
export function testSchedules(usualRuns: number, startEngine: () => SimulatedEngine): void {
  const { runs, seed, isLong, print } = effort(usualRuns)

  it('records the same effects as the sandbox’s ledger in random schedules', async () => {
    const states: Record<string, number> = {}
    const reasons: Record<string, number> = {}
    let crashes = 0
    const property = fc.asyncProperty(schedule, async (planned) => {
      const outcome = await simulate(planned, startEngine())
      for (const { state, reason } of outcome.records) {
        states[state] = (states[state] ?? 0) + 1
        if (reason !== undefined) reasons[reason] = (reasons[reason] ?? 0) + 1
      }
      crashes += outcome.crashes
      assert.deepEqual(contradictionsIn(outcome, planned), [])
    })
    await fc.assert(property, { numRuns: runs, seed })

    print({ schedules: runs, crashes, states, reasons })
    // Requires that every state occurs. Otherwise the comparison would prove little. In a few runs, a state may be absent.
    if (!isLong) return
    for (const state of ['succeeded', 'rejected', 'not_executed', 'needs_review']) {
      expect(states[state], state).toBeGreaterThan(runs / 20)
    }
    expect(crashes).toBeGreaterThan(runs / 4)
  })
}
