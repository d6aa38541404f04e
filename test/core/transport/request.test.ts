import { describe, expect, it } from 'vitest'
import {
  type ApiError,
  type IdempotentRequestOptions,
  type RawRequest,
  RequestValidationError,
} from '../../../src/index.js'
import { aClient, errorResponse, failureOf, sent } from '../../support/clients.js'
import { stopClock } from '../../support/clock.js'

describe('client.request', () => {
  it('sends the API key and the API version, and returns the response body', async () => {
    const body = { anything: [1, null, { deep: true }] }
    const { client, requests } = aClient([body])

    const result = await client.request({ method: 'GET', path: '/reports/2026/03' })

    expect(requests).toEqual([sent('GET /reports/2026/03')])
    expect(result).toEqual(body)
  })

  it('sends the query and the body unchanged', async () => {
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

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('sends %s without a body', async (method) => {
    const { client, requests } = aClient([{}])

    await client.request({ method, path: '/reports' })

    expect(requests).toEqual([sent(`${method} /reports`)])
  })

  it('sends the caller’s idempotency key, but generates none', async () => {
    const { client, requests } = aClient([{}, {}])

    await client.request({ method: 'POST', path: '/reports', body: {} })
    await client.request({ method: 'POST', path: '/reports', body: {} }, { idempotencyKey: 'key-1' })

    expect(requests).toEqual([
      sent('POST /reports', { body: {} }),
      sent('POST /reports', { body: {}, idempotencyKey: 'key-1' }),
    ])
  })

  it.each<[string, RawRequest, IdempotentRequestOptions, number]>([
    ['retries a GET request', { method: 'GET', path: '/reports' }, {}, 2],
    ['retries a request with an idempotency key', { method: 'POST', path: '/reports' }, { idempotencyKey: 'key-1' }, 2],
    ['sends a request without an idempotency key only once', { method: 'POST', path: '/reports' }, {}, 1],
  ])('%s', async (_, request, options, count) => {
    const { passUntil } = stopClock()
    const { client, requests } = aClient([errorResponse(503), errorResponse(503)], { maxRetries: 1 })

    const failing = failureOf(client.request(request, options))
    await passUntil(failing)

    expect(await failing).toMatchObject({ httpStatus: 503 })
    expect(requests).toHaveLength(count)
  })

  it('advises the caller after an unknown outcome of a POST, but not of a GET', async () => {
    const { client } = aClient([errorResponse(500), errorResponse(500)])

    const reading = await failureOf(client.request({ method: 'GET', path: '/reports' }))
    const writing = await failureOf(client.request({ method: 'POST', path: '/reports' }))

    expect(reading.message).toMatch(/responded 500$/)
    expect(writing.message).toMatch(/Check the current state before you retry it$/)
  })

  it.each([
    ['/payouts', 'read the data that it was meant to change'],
    ['/payments/pay_1/notes', 'retrieve the payment and check its transactions'],
  ])('explains how to check the outcome of a POST to %s', async (path, lookup) => {
    const { client } = aClient([errorResponse(500)])

    const error = await failureOf(client.request({ method: 'POST', path }, { idempotencyKey: 'key-1' }))

    expect(error.message.endsWith(`, or ${lookup}`)).toBe(true)
  })

  it('returns undefined for an empty response body', async () => {
    const { client } = aClient([new Response(null, { status: 204 })])

    const { data, response } = await client.request({ method: 'DELETE', path: '/reports/1' }).withResponse()

    expect(data).toBeUndefined()
    expect(response.status).toBe(204)
  })

  it.each([
    'reports',
    '',
    '//evil.example.com/reports',
    '/../reports',
    '/./reports',
    '/reports/../../admin',
    '/reports/%2e%2e/admin',
    '/reports/%2E./admin',
    '/reports/..',
    '/reports/..%2fadmin',
    '/reports/..%2Fadmin',
    '/reports/%2e%2e%5cadmin',
    '/reports/a%2f..%2fadmin',
    '/reports/a%5c.',
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
  ])('rejects the path %j', async (path) => {
    const { client, requests } = aClient([{}])

    await expect(client.request({ method: 'GET', path: path as string })).rejects.toThrow(RequestValidationError)
    expect(requests).toEqual([])
  })

  const get = (fields: object) => ({ method: 'GET', path: '/reports', ...fields })
  const post = (fields: object) => ({ method: 'POST', path: '/reports', ...fields })
  const circle: Record<string, unknown> = {}
  circle['circle'] = { circle }

  it.each<[string, unknown, string]>([
    ['a method in lower case', get({ method: 'get' }), "method must be 'GET', 'POST'"],
    ['no method', { path: '/reports' }, "method must be 'GET'"],
    [
      'an invalid method and path',
      get({ method: 'get', path: '/reports/%zz' }),
      'path must have valid percent-encoding',
    ],
    ['an incomplete path', get({ path: 'reports' }), 'request: path must start with /, without empty segments'],
    ['a body with GET', get({ body: {} }), 'body cannot be sent with GET'],
    ['a misspelled field', post({ boddy: {} }), 'did you mean "body"?'],
    ['an array as body', post({ body: [] }), 'must be an object'],
    ['NaN in the body', post({ body: { a: [Number.NaN] } }), 'a[0] must be a JSON value'],
    ['NaN in a field named like an option', post({ body: { headers: { a: Number.NaN } } }), 'headers.a must be a JSON'],
    ['undefined in the body', post({ body: { a: undefined } }), 'a must be a JSON value'],
    ['a circular body', post({ body: circle }), 'is nested more than 500 levels deep'],
    ['NaN in the query', get({ query: { a: Number.NaN } }), 'a must be a string, a finite number'],
    ['an object in the query', get({ query: { a: {} } }), 'a must be a string, a finite number'],
    [
      'a comma in an item of a query array',
      get({ query: { ids: ['a', 'b,c'] } }),
      'ids must not contain an item with a comma, because commas separate the items',
    ],
    ['a string instead of an object', '/reports', 'must be an object of fields'],
    ['an array instead of an object', ['GET', '/reports'], 'must be an object of fields'],
    ['null instead of an object', null, 'must be an object of fields'],
    ['undefined instead of an object', undefined, 'must be an object of fields'],
  ])('rejects a request with %s', async (_, request, message) => {
    const { client, requests } = aClient([{}])

    const result = client.request(request as RawRequest)

    await expect(result).rejects.toThrow(RequestValidationError)
    await expect(result).rejects.toThrow(message)
    expect(requests).toEqual([])
  })

  it('rejects an idempotency key for GET', async () => {
    const { client, requests } = aClient([{}])

    const result = client.request({ method: 'GET', path: '/reports' }, { idempotencyKey: 'key-1' })

    await expect(result).rejects.toThrow('options.idempotencyKey is not an option of request')
    expect(requests).toEqual([])
  })

  it('omits path segments from error messages', async () => {
    const { client } = aClient([Response.json({}, { status: 404 })])

    const result = client.request({ method: 'GET', path: '/reports/a-secret' })

    await expect(result).rejects.toThrow('request (GET /reports/:segment2): the service responded 404')
  })

  it.each([
    ['shows a payment id from the path', 'payments', 'pay_12345'],
    ['does not show any other id from the path', 'reports', undefined],
  ])('throws an error that %s', async (_, collection, paymentId) => {
    const { client } = aClient([errorResponse(403, { errorId: 'NotYours', paymentId: 'pay_12345' })])

    const error = await failureOf(client.request({ method: 'GET', path: `/${collection}/pay_12345/notes` }))

    expect((error as ApiError).paymentId).toBe(paymentId)
  })
})
