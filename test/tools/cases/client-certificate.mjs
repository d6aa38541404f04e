import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { certificateFile, startTlsService } from '../loopback.mjs'
import { runRecipe } from '../recipe.mjs'
import { apiKey, body, failureOf, newClient } from '../support.mjs'

/** Tests client certificates. By default, the process does not trust the service's private certificate authority. */
export default async function start() {
  const service = await startTlsService({ clientCertificate: true })
  return {
    async 'client certificate'() {
      process.chdir(dirname(certificateFile('authority.pem')))
      const env = { PAYMENTS_API_KEY: apiKey, PAYMENTS_BASE_URL: service.url }
      const { client } = await runRecipe('going-live.md', "from 'node:https'", { env })
      assert.equal((await client.payments.create(body)).id, 'pay_1')
      assert.deepEqual(
        service.requests.map((request) => request.client),
        ['shop'],
      )
    },
    async 'private authority'() {
      const client = await newClient('', { baseUrl: service.url })
      const error = await failureOf(client.payments.create(body))
      assert.deepEqual([error.code, error.outcome], ['ERR_CONNECTION', 'not_sent'])
      assert.equal(service.requests.length, 1)
      service.close()
    },
  }
}
