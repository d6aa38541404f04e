import assert from 'node:assert/strict'
import { closedUrl, newClient, recorded, wireCases } from '../support.mjs'

/** Omits the case `refused`: with a proxy (here, the recording server), a request to a closed port is not refused. */
const { refused: _, ...cases } = wireCases()

export default () => ({
  ...cases,
  async proxy() {
    const client = await newClient('', { baseUrl: `${closedUrl}/proxied` })
    await client.payments.get('pay_1')
    const requests = await recorded('/proxied')
    // Removes the origin, because a request to a proxy contains the full URL unless it uses a tunnel.
    const targets = requests.map(({ target }) => target.replace(closedUrl, ''))
    assert.deepEqual(targets, ['/proxied/payments/pay_1'])
  },
})
