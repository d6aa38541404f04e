// Explores small shops, in Jest or with `node --test`.
const assert = require('node:assert/strict')
const { PaymentsClient } = require('payments-client')
const { explore } = require('payments-client/sandbox')

const test = globalThis.test ?? require('node:test')

const pay = (client, idempotencyKey) => {
  const order = { paymentMethodToken: 'tok_card', orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
  return client.payments.create(order, { idempotencyKey })
}

/** Returns the rules that a shop breaks, by its reaction to a failed payment. */
async function rulesBrokenBy(onFailure) {
  const { failures } = await explore({
    start: ({ clientOptions }) => new PaymentsClient({ ...clientOptions, maxRetries: 0 }),
    scenario: (client) => pay(client, 'pay-order-17-1').catch((error) => onFailure(client, error)),
    budget: 40,
  })
  return [...new Set(failures.map(({ rule }) => rule))]
}

test('explore finds no failure in a shop that only shows an error', async () => {
  assert.deepEqual(await rulesBrokenBy(() => {}), [])
})

test('explore finds the failure of a shop that retries with another key', async () => {
  assert.deepEqual(await rulesBrokenBy((client) => pay(client, 'pay-order-17-2').catch(() => {})), ['charged twice'])
})

test('explore finds the failure of a shop that does not await a rejected promise', async () => {
  assert.deepEqual(await rulesBrokenBy((_, error) => void Promise.reject(error)), ['unhandled rejection'])
})
