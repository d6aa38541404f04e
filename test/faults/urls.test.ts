import fc from 'fast-check'
import { type ApiError, type ConfigurationError, PaymentsClient } from 'payments-client'
import { describe, expect, it } from 'vitest'
import {
  clientOf,
  clientReceiving,
  clientWith,
  describeWithEachAdapter,
  failureOf,
  payment,
  serve,
} from '../support/clients.js'
import { hang, read, respondWith, responseBytes, write } from '../support/scripted-server.js'

describeWithEachAdapter('a client', (clientOf) => {
  const redirect = (status: number, location: string) => [
    read(),
    write(responseBytes('', { status, headers: { location } })),
    read(),
    write(responseBytes(payment)),
  ]

  it.each([301, 302, 303, 307, 308])('U01 does not follow a %i redirect to another origin', async (status) => {
    const elsewhere = await serve(respondWith(payment))
    const server = await serve(redirect(status, `${elsewhere.url}/payments/pay_1?secret=in-the-location`))
    const client = clientOf(server, { maxRetries: 2 })

    const error = (await failureOf(client.payments.capture('pay_1'))) as ApiError

    expect(error).toMatchObject({ name: 'ApiError', httpStatus: status, outcome: 'unknown' })
    expect(error.message).toContain(String(status))
    expect(error.message).not.toContain('in-the-location')
    expect(error.headers.get('location')).toContain(elsewhere.url)
    expect(elsewhere.connections).toBe(0)
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['the same origin', (url: string) => `${url}/payments/pay_2`],
    ['a relative URL on the same origin', () => '/payments/pay_2'],
    ['its own URL', (url: string) => `${url}/payments/pay_1`],
    ['plain http', (url: string) => url.replace('127.0.0.1', 'localhost')],
    ['a URL without a host', () => 'http://'],
  ])('U02 does not follow a redirect to %s', async (_, locate) => {
    let location = '/'
    const server = await serve([read(), write(() => responseBytes('', { status: 302, headers: { location } })), read()])
    location = locate(server.url)

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.get('pay_1'))

    expect(error).toMatchObject({ name: 'ApiError', httpStatus: 302, outcome: 'rejected' })
    expect(server.requests).toHaveLength(1)
  })

  it('U02 reports a redirected GET with the outcome rejected, without waiting for the body', async () => {
    const bytes = responseBytes('body', { status: 302, headers: { location: '/' } }).slice(0, -1)
    const server = await serve([read(), write(bytes), hang()], [read(), write(bytes), hang()])
    const client = clientOf(server, { maxRetries: 2, timeout: 100 })

    const retrieval = await failureOf(client.payments.get('pay_1'))
    const change = await failureOf(client.payments.capture('pay_1'))

    expect(retrieval).toMatchObject({ outcome: 'rejected', attempts: [{ status: 302 }] })
    expect(change).toMatchObject({ outcome: 'unknown', attempts: [{ status: 302 }] })
  })

  it('U06 sends an id that contains any characters as one path segment', async () => {
    const server = await serve(respondWith(payment))
    const client = clientOf(server)
    const parts = fc.constantFrom(
      '/',
      '?',
      '#',
      '\\',
      '%2e%2e',
      '%2F',
      '..',
      '.',
      ':',
      '@',
      '&',
      '=',
      '+',
      ' ',
      'ü',
      '金',
      '😀',
    )
    const ids = fc
      .array(fc.oneof(parts, fc.string({ unit: 'grapheme', maxLength: 4 })), { minLength: 1, maxLength: 8 })
      .map((found) => found.join(''))
      .filter((id) => !isInvalid(id))

    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        await client.payments.cancel(id)

        const segments = server.requests.at(-1)?.path.split('/') ?? []
        expect(segments).toEqual(['', 'payments', expect.any(String), 'cancel'])
        expect(decodeURIComponent(segments[2] as string)).toBe(id)
      }),
    )
  })
})

