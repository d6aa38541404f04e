import assert from 'node:assert/strict'
import { closedUrl, newClient, recorded, wireCases } from '../support.mjs'

/** Every case except `refused`: the recording server is the proxy, which also receives requests to a closed port. */
const { refused: _, ...cases } = wireCases()

export default () => ({
  ...cases,
  async proxy() {
    const client = await newClient('', { baseUrl: `${closedUrl}/proxied` })
    await client.payments.get('pay_1')
    const requests = await recorded('/proxied')
    // Removes the origin, which requests to a proxy include unless they use a tunnel.
    const targets = requests.map(({ target }) => target.replace(closedUrl, ''))
    assert.deepEqual(targets, ['/proxied/payments/pay_1'])
  },
})
