const { mock, test } = require('node:test')
const { callsWithoutFakeTimers, retriesUnderFakeTimers } = require('./cases.cjs')

test('the client makes calls when no fake timers are installed', () => callsWithoutFakeTimers('node'))

test('the client retries when fake timers advance', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  try {
    await retriesUnderFakeTimers('node', async (milliseconds) => mock.timers.tick(milliseconds))
  } finally {
    mock.timers.reset()
  }
})
