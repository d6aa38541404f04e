const { mock, test } = require('node:test')
const { callsWithoutFakeTimers, retriesUnderFakeTimers } = require('./cases.cjs')

test('the client can make calls without fake timers', () => callsWithoutFakeTimers('node'))

test('the client retries under fake timers', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  try {
    await retriesUnderFakeTimers('node', async (milliseconds) => mock.timers.tick(milliseconds))
  } finally {
    mock.timers.reset()
  }
})
