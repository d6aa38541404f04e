import { afterEach, test, vi } from 'vitest'
import { callsWithoutFakeTimers, retriesUnderFakeTimers } from './cases.cjs'

afterEach(() => vi.useRealTimers())

test('the client makes calls when no fake timers are installed', () => callsWithoutFakeTimers('vitest'))

test('the client retries when fake timers advance', async () => {
  vi.useFakeTimers()
  await retriesUnderFakeTimers('vitest', (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds))
})
