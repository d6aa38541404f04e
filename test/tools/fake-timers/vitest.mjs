import { afterEach, test, vi } from 'vitest'
import { callsWithoutFakeTimers, retriesUnderFakeTimers } from './cases.cjs'

afterEach(() => vi.useRealTimers())

test('the client can make calls without fake timers', () => callsWithoutFakeTimers('vitest'))

test('the client retries under fake timers', async () => {
  vi.useFakeTimers()
  await retriesUnderFakeTimers('vitest', (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds))
})
