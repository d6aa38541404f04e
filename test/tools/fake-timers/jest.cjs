/* global jest, test, afterEach */
const { callsWithoutFakeTimers, retriesUnderFakeTimers } = require('./cases.cjs')

afterEach(() => jest.useRealTimers())

test('the client can make calls without fake timers', () => callsWithoutFakeTimers('jest'))

test('the client retries under fake timers', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] })
  await retriesUnderFakeTimers('jest', (milliseconds) => jest.advanceTimersByTimeAsync(milliseconds))
})
