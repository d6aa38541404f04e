import { describe, expect, it, vi } from 'vitest'
import { explore } from '../../../src/sandbox/index.js'
import { explorationOf, type Mistake } from './shop.js'

const mistakes: Mistake[] = ['new key per retry', 'key without attempt number', '400 for every rejected call', 'trusts a cut-off 409', 'charges late', 'matches the latest refund', 'no deduplication', 'writes stale events', 'captures before it stores the order', 'stores the order after the call', 'refunds again in a job']

describe('explore', () => {
  it('finds nothing in a shop that follows the guides', async () => {
    const t = performance.now()
    const report = await explore({ ...explorationOf(), budget: 700 })
    console.log(report.runs, report.points, report.pairsLeftOut, performance.now() - t)
    expect(report.failures.map(({ message, replay }) => [message, replay])).toEqual([])
  }, 60_000)
  it.each(mistakes)('finds the mistake: %s', async (mistake) => {
    const report = await explore({ ...explorationOf(mistake), budget: 700 })
    console.log(mistake, report.failures.map(({ rule, message, replay }) => [rule, message, replay]))
    expect(report.failures.length).toBeGreaterThan(0)
  }, 60_000)
})
