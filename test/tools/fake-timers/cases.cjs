/** Test cases for Jest, vitest and node:test: a retry under fake timers, and a call without fake timers. */
const { PaymentsClient } = require('payments-client')

const newClient = (path) =>
  new PaymentsClient({ apiKey: 'sk_1', baseUrl: `${process.env.RECORDER_URL}${path}`, timeout: 5_000 })

/** @param advance Advances the fake clock by a number of milliseconds. */
async function retriesUnderFakeTimers(path, advance) {
  let settled = false
  const call = newClient(`/retry/${path}`)
    .payments.capture('pay_1', { amount: 100 })
    .finally(() => {
      settled = true
    })
  // Requests take real time. Only the delay before the retry and the deadlines use the fake clock.
  const { setImmediate } = require('node:timers')
  for (let turn = 0; turn < 5_000 && !settled; turn++) {
    await advance(10)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { id } = await call
  if (id !== 'pay_1') throw new Error(`The payment is ${id}`)
}

async function callsWithoutFakeTimers(path) {
  const { id } = await newClient(`/ok/${path}`).payments.get('pay_1')
  if (id !== 'pay_1') throw new Error(`The payment is ${id}`)
}

module.exports = { retriesUnderFakeTimers, callsWithoutFakeTimers }
