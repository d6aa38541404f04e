import assert from 'node:assert/strict'
import {
  body,
  checkRequest,
  closedUrl,
  mockCases,
  mockedHost,
  newClient,
  recorded,
  recorderUrl,
  wireCases,
} from '../support.mjs'

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
  const agent = new undici.MockAgent()
  const mock = (method, path, respond, times = 1) => {
    const interceptor = agent.get(mockedHost).intercept({ path, method })
    if (respond === undefined) return interceptor.replyWithError(new Error('reset'))
    // Some versions pass the body as a stream, which is not read.
    const reply = ({ headers, body: sent }) => {
      const { status, body } = respond({
        headers: [...new Headers(headers)],
        body: typeof sent === 'string' ? sent : '',
      })
      return { statusCode: status, data: body, responseOptions: { headers: { 'content-type': 'application/json' } } }
    }
    return interceptor.reply(reply).times(times)
  }
  const mocked = Object.entries(mockCases(mock)).map(([name, run]) => [name, () => withDispatcher(agent, run)])
  return {
    // The client uses undici's `fetch`.
    ...wireCases({ client: { fetch: undici.fetch } }),
    ...Object.fromEntries(mocked),
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
