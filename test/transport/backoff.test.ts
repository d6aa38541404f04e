import { afterEach, describe, expect, it, vi } from 'vitest'
import { backoff } from '../../src/transport/retry.js'

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
      return backoff(attempt - 1)
    })

    expect(waits).toEqual([0, ceiling / 4, ceiling / 2, ceiling])
  })
})
