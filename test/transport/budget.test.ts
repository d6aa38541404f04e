import { describe, expect, it } from 'vitest'
import { RetryBudget } from '../../src/transport/limits.js'

describe('the budget for further attempts', () => {
  /** How many attempts a budget pays for until it is empty. */
  function spendAll(budget: RetryBudget): number {
    for (let count = 0; count <= 1_000; count++) if (!budget.spend()) return count
    throw new Error('the budget has no end')
  }

  it('pays for a hundred when full', () => {
    expect(spendAll(new RetryBudget())).toBe(100)
  })

  it.each([
    [4, 0],
    [5, 1],
    [9, 1],
    [10, 2],
  ])('gets by %i successes, once empty, what pays for %i', (successes, expected) => {
    const budget = new RetryBudget()
    spendAll(budget)

    for (let count = 0; count < successes; count++) budget.earn()

    expect(spendAll(budget)).toBe(expected)
  })

  it('is never more than full', () => {
    const budget = new RetryBudget()

    for (let count = 0; count < 50; count++) budget.earn()

    expect(spendAll(budget)).toBe(100)
  })
})
