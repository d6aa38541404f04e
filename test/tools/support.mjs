/**
 * Helpers for the cases, which run in a tool's process: clients, recorded requests, and the cases that most tools
 * share.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'

export const apiKey = 'sk_canary_4711'

/** The URL of the recording server, and a URL at which no server listens. */
export const { RECORDER_URL: recorderUrl, CLOSED_URL: closedUrl } = process.env

/** Loads the package after the tool, as applications do. */
const load = () => import('payments-client')

export const body = { paymentMethodToken: 'tok_1', orderId: 'order-1', currencyCode: 'EUR', amount: 700 }

export async function newClient(path, options = {}) {
  const { PaymentsClient } = await load()
  return new PaymentsClient({ apiKey, baseUrl: `${recorderUrl}${path}`, timeout: 60_000, ...options })
}

/** Returns the requests to a path or below it. */
export async function recorded(path) {
  process.send('recorded')
  const [requests] = await once(process, 'message')
  return requests.filter(({ target }) => target.replace(/^http:\/\/[^/]+/, '').startsWith(`${path}/`))
}

export async function failureOf(promise) {
  const error = await promise.then(
    () => assert.fail('The call succeeded'),
    (reason) => reason,
  )
  assert.match(String(error.code), /^ERR_/, String(error.stack))
  return error
}

const ownHeaders = {
  all: ['host', 'connection', 'accept', 'accept-encoding', 'user-agent', 'x-api-key', 'x-api-version'],
  body: ['content-type', 'content-length'],
  fetch: ['accept-language', 'sec-fetch-mode', 'cache-control', 'pragma'],
}

/** Checks that a request has exactly the expected headers, each once, and the API key only in `x-api-key`. */
export function checkRequest({ method, target, headers, body: sent }, { added = [] } = {}) {
  const names = headers.map(([name]) => name.toLowerCase())
  assert.deepEqual(names, [...new Set(names)], 'A header was sent twice')
  const optional = [...added, ...ownHeaders.fetch, 'keep-alive', 'x-idempotency-key', 'proxy-connection']
  const expected = [...ownHeaders.all, ...(sent === '' ? [] : ownHeaders.body)]
  const missing = ['x-api-key', 'x-api-version', 'user-agent', 'host'].filter((name) => !names.includes(name))
  assert.deepEqual(missing, [], 'Headers are missing')
  const unexpected = names.filter((name) => ![...expected, ...optional].includes(name))
  assert.deepEqual(unexpected, [], 'Unexpected headers')
  const withKey = headers.filter(([, value]) => value.includes(apiKey))
  assert.deepEqual(
    withKey.map(([name, value]) => [name.toLowerCase(), value]),
    [['x-api-key', apiKey]],
  )
  assert.ok(!`${target}${sent}`.includes(apiKey), 'The API key was sent outside the header')
  assert.equal(names.includes('content-type'), method !== 'GET')
}

const headerOf = ({ headers }, wanted) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** Checks that the second request retries the first with the same idempotency key and the same bytes. */
export function checkRetry(requests) {
  assert.equal(requests.length, 2)
  const [first, second] = requests
  const key = headerOf(first, 'x-idempotency-key')
  assert.match(String(key), /^[0-9a-f-]{36}$/)
  assert.equal(headerOf(second, 'x-idempotency-key'), key)
  assert.equal(second.body, first.body)
}

/**
 * Returns the cases for a tool that observes or sends requests.
 *
 * @param options.within Runs a call in the context that the tool needs, for example in a span.
 * @param options.trace Headers that the tool must add.
 * @param options.added Other headers that the tool may add.
 * @param options.client Options for the client.
 * @param options.replacesFetch Whether the tool replaces the global fetch. The client then treats it as a custom
 * `fetch`.
 */
