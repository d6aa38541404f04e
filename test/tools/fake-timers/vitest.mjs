import { afterEach, test, vi } from 'vitest'
import { callsWithoutFakeTimers, retriesUnderFakeTimers } from './cases.cjs'

afterEach(() => vi.useRealTimers())

test('makes calls without fake timers', () => callsWithoutFakeTimers('vitest'))

test('retries under fake timers', async () => {
  vi.useFakeTimers()
  await retriesUnderFakeTimers('vitest', (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds))
})
