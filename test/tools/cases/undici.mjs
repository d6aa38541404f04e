import assert from 'node:assert/strict'
import {
  apiKey,
  body,
  checkRequest,
  checkRetry,
  closedUrl,
  failureOf,
  newClient,
  recorded,
  recorderUrl,
  wireCases,
} from '../support.mjs'

const host = 'https://service.test'
const payment = { id: 'pay_1', status: 'AUTHORIZED' }

/** @param version The package's alias, for example `undici8`. */
export default async function start(version) {
  const undici = await import(version)
  const standard = undici.getGlobalDispatcher()
  /** Runs a function while another global dispatcher is set, which also affects Node's `fetch`. */
  const withDispatcher = async (dispatcher, work) => {
    undici.setGlobalDispatcher(dispatcher)
    try {
      await work()
    } finally {
      undici.setGlobalDispatcher(standard)
    }
  }
  return {
    // The client uses undici's `fetch`.
    ...wireCases({ client: { fetch: undici.fetch } }),
    async 'mocked headers'() {
      const agent = new undici.MockAgent()
      agent.disableNetConnect()
      const seen = []
      const record = ({ path, headers }) => {
        seen.push([path, headers['x-api-key'] ?? new Headers(headers).get('x-api-key')])
        return { statusCode: 200, data: payment, responseOptions: { headers: { 'content-type': 'application/json' } } }
      }
      agent.get(host).intercept({ path: '/payments', method: 'POST' }).reply(record)
      await withDispatcher(agent, async () => {
        const client = await newClient('', { baseUrl: host })
        assert.equal((await client.payments.create(body)).id, 'pay_1')
      })
      assert.deepEqual(seen, [['/payments', apiKey]])
    },
    async 'mocked retry'() {
      const agent = new undici.MockAgent()
      agent.disableNetConnect()
      const requests = []
      const record = ({ headers, body: sent }) => {
        requests.push({ headers: [...new Headers(headers)], body: String(sent) })
        return requests.length === 1 ? { statusCode: 503, data: {} } : { statusCode: 200, data: payment }
      }
      agent.get(host).intercept({ path: '/payments/pay_1/capture', method: 'POST' }).reply(record).times(2)
      await withDispatcher(agent, async () => {
        const client = await newClient('', { baseUrl: host })
        assert.equal((await client.payments.capture('pay_1', { amount: 100 })).id, 'pay_1')
      })
      checkRetry(requests)
    },
    async 'mocked fault'() {
      const agent = new undici.MockAgent()
      agent.disableNetConnect()
      agent.get(host).intercept({ path: '/client-session', method: 'POST' }).replyWithError(new Error('reset'))
      await withDispatcher(agent, async () => {
        const client = await newClient('', { baseUrl: host })
        const error = await failureOf(client.clientSessions.create({ orderId: 'o' }))
        assert.deepEqual([error.code, error.outcome], ['ERR_CONNECTION', 'unknown'])
      })
    },
    async proxy() {
      await withDispatcher(new undici.ProxyAgent(recorderUrl), async () => {
        const client = await newClient('', { baseUrl: `${closedUrl}/proxied` })
        await client.payments.create(body)
      })
      const requests = await recorded('/proxied')
      assert.equal(requests.length, 1)
      checkRequest(requests[0])
    },
    async compose() {
      const addHeader = (dispatch) => (options, handler) =>
        dispatch({ ...options, headers: withHeader(options.headers, 'x-tenant', 'eu') }, handler)
      await withDispatcher(new undici.Agent().compose(addHeader), async () => {
        await (await newClient('/composed')).payments.create(body)
      })
      const requests = await recorded('/composed')
      assert.equal(requests.length, 1)
      checkRequest(requests[0], { added: ['x-tenant'] })
      assert.ok(requests[0].headers.some(([name, value]) => name === 'x-tenant' && value === 'eu'))
    },
  }
}

/** Adds a header. Headers are a flat array, an object or an iterable, depending on the version. */
function withHeader(headers, name, value) {
  if (Array.isArray(headers)) return [...headers, name, value]
  if (typeof headers?.[Symbol.iterator] === 'function') return [...[...headers].flat(), name, value]
  return { ...headers, [name]: value }
}
