import { describe, expect, it } from 'vitest'
import { effort } from '../effort.js'
import { compareLedger } from './compare-ledger.js'

const { runs, seed, isLong, print } = effort(40)

describe('outcomes reported under random faults', () => {
  it(`match the sandbox’s ledger in ${runs} random schedules`, async () => {
    const report = await compareLedger({ schedules: runs, seed })

    print(report)
    const { schedules, calls, endings, unknown } = report
    expect(schedules).toBe(runs)
    if (!isLong) return
    // Requires many successes and every other outcome, because a comparison without them would prove little.
    expect(endings.success).toBeGreaterThan(calls / 4)
    for (const [ending, times] of Object.entries(endings)) expect(times, ending).toBeGreaterThan(10)
    expect(unknown.effect).toBeGreaterThan(10)
    expect(unknown.noEffect).toBeGreaterThan(10)
  })
})
