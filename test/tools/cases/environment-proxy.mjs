import assert from 'node:assert/strict'
import { closedUrl, newClient, recorded, wireCases } from '../support.mjs'

/** All cases except `refused`: the recording server is the proxy, so even requests to a closed port arrive there. */
const { refused: _, ...cases } = wireCases()

export default () => ({
  ...cases,
  async proxy() {
    const client = await newClient('', { baseUrl: `${closedUrl}/proxied` })
    await client.payments.get('pay_1')
    const requests = await recorded('/proxied')
    // Removes the origin, because clients send an absolute URL to a proxy unless they use a tunnel.
    const targets = requests.map(({ target }) => target.replace(closedUrl, ''))
    assert.deepEqual(targets, ['/proxied/payments/pay_1'])
  },
})
