import http from 'node:http'
import { inspect } from 'node:util'
import type { ConnectionError, FetchInit, FetchResponse } from 'payments-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  aClient,
  clientOf,
  errorResponse,
  failLookup,
  failureOf,
  payment,
  retryAtOnce,
  serve,
} from '../support/clients.js'
import { operations } from '../support/operations.js'
import { read, respondWith } from '../support/scripted-server.js'

const refusedConnection = () =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:443'), { code: 'ECONNREFUSED', syscall: 'connect' })

describe('a client whose connection fails', () => {
  const causes: [string, () => Error][] = [
    ['ECONNREFUSED', refusedConnection],
    ['a fetch error with the cause ECONNREFUSED', () => new TypeError('fetch failed', { cause: refusedConnection() })],
    ['ENOTFOUND', () => Object.assign(new Error('no name'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['a certificate error', () => Object.assign(new Error('no trust'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
    ['several connect failures', () => new AggregateError([refusedConnection(), refusedConnection()])],
  ]

  it.each(causes)('reports an unknown outcome if a custom fetch fails: %s', async (_, cause) => {
    const { client, requests } = aClient(() => Promise.reject(cause()), { maxRetries: 2 })

    const error = await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' }))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' })
    expect(requests).toHaveLength(1)
  })

  it('keeps the outcome "unknown" of a failed fetch even if a retry is rejected', async () => {
    retryAtOnce()
    const { client, requests } = aClient([() => Promise.reject(refusedConnection()), errorResponse(422)], {
      maxRetries: 2,
    })

    expect(await failureOf(client.payments.capture('pay_1'))).toMatchObject({ httpStatus: 422, outcome: 'unknown' })
    expect(requests[1]).toEqual(requests[0])
  })

  it('reports an unknown outcome if the retry’s connection is refused', async () => {
    retryAtOnce()
    const server = await serve([read(), () => server.close()])

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.capture('pay_1'))

    expect(server.requests).toHaveLength(1)
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'ECONNREFUSED', outcome: 'unknown' })
  })

  it('reports the outcome "not_sent" if a custom fetch throws synchronously', async () => {
    const fetch = (): Promise<Response> => {
      throw refusedConnection()
    }
    const error = await failureOf(aClient([], { fetch }).client.payments.resume('pay_1', { resumeToken: 'r' }))

    expect(error).toMatchObject({ outcome: 'not_sent', reason: 'ECONNREFUSED' })
  })

  it.each([
    ['not_sent if all its errors are connect failures', [refusedConnection(), refusedConnection()], 'not_sent'],
    [
      'unknown if one of its errors is not a connect failure',
      [refusedConnection(), Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })],
      'unknown',
    ],
  ])('reports an AggregateError with the outcome %s', async (_, causes, outcome) => {
    failLookup(new AggregateError(causes))

    const error = await failureOf(
      clientOf({ url: 'https://payments.test' }).payments.resume('pay_1', { resumeToken: 'resume_1' }),
    )

    expect(error).toMatchObject({ name: 'ConnectionError', outcome })
  })
})

