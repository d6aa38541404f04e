import { describe, expect, it } from 'vitest'
import { effort } from '../effort.js'
import { compareLedger } from './compare-ledger.js'

const { runs, seed, timeoutMs, print } = effort('LEDGER_SCHEDULES', 300)

describe('what clients are told on bad days', () => {
  it(`I08 agrees with the ledger in ${runs} random schedules of faults`, { timeout: timeoutMs }, async () => {
    const report = await compareLedger({ schedules: runs, seed })

    print(report)
    const { schedules, doubleEffects, wrongClaims, calls, endings, doubts } = report
    expect({ schedules, doubleEffects, wrongClaims }).toEqual({ schedules: runs, doubleEffects: 0, wrongClaims: 0 })
    // Much went well, every other ending occurred, and doubt was justified: else the comparison says little.
    expect(endings.success).toBeGreaterThan(calls / 4)
    for (const [ending, times] of Object.entries(endings)) expect(times, ending).toBeGreaterThan(10)
    expect(doubts.happened).toBeGreaterThan(10)
    expect(doubts.nothing).toBeGreaterThan(10)
  })
})
