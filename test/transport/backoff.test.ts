import { afterEach, describe, expect, it, vi } from 'vitest'
import { backoff } from '../../src/transport/backoff.js'
import { RetryBudget } from '../../src/transport/budget.js'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the wait before another attempt', () => {
  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [5, 8_000],
    [6, 8_000],
    [100, 8_000],
  ])('is after attempt %i anything up to %i ms', (attempt, ceiling) => {
    const dice = vi.spyOn(Math, 'random')

    const waits = [0, 0.25, 0.5, 1].map((thrown) => {
      dice.mockReturnValueOnce(thrown)
      return backoff(attempt)
    })

    expect(waits).toEqual([0, ceiling / 4, ceiling / 2, ceiling])
  })
})

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