describe('a function that wraps http.request', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

  /** Wraps `http.request` as instrumentation libraries do: copies the headers and adds a header. */
  function instrument() {
    const headersSeen: unknown[] = []
    const original = http.request
    const spy = vi.spyOn(http, 'request').mockImplementation(((...args: unknown[]) => {
      const options = args.find((arg) => typeof arg === 'object' && !(arg instanceof URL)) as http.RequestOptions
      headersSeen.push(options.headers)
      const instrumented = { ...options, headers: { ...(options.headers as object), traceparent } }
      return Reflect.apply(
        original,
        http,
        args.map((arg) => (arg === options ? instrumented : arg)),
      )
    }) as typeof http.request)
    onTestFinished(() => spy.mockRestore())
    return { headersSeen, restore: () => spy.mockRestore() }
  }

  const namesIn = (raw: Buffer) =>
    raw
      .toString('latin1')
      .split('\r\n\r\n')[0]!
      .split('\r\n')
      .slice(1)
      .map((line) => line.replace(/:.*/, '').toLowerCase())

  it('passes the headers of every operation to http.request as a plain object', async () => {
    const server = await serve(
      ...operations.map(({ response }) => respondWith(response, { headers: { connection: 'close' } })),
    )
    const client = clientOf(server)
    const { headersSeen } = instrument()

    for (const { call } of operations) await call(client)

    for (const headers of headersSeen) {
      expect(Array.isArray(headers)).toBe(false)
      expect(Object.values(headers as object)).toContain('key-1')
      expect(Object.keys(headers as object).filter((name) => /^\d+$/.test(name))).toEqual([])
    }
    expect(headersSeen).toHaveLength(operations.length)
    for (const { raw, headers } of server.requests) {
      const names = namesIn(raw)
      expect(names).toEqual([...new Set(names)])
      expect(names.filter((name) => /^\d+$/.test(name))).toEqual([])
      expect(headers).toMatchObject({ 'x-api-key': 'key-1', traceparent })
    }
  })

  it('passes every request to the wrapped http.request until the wrapper is removed', async () => {
    const server = await serve(respondWith(payment))
    const client = clientOf(server)

    await client.payments.get('pay_1')
    const { restore } = instrument()
    await client.payments.get('pay_1')
    restore()
    await client.payments.get('pay_1')

    expect(server.requests.map(({ headers }) => headers['traceparent'])).toEqual([undefined, traceparent, undefined])
  })
})

describe('a global undici dispatcher with interceptors', () => {
  it('sends requests of existing and new clients through the global dispatcher', async () => {
    const server = await serve(respondWith(payment))
    const existing = clientOf(server)
    await existing.payments.get('pay_1')
    const seen: string[] = []
    useDispatcher(({ dispatch }) => (options, handler) => {
      seen.push(`${options.method} ${options.path}`)
      return dispatch(options, handler)
    })

    await existing.payments.get('pay_1')
    await clientOf(server).payments.capture('pay_1')

    expect(seen).toEqual(['GET /payments/pay_1', 'POST /payments/pay_1/capture'])
  })
})

