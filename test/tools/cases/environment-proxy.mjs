import assert from 'node:assert/strict'
import { closedUrl, newClient, recorded, wireCases } from '../support.mjs'

/** The recorder is the proxy, so requests to any address arrive there. */
const { refused: _, ...cases } = wireCases()

export default () => ({
  ...cases,
  async proxy() {
    const client = await newClient('', { baseUrl: `${closedUrl}/proxied` })
    await client.payments.get('pay_1')
    const requests = await recorded('/proxied')
    // Over a tunnel, the target is only the path.
    const targets = requests.map(({ target }) => target.replace(closedUrl, ''))
    assert.deepEqual(targets, ['/proxied/payments/pay_1'])
  },
})
