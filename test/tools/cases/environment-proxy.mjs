import assert from 'node:assert/strict'
import { newClient, recorded, wireCases } from '../support.mjs'

/** The recorder is the proxy, so the requests to an unknown host arrive there. */
export default () => ({
  ...wireCases(),
  async proxy() {
    const client = await newClient('', { baseUrl: 'http://127.0.0.1:1/proxied' })
    await client.payments.get('pay_1')
    const requests = await recorded('/proxied')
    assert.deepEqual(
      requests.map(({ method, target }) => `${method} ${target}`),
      ['GET http://127.0.0.1:1/proxied/payments/pay_1'],
    )
  },
})