describe('new PaymentsClient', () => {
  const rejection = (baseUrl: string) => {
    try {
      return expect.fail(`${new PaymentsClient({ apiKey: 'key-1', baseUrl })} was made`)
    } catch (error) {
      return error as ConfigurationError
    }
  }

  it.each([
    'http://payments.test',
    'http://127.0.0.1.payments.test',
    'http://localhost.test',
    'http://10.0.0.1',
    'ftp://localhost',
  ])('U03 rejects a base URL without TLS: %s', (baseUrl) => {
    expect(rejection(baseUrl)).toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining('https') })
  })

  it('U04 rejects a base URL with credentials, a query, a fragment or an invalid port, and does not print it', () => {
    const bad = fc.oneof(
      fc
        .constantFrom('canary:@', ':canary@', 'canary@', 'canary:canary@')
        .map((user) => `https://${user}payments.test/v1`),
      fc
        .constantFrom('?', '?canary', '?canary=1', '#', '#canary', '/v1?canary#canary')
        .map((end) => `https://payments.test${end}`),
      fc.constantFrom('99999', '-1', 'canary', '65536').map((port) => `https://payments.test:${port}/v1`),
    )

    fc.assert(
      fc.property(bad, (baseUrl) => {
        const error = rejection(baseUrl)

        expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'not_sent' })
        expect(String(error.stack)).not.toContain('canary')
      }),
    )
  })
})

describe('an id in a path', () => {
  it('U05 is rejected before sending if it is not a valid path segment', async () => {
    let requests = 0
    const client = clientWith(() => {
      requests++
      return Response.json(payment)
    })
    const control = fc.integer({ min: 0, max: 31 }).map((code) => `pay${String.fromCharCode(code)}1`)
    const bad = fc.oneof(
      fc.constantFrom('', '.', '..', 'a\u007f', '\ud800', 'pay_\udfff', 'x'.repeat(1025)),
      control,
      fc.constantFrom(null, 12, {}, [], ['..'], true),
    )

    await fc.assert(
      fc.asyncProperty(bad, async (id) => {
        const error = await failureOf(client.payments.get(id as string))

        expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent', attempts: [] })
      }),
    )
    expect(requests).toBe(0)
  })

  it('U05 either is rejected or arrives as one path segment', async () => {
    let path = ''
    const client = clientWith((request) => {
      path = new URL(request.url).pathname
      return Response.json(payment)
    })

    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 12 }), async (id) => {
        const rejected = await client.payments.get(id).then(
          () => false,
          (error) => error.outcome === 'not_sent',
        )

        expect(rejected).toBe(isInvalid(id))
        if (!rejected) expect(path.split('/').map(decodeURIComponent)).toEqual(['', 'api', 'payments', id])
      }),
    )
  }, 20_000)

  it.each([
    '/../admin',
    '/payments/../admin',
    '/payments/%2e%2e/admin',
    '/payments/.%2E/admin',
    '/./payments',
    '//other.test/x',
    '/payments\\..\\x',
  ])('U05 is rejected as part of an unsafe path in client.request: %s', async (path) => {
    const server = await serve(respondWith(payment))

    const error = await failureOf(clientOf(server).request({ method: 'GET', path }))

    expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
    expect(server.connections).toBe(0)
  })
})

describe('a string with an unpaired surrogate', () => {
  const half = 'a\ud800'

  it.each<[string, (client: PaymentsClient) => PromiseLike<unknown>]>([
    ['a filter', (client) => client.payments.list({ orderId: half })],
    ['a token', (client) => client.clientSessions.get(half)],
    ['a query value of client.request', (client) => client.request({ method: 'GET', path: '/a', query: { b: half } })],
    ['a query name of client.request', (client) => client.request({ method: 'GET', path: '/a', query: { [half]: 1 } })],
  ])('U06 is rejected before sending in %s', async (_, send) => {
    const error = await failureOf(send(clientReceiving(payment)))

    expect(error).toMatchObject({ name: 'RequestValidationError', outcome: 'not_sent' })
    expect(error.message).toContain('must be well-formed Unicode')
  })
})

/** Returns whether an id is an invalid path segment. */
function isInvalid(id: string): boolean {
  const hasControl = [...id].some((character) => character < ' ' || character === '\u007f')
  return id === '' || id === '.' || id === '..' || hasControl || !id.isWellFormed()
}