describe('a custom fetch', () => {
  it.each(operations)(
    'calls fetch with a URL string and an init object for $name',
    async ({ call, line, body, response }) => {
      const received: unknown[][] = []
      const fetch = async (...args: unknown[]) => {
        received.push(args)
        return Response.json(response)
      }
      const { client } = aClient([], { fetch: fetch as never })

      await call(client)

      expect(received).toHaveLength(1)
      const [url, init] = received[0] as [string, RequestInit]
      expect(url).toBeTypeOf('string')
      expect(`${init.method} ${url}`).toBe(line.replace(' /', ' https://payments.example.com/api/'))
      expect(init.body ?? undefined).toEqual(body && JSON.stringify(body))
      expect(new Headers(init.headers).get('x-api-key')).toBe('a-key-for-tests')
    },
  )

  it('accepts a minimal response object from a custom fetch', async () => {
    const respond = (status: number, body: object) => ({
      status,
      headers: { get: () => null },
      text: async () => JSON.stringify(body),
    })
    const clientReceiving = (response: FetchResponse) => aClient([], { fetch: async () => response }).client

    expect(await clientReceiving(respond(200, payment)).payments.get('pay_1')).toEqual(payment)
    expect(await clientReceiving(respond(200, { ok: true })).request({ method: 'GET', path: '/ok' })).toEqual({
      ok: true,
    })
    const error = { errorId: 'PaymentNotFound' }
    expect(await failureOf(clientReceiving(respond(404, { error })).payments.get('pay_1'))).toMatchObject(error)
  })

  it('passes cache: no-store to fetch, so that frameworks do not cache a payment', async () => {
    const fetch = vi.fn(async (_url: string, _init: FetchInit) => Response.json(payment))

    await aClient([], { fetch }).client.payments.get('pay_1')

    expect(fetch.mock.calls[0]?.[1]).toMatchObject({ cache: 'no-store' })
  })

  it.each<[string, string, (error: Error) => Promise<never>]>([
    [
      'throws',
      "The 'cache' field on 'RequestInitializerDict' is not implemented.",
      (error) => {
        throw error
      },
    ],
    ['rejects', 'Unsupported cache mode: no-store', (error) => Promise.reject(error)],
  ])('calls fetch again without cache if it %s because of this field', async (_, message, fail) => {
    const fetch = vi.fn((_url: string, init: FetchInit): Promise<FetchResponse> => {
      return 'cache' in init ? fail(new TypeError(message)) : Promise.resolve(Response.json(payment))
    })

    await expect(aClient([], { fetch }).client.payments.get('pay_1')).resolves.toEqual(payment)
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['an empty object', {}],
    ['the data', payment],
    ['a string', '{}'],
    ['a status without headers', { status: 200, text: async () => '{}' }],
  ])('reports an unknown outcome if a custom fetch resolves to %s', async (_, result) => {
    const { client } = aClient([], { fetch: async () => result as never })

    const error = await failureOf(client.payments.resume('pay_1', { resumeToken: 'resume_1' }))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown', reason: 'ERR_INVALID_RETURN_VALUE' })
    expect(error.cause).toMatchObject({ message: 'The function fetch must return a promise of a Response' })
  })

  it('reports an error thrown by fetch as the cause of the ConnectionError', async () => {
    const original = new TypeError('fetch failed', { cause: { code: 'ERR_INVALID_URL', message: 'Invalid URL' } })
    const { client } = aClient(() => Promise.reject(original))

    const error = (await failureOf(client.payments.capture('pay_1'))) as ConnectionError

    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'ERR_INVALID_URL' })
    const message = 'fetch failed: Invalid URL'
    expect(error.cause).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_URL', message })
    expect(error.originalCause).toBe(original)
  })

  it.each<[string, (key: string, headers: object) => unknown]>([
    [
      'whose properties contain the request',
      (_, headers) => Object.assign(new Error('failed'), { config: { headers } }),
    ],
    ['whose message contains the key', (key) => new Error(`request with ${key} failed`)],
    ['whose name and code contain the key', (key) => Object.assign(new Error('failed'), { name: key, code: key })],
    ['whose cause contains the key', (key) => new Error('failed', { cause: new Error(key) })],
    ['that is a string', (key) => `failed: ${key}`],
  ])('reveals no secret if a custom fetch throws an error %s', async (_, errorFor) => {
    const apiKey = 'SECRET-KEY-17'
    const headers = { authorization: 'Bearer own-header' }
    const fetch = async (_url: string, init: FetchInit) =>
      Promise.reject(errorFor(init.headers['x-api-key']!, init.headers))
    const { client } = aClient([], { fetch, apiKey, headers })

    const error = await failureOf(client.payments.capture('pay_1'))

    const cause = error.cause as Error
    const all = { depth: Number.POSITIVE_INFINITY, showHidden: true }
    const printed = [inspect(error, all), inspect(cause, all), error.stack, cause.stack, JSON.stringify([error, cause])]
    expect(cause).toBeInstanceOf(Error)
    expect(printed.join('\n')).not.toMatch(/SECRET-KEY|own-header/)
  })
})

type Dispatch = (options: { method: string; path: string; origin?: unknown }, handler: unknown) => boolean
interface Composable {
  dispatch: Dispatch
  compose(interceptor: (dispatch: Dispatch) => Dispatch): Composable
}

const globalDispatcher = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]

/** Adds an interceptor to undici's global dispatcher until the end of the test. */
function useDispatcher(intercept: (next: { dispatch: Dispatch }) => Dispatch): void {
  // Creates a Response first, because Node sets its global dispatcher when the first Response is created.
  new Response()
  const globals = globalThis as unknown as Record<symbol, Composable>
  const symbol = globalDispatcher.find((candidate) => globals[candidate] !== undefined) as symbol
  const usual = globals[symbol] as Composable
  const composed = usual.compose((dispatch) => intercept({ dispatch }))
  globals[symbol] = composed
  onTestFinished(() => {
    globals[symbol] = usual
  })
}
