/* global jest, test, afterEach */
const { callsWithoutFakeTimers, retriesUnderFakeTimers } = require('./cases.cjs')

afterEach(() => jest.useRealTimers())

test('the client makes calls when no fake timers are installed', () => callsWithoutFakeTimers('jest'))

test('the client retries when fake timers advance', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] })
  await retriesUnderFakeTimers('jest', (milliseconds) => jest.advanceTimersByTimeAsync(milliseconds))
})
