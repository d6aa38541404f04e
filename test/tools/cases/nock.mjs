import assert from 'node:assert/strict'
import { apiKey, body, checkRequest, checkRetry, failureOf, newClient, recorded } from '../support.mjs'

const host = 'https://service.test'
const payment = { id: 'pay_1', status: 'AUTHORIZED' }

/** @param version The package's alias, for example `nock13`. */
export default async function start(version) {
  const { default: nock } = await import(version)
  const client = (options) => newClient('', { baseUrl: host, ...options })
  return {
    async 'mocked headers'() {
      const scope = nock(host, { reqheaders: { 'x-api-key': apiKey, 'x-api-version': '2021-09-27' } })
      scope.get('/payments/pay_1').reply(200, payment)
      scope
        .post('/payments', body)
        .matchHeader('x-idempotency-key', /^[0-9a-f-]{36}$/)
        .reply(200, payment)
      const payments = await client()
      assert.equal((await payments.payments.get('pay_1')).id, 'pay_1')
      assert.equal((await payments.payments.create(body)).id, 'pay_1')
      scope.done()
    },
    async 'mocked retry'() {
      const requests = []
      // nock 15 calls the function with a `Request`, and earlier versions with the path and the parsed body.
      const record = async function (...given) {
        const [request, sent] = given
        requests.push(
          request instanceof Request
            ? { headers: [...request.headers], body: await request.text() }
            : { headers: [...new Headers(this.req.headers)], body: JSON.stringify(sent) },
        )
        return requests.length === 1 ? [503, {}] : [200, payment]
      }
      nock(host).post('/payments/pay_1/capture').times(2).reply(record)
      assert.equal((await (await client()).payments.capture('pay_1', { amount: 100 })).id, 'pay_1')
      checkRetry(requests)
    },
    async 'mocked fault'() {
      nock(host)
        .post('/client-session')
        .replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
      const error = await failureOf((await client()).clientSessions.create({ orderId: 'o' }))
      assert.deepEqual([error.code, error.outcome], ['ERR_CONNECTION', 'unknown'])
      nock(host).post('/client-session').reply(503, {})
      assert.equal((await failureOf((await client()).clientSessions.create({ orderId: 'o' }))).httpStatus, 503)
    },
    // In nock 15, aborting `fetch` crashes the process even without this package.
    ...(version !== 'nock15' && {
      async 'mocked timeout'() {
        nock(host).get('/payments/pay_1').delay(10_000).reply(200, payment)
        const error = await failureOf((await client({ timeout: 100, maxRetries: 0 })).payments.get('pay_1'))
        assert.equal(error.code, 'ERR_TIMEOUT')
        nock.abortPendingRequests?.()
      },
    }),
    async headers() {
      const payments = await newClient('/ok')
      await payments.payments.create(body)
      for (const request of await recorded('/ok')) checkRequest(request)
    },
  }
}
