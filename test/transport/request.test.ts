import { describe, expect, it } from 'vitest'
import {
  type ApiError,
  type IdempotentRequestOptions,
  type RawRequest,
  RequestValidationError,
} from '../../src/index.js'
import { stopClock } from '../support/clock.js'
import { failureOf, refused } from '../support/failures.js'
import { aClient, sent } from '../support/recording-fetch.js'

describe('client.request', () => {
  it('reaches what is not modelled, with key and version', async () => {
    const answer = { anything: [1, null, { deep: true }] }
    const { client, requests } = aClient([answer])

    const result = await client.request({ method: 'GET', path: '/reports/2026/03' })

    expect(requests).toEqual([sent('GET /reports/2026/03')])
    expect(result).toEqual(answer)
  })

  it('writes query and body as it is told', async () => {
    const { client, requests } = aClient([{}], { apiVersion: '2.1' })
    const body = { a: [1, 'two', { three: null }], b: false }

    await client.request({
      method: 'POST',
      path: '/reports',
      query: { some_name: 'a b', list: ['x', 7], since: new Date(0), all: true, count: 2, not_this: undefined },
      body,
    })

    const query = 'some_name=a%20b&list=x,7&since=1970-01-01T00%3A00%3A00.000Z&all=true&count=2'
    expect(requests).toEqual([sent(`POST /reports?${query}`, { body, version: '2.1' })])
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('sends a %s without a body', async (method) => {
    const { client, requests } = aClient([{}])

    await client.request({ method, path: '/reports' })

    expect(requests).toEqual([sent(`${method} /reports`)])
  })

  it('sends the idempotency key of the caller, and makes none', async () => {
    const { client, requests } = aClient([{}, {}])

    await client.request({ method: 'POST', path: '/reports', body: {} })
    await client.request({ method: 'POST', path: '/reports', body: {} }, { idempotencyKey: 'key-1' })

    expect(requests).toEqual([
      sent('POST /reports', { body: {} }),
      sent('POST /reports', { body: {}, idempotencyKey: 'key-1' }),
    ])
  })

  it.each<[string, RawRequest, IdempotentRequestOptions, number]>([
    ['repeats what only reads', { method: 'GET', path: '/reports' }, {}, 2],
    ['repeats what has a key', { method: 'POST', path: '/reports' }, { idempotencyKey: 'key-1' }, 2],
    ['sends once what has none', { method: 'POST', path: '/reports' }, {}, 1],
  ])('%s', async (_what, request, options, sendings) => {
    const { passUntil } = stopClock()
    const { client, requests } = aClient([refused(503), refused(503)], { maxRetries: 1 })

    const failing = failureOf(client.request(request, options))
    await passUntil(failing)

    expect(await failing).toMatchObject({ status: 503 })
    expect(requests).toHaveLength(sendings)
  })

  it('gives advice where something may have happened, and none where it only reads', async () => {
    const { client } = aClient([refused(500), refused(500)])

    const reading = await failureOf(client.request({ method: 'GET', path: '/reports' }))
    const writing = await failureOf(client.request({ method: 'POST', path: '/reports' }))

    expect(reading.message).toMatch(/responded 500$/)
    expect(writing.message).toMatch(/Check what exists before you retry it$/)
  })

  it.each([
    ['/payouts', 'read what it was to change'],
    ['/payments/pay_1/notes', 'retrieve the payment and check its transactions'],
  ])('says how to find out what became of %s', async (path, lookup) => {
    const { client } = aClient([refused(500)])

    const error = await failureOf(client.request({ method: 'POST', path }, { idempotencyKey: 'key-1' }))

    expect(error.message.endsWith(`, or ${lookup}`)).toBe(true)
  })

  it('returns nothing where the answer is empty', async () => {
    const { client } = aClient([new Response(null, { status: 204 })])

    const { data, response } = await client.request({ method: 'DELETE', path: '/reports/1' }).withResponse()

    expect(data).toBeUndefined()
    expect(response.status).toBe(204)
  })

  it.each(['a%2Fb%20c', 'a%5Cb', '...', 'a..b', '..a%2Fb..', '.a'])(
    'keeps the segment %s one segment',
    async (segment) => {
      const { client, requests } = aClient([{}])

      await client.request({ method: 'GET', path: `/reports/${segment}` })

      expect(requests).toEqual([sent(`GET /reports/${segment}`)])
    },
  )

  it.each([
    'reports',
    '',
    '/',
    '//evil.example.com/reports',
    'https://evil.example.com/reports',
    '/../reports',
    '/./reports',
    '/reports/../../admin',
    '/reports/%2e%2e/admin',
    '/reports/%2E./admin',
    '/reports/..',
    '/..',
    '/.',
    '/reports/..%2fadmin',
    '/reports/..%2Fadmin',
    '/reports/%2e%2e%5cadmin',
    '/reports/%2E%2e%2f',
    '/reports/a%2f..%2fadmin',
    '/reports/a%5c.',
    '/..%2fadmin',
    '/reports//1',
    '/reports/',
    '/reports?all=true',
    '/reports#top',
    '/reports\\..\\admin',
    '/reports/%',
    '/reports/%00',
    '/re ports',
    '/reports/a\nb',
    5,
    undefined,
    ['/reports'],
  ])('refuses the path %j', async (path) => {
    const { client, requests } = aClient([{}])

    const requesting = client.request({ method: 'GET', path: path as string })

    await expect(requesting).rejects.toThrow(RequestValidationError)
    expect(requests).toEqual([])
  })

  const circle: Record<string, unknown> = {}
  circle['circle'] = { circle }

  it.each<[string, unknown, string]>([
    ['a method in small letters', { method: 'get', path: '/reports' }, "method must be 'GET', 'POST'"],
    ['no method', { path: '/reports' }, "method must be 'GET'"],
    [
      'a path that does not start with /',
      { method: 'GET', path: 'reports' },
      'request: path must start with / and have',
    ],
    ['a body with GET', { method: 'GET', path: '/reports', body: {} }, 'body cannot be sent with GET'],
    ['a misspelt field', { method: 'POST', path: '/reports', boddy: {} }, 'did you mean "body"?'],
    ['a list as body', { method: 'POST', path: '/reports', body: [] }, 'must be an object'],
    ['NaN in the body', { method: 'POST', path: '/reports', body: { a: [Number.NaN] } }, 'a[0] must be a JSON value'],
    ['undefined in the body', { method: 'POST', path: '/reports', body: { a: undefined } }, 'a must be a JSON value'],
    ['a circle in the body', { method: 'POST', path: '/reports', body: circle }, 'is nested more than 500 levels deep'],
    [
      'NaN in the query',
      { method: 'GET', path: '/reports', query: { a: Number.NaN } },
      'a must be a string, a finite number',
    ],
    [
      'an object in the query',
      { method: 'GET', path: '/reports', query: { a: {} } },
      'a must be a string, a finite number',
    ],
    ['a path alone', '/reports', 'must be an object of fields'],
    ['a list', ['GET', '/reports'], 'must be an object of fields'],
    ['null', null, 'must be an object of fields'],
    ['no request', undefined, 'must be an object of fields'],
  ])('refuses %s', async (_what, request, message) => {
    const { client, requests } = aClient([{}])

    const requesting = client.request(request as RawRequest)

    await expect(requesting).rejects.toThrow(RequestValidationError)
    await expect(requesting).rejects.toThrow(message)
    expect(requests).toEqual([])
  })

  it('names itself in what it refuses', async () => {
    const { client } = aClient()

    const wrongField = client.request({ method: 'POST', path: '/reports', boddy: {} } as RawRequest)
    const wrongPath = client.request({ method: 'GET', path: '/reports/..%2fadmin' })

    await expect(client.request('/reports' as never)).rejects.toThrow(/^request: the value must be an object/)
    await expect(wrongField).rejects.toMatchObject({ operation: 'request', outcome: 'not_sent' })
    await expect(wrongField).rejects.toThrow(/^request: boddy is not a field/)
    await expect(wrongPath).rejects.toThrow('request: path must be percent-encoded properly, without dot segments')
  })

  it('refuses a key with GET, which needs none', async () => {
    const { client, requests } = aClient([{}])

    const requesting = client.request({ method: 'GET', path: '/reports' }, { idempotencyKey: 'key-1' })

    await expect(requesting).rejects.toThrow('options.idempotencyKey is not taken by request')
    expect(requests).toEqual([])
  })

  it('keeps the segments of the path out of messages, since they may be secret', async () => {
    const { client } = aClient([Response.json({}, { status: 404 })])

    const requesting = client.request({ method: 'GET', path: '/reports/a-secret' })

    await expect(requesting).rejects.toThrow('request (GET /reports/:segment2): the service responded 404')
  })

  it.each([
    ['is named by a refusal about a payment', 'payments', 'pay_12345'],
    ['is dropped from any other refusal, since it may be secret', 'reports', undefined],
  ])('what its path says %s', async (_what, collection, paymentId) => {
    const { client } = aClient([refused(403, { errorId: 'NotYours', paymentId: 'pay_12345' })])

    const error = await failureOf(client.request({ method: 'GET', path: `/${collection}/pay_12345/notes` }))

    expect((error as ApiError).paymentId).toBe(paymentId)
  })
})