export function wireCases({ within = (work) => work(), trace = [], added = [], client = {}, replacesFetch } = {}) {
  const isCustomFetch = replacesFetch || client.fetch !== undefined
  const allowed = { added: [...trace, ...added] }
  const call = (path, work, options) => within(async () => work(await newClient(path, { ...client, ...options })))
  return {
    async headers() {
      await call('/ok', (payments) => payments.payments.get('pay_1'))
      await call('/ok', (payments) => payments.payments.create(body))
      const requests = await recorded('/ok')
      assert.deepEqual(
        requests.map(({ method, target }) => `${method} ${target.replace(/^http:\/\/[^/]+/, '')}`),
        ['GET /ok/payments/pay_1', 'POST /ok/payments'],
      )
      for (const request of requests) checkRequest(request, allowed)
      assert.deepEqual(JSON.parse(requests[1].body), body)
    },
    async retry() {
      const payment = await call('/retry', (payments) => payments.payments.capture('pay_1', { amount: 100 }))
      assert.equal(payment.id, 'pay_1')
      const requests = await recorded('/retry')
      checkRetry(requests)
      for (const request of requests) checkRequest(request, allowed)
    },
    async reset() {
      const payment = await call('/reset', (payments) => payments.payments.capture('pay_1', { amount: 100 }))
      assert.equal(payment.id, 'pay_1')
      checkRetry(await recorded('/reset'))
      const error = await failureOf(
        call('/reset-always', (payments) => payments.clientSessions.create({ orderId: 'o' })),
      )
      assert.deepEqual([error.code, error.outcome], ['ERR_CONNECTION', 'unknown'])
      assert.equal((await recorded('/reset-always')).length, 1)
    },
    async refused() {
      const options = { baseUrl: closedUrl, maxRetries: 0 }
      const error = await failureOf(call('', (payments) => payments.payments.create(body), options))
      assert.deepEqual([error.code, error.outcome], ['ERR_CONNECTION', isCustomFetch ? 'unknown' : 'not_sent'])
    },
    ...(trace.length > 0 && {
      async trace() {
        for (const request of await recorded('/ok')) {
          for (const name of trace) assert.ok(headerOf(request, name), `${name} is missing`)
        }
      },
    }),
  }
}

export const mockedHost = 'https://service.test'
const payment = { id: 'pay_1', status: 'AUTHORIZED' }

/**
 * Returns the cases for a tool that replaces the responses of `https://service.test`.
 *
 * @param mock `mock(method, path, respond, times)` makes the tool call `respond` with the headers and the body of each
 * request. `respond` returns `{ status, body }`. Without `respond`, the request fails with a connection error.
 */
export function mockCases(mock) {
  const client = () => newClient('', { baseUrl: mockedHost })
  const recording =
    (requests, statuses = [200]) =>
    (request) => {
      const status = statuses[requests.push(request) - 1] ?? 200
      return { status, body: status === 200 ? payment : {} }
    }
  return {
    async 'mocked headers'() {
      const requests = []
      await mock('GET', '/payments/pay_1', recording(requests))
      await mock('POST', '/payments', recording(requests))
      const { payments } = await client()
      assert.equal((await payments.get('pay_1')).id, 'pay_1')
      assert.equal((await payments.create(body)).id, 'pay_1')
      for (const request of requests) {
        assert.equal(headerOf(request, 'x-api-key'), apiKey)
        assert.equal(headerOf(request, 'x-api-version'), '2021-09-27')
      }
      if (requests[1].body !== '') assert.deepEqual(JSON.parse(requests[1].body), body)
    },
    async 'mocked retry'() {
      const requests = []
      await mock('POST', '/payments/pay_1/capture', recording(requests, [503]), 2)
      assert.equal((await (await client()).payments.capture('pay_1', { amount: 100 })).id, 'pay_1')
      checkRetry(requests)
    },
    async 'mocked fault'() {
      await mock('POST', '/client-session')
      const error = await failureOf((await client()).clientSessions.create({ orderId: 'o' }))
      assert.deepEqual([error.code, error.outcome], ['ERR_CONNECTION', 'unknown'])
    },
    async 'requests that are not mocked'() {
      await (await newClient('/ok')).payments.create(body)
      for (const request of await recorded('/ok')) checkRequest(request)
    },
  }
}

/** Checks that a call ends at its time limit if the tool never responds. */
export async function checkMockedTimeout() {
  const client = await newClient('', { baseUrl: mockedHost, timeout: 100, maxRetries: 0 })
  assert.equal((await failureOf(client.payments.get('pay_1'))).code, 'ERR_TIMEOUT')
}
