const { mock, test } = require('node:test')
const { callsWithoutFakeTimers, retriesUnderFakeTimers } = require('./cases.cjs')

test('makes calls without fake timers', () => callsWithoutFakeTimers('node'))

test('retries under fake timers', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  try {
    await retriesUnderFakeTimers('node', async (milliseconds) => mock.timers.tick(milliseconds))
  } finally {
    mock.timers.reset()
  }
})
