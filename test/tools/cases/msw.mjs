import assert from 'node:assert/strict'
import { apiKey, body, checkRequest, checkRetry, failureOf, newClient, recorded } from '../support.mjs'

const host = 'https://service.test'
const payment = { id: 'pay_1', status: 'AUTHORIZED' }

/** @param version The package's alias, for example `msw2`. */
export default async function start(version) {
  const { http, HttpResponse } = await import(version)
  const { setupServer } = await import(`${version}/node`)
  const server = setupServer()
  server.listen({ onUnhandledRequest: 'bypass' })
  const client = (options) => newClient('', { baseUrl: host, ...options })
  return {
    async 'mocked headers'() {
      const seen = []
      const record = ({ request }) => {
        seen.push(request)
        return HttpResponse.json(payment)
      }
      server.use(http.get(`${host}/payments/pay_1`, record), http.post(`${host}/payments`, record))
      const payments = await client()
      await payments.payments.get('pay_1')
      await payments.payments.create(body)
      assert.deepEqual(
        seen.map(({ headers }) => [headers.get('x-api-key'), headers.get('x-api-version')]),
        [
          [apiKey, '2021-09-27'],
          [apiKey, '2021-09-27'],
        ],
      )
      assert.deepEqual(await seen[1].json(), body)
    },
    async 'mocked retry'() {
      const requests = []
      server.use(
        http.post(`${host}/payments/pay_1/capture`, async ({ request }) => {
          requests.push({ headers: [...request.headers], body: await request.text() })
          return requests.length === 1 ? HttpResponse.json({}, { status: 503 }) : HttpResponse.json(payment)
        }),
      )
      assert.equal((await (await client()).payments.capture('pay_1', { amount: 100 })).id, 'pay_1')
      checkRetry(requests)
    },
    async 'mocked fault'() {
      server.use(http.post(`${host}/client-session`, () => HttpResponse.error()))
      const error = await failureOf((await client()).clientSessions.create({ orderId: 'o' }))
      assert.deepEqual([error.code, error.outcome], ['ERR_CONNECTION', 'unknown'])
    },
    async 'mocked timeout'() {
      server.use(http.get(`${host}/payments/pay_1`, () => new Promise(() => {})))
      const error = await failureOf((await client({ timeout: 100, maxRetries: 0 })).payments.get('pay_1'))
      assert.equal(error.code, 'ERR_TIMEOUT')
    },
    async headers() {
      const payments = await newClient('/ok')
      await payments.payments.create(body)
      for (const request of await recorded('/ok')) checkRequest(request)
    },
  }
}
