import assert from 'node:assert/strict'
import { closedUrl, newClient, recorded, wireCases } from '../support.mjs'

/**
 * Every case except `refused`, because a proxy accepts requests to a closed port. The recording server is the proxy.
 */
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
