import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, ConfigurationError, createMemoryJournal, PaymentsClient } from '../src/index.js'
import { aClient, apiKey, baseUrl, sent } from './support/clients.js'
import { authorizedPayment, authorizedPaymentV21 } from './support/responses/payments.js'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** Returns the error that the constructor throws. */
function rejection(options: unknown): ConfigurationError {
  try {
    new PaymentsClient(options as ClientOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return error as ConfigurationError
  }
  throw new Error('The constructor accepted the options')
}

const asciiToken = 'must contain only ASCII letters, digits and characters such as - . _, without spaces'

describe('new PaymentsClient', () => {
  it('reads apiKey and baseUrl from the environment', async () => {
    vi.stubEnv('PAYMENTS_API_KEY', 'key-from-environment')
    vi.stubEnv('PAYMENTS_BASE_URL', 'https://environment.example.com')
    const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json(authorizedPayment))
    const client = new PaymentsClient({ fetch })

    await client.payments.get('pay_1')

    const [url, init] = fetch.mock.calls[0] ?? []
    expect(url).toBe('https://environment.example.com/payments/pay_1')
    expect(new Headers(init?.headers).get('x-api-key')).toBe('key-from-environment')
  })

  it('prefers options to environment variables', async () => {
    vi.stubEnv('PAYMENTS_API_KEY', 'key-from-environment')
    vi.stubEnv('PAYMENTS_BASE_URL', 'https://environment.example.com')
    const { client, requests } = aClient([authorizedPayment])

    await client.payments.get('pay_1')

    expect(requests).toEqual([sent('GET /payments/pay_1')])
  })

  it('treats an undefined option as absent', async () => {
    vi.stubEnv('PAYMENTS_API_KEY', apiKey)
    const { client, requests } = aClient([authorizedPayment], {
      apiKey: undefined,
      apiVersion: undefined,
      timeout: undefined,
    })

    await client.payments.get('pay_1')

    expect(requests).toEqual([sent('GET /payments/pay_1')])
  })

  it.each([
    ['apiKey', 'PAYMENTS_API_KEY', { baseUrl }],
    ['baseUrl', 'PAYMENTS_BASE_URL', { apiKey }],
  ])('names the option and the environment variable in the error if %s is missing', (name, variable, options) => {
    vi.stubEnv(variable, undefined)

    const error = rejection(options)

    expect(error.message).toBe(`No ${name}: pass the option, or set the environment variable ${variable}`)
    expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent' })
  })

  it.each([
    ['without process', undefined],
    ['without process.env', {}],
  ])('creates a client in a runtime %s', (_, process) => {
    vi.stubGlobal('process', process)

    const { message } = rejection({ baseUrl })

    vi.unstubAllGlobals()
    expect(message).toBe('No apiKey: pass the option, or set the environment variable PAYMENTS_API_KEY')
  })

  it('explains how to pass the API key if the first argument is a string', () => {
    const { message } = rejection('sk_live_51H8' as unknown as ClientOptions)

    expect(message).toBe('Pass the options in an object: new PaymentsClient({ apiKey, baseUrl })')
  })

  it.each([
    ['secret_key', 'apiKey'],
    ['baseURL', 'baseUrl'],
    ['maxNetworkRetries', 'maxRetries'],
  ])('suggests the option with the same meaning as the unknown option %s', (name, suggestion) => {
    const { message } = rejection({ apiKey, baseUrl, [name]: 1 })

    expect(message).toBe(`Invalid client options: ${name} is not an option: did you mean "${suggestion}"?`)
  })

  it.each([null, 'https://payments.example.com', 5])('rejects %j, which is not an options object', (options) => {
    expect(rejection(options).message).toBe('Invalid client options: the value must be an object of options')
  })

  const milliseconds = 'must be a number of milliseconds from 1 to 2147483647'
  const texts = 'must be an object whose values are strings'

  it.each([
    ['timeout', milliseconds, [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000', null]],
    ['totalTimeout', milliseconds, [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000']],
    ['maxRetries', 'must be an integer from 0 to 100', [-1, 1.5, 101, Number.NaN, Number.POSITIVE_INFINITY, '2']],
    ['maxResponseBytes', 'must be an integer of at least 1', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1']],
    ['maxConnections', 'must be an integer of at least 1', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1']],
    ['idempotency', "must be 'auto', 'off' or a function", ['on', true, null, 5]],
    ['responseValidation', "must be 'throw', 'report' or 'off'", ['warn', true, false, null]],
    ['apiVersion', 'must be a version, such as 2021-09-27', ['', ' ', 'v 2', '2.1\n', '1'.repeat(101), 2.1, null]],
    ['query', texts, ['a=1', ['a'], { a: 1 }, { a: '\ud800' }, { '\ud800': 'a' }, null]],
    ['query', 'is not a plain object: convert it first', [new URLSearchParams(), new Map()]],
    ['fetch', 'must be a function', ['fetch', {}, null]],
    ['journal', 'must be a journal from createJournal or createMemoryJournal', [{}, null]],
    ['hooks', 'must be an object of hooks', ['onRequest', null]],
    ['hooks.onRequest', 'must be a function', [{ onRequest: 'log' }]],
    ['hooks.onResponse', 'must be a function', [{ onResponse: 'log' }]],
    ['hooks.onRetry', 'must be a function', [{ onRetry: 'log' }]],
    ['hooks.onResponseIssue', 'must be a function', [{ onResponseIssue: 'log' }]],
    ['hooks.onResult', 'must be a function', [{ onResult: 'log' }]],
    ['logger', 'must be an object with the methods debug, info, warn, error', ['console', {}, null]],
    ['logLevel', "must be 'debug', 'info', 'warn', 'error' or 'off'", ['loud']],
    ['agent', 'must be an object with the method addRequest', [{}]],
    ['appInfo', 'must be an object of fields', [5]],
    ['appInfo', 'must have a name', [{}, { version: '2' }]],
    ['appInfo.name', asciiToken, [{ name: 'two words' }, { name: 'Café' }, { name: 5 }]],
    ['appInfo.version', asciiToken, [{ name: 'shop', version: '(2' }]],
    ['appInfo.url', 'must be a URL', [5, 'a)b', 'a(b', ''].map((url) => ({ name: 'shop', url }))],
    ['appInfo.verson', 'is not a field: did you mean "version"?', [{ name: 'shop', verson: '1' }]],
    ['dangerouslyAllowBrowser', 'must be true or false', ['yes']],
  ] as const)('rejects invalid values of %s: %s', (name, problem, values) => {
    const [option = ''] = name.split('.')
    for (const value of values) {
      const { message } = rejection({ apiKey, baseUrl, [option]: value })
      expect([value, message]).toEqual([value, `Invalid client options: ${name} ${problem}`])
    }
  })

  it.each([
    ['timeout', [1, 2 ** 31 - 1]],
    ['totalTimeout', [1, 2 ** 31 - 1]],
    ['maxRetries', [0, 100]],
    ['maxResponseBytes', [1, Number.MAX_SAFE_INTEGER]],
    ['maxConnections', [1, Number.MAX_SAFE_INTEGER]],
    ['idempotency', ['auto', 'off', () => 'key']],
    ['responseValidation', ['throw', 'report', 'off']],
    ['apiVersion', ['2021-09-27', '2.1', '2099-01-01']],
    ['fetch', [() => {}]],
    ['hooks', [{}, { onRequest() {}, onRetry: undefined }, Object.create({ onResult() {} })]],
    ['logger', [console]],
  ])('accepts valid values of %s', (name, values) => {
    for (const value of values) expect(() => new PaymentsClient({ apiKey, baseUrl, [name]: value })).not.toThrow()
  })

  it('rejects a misspelled hook and suggests the valid name', () => {
    const { message } = rejection({ apiKey, baseUrl, hooks: { onRequests() {} } })

    expect(message).toContain('hooks.onRequests is not a hook: did you mean "onRequest"?')
  })

  it.each([
    ['is empty', ['', 'undefined', 'null']],
    [
      'contains a space, a line break or a character outside ASCII',
      [' ', ' key', 'key with space', 'key\n', 'key\r\nx-evil: 1', 'ключ', 'key\u0000'],
    ],
    ['must be a string, or a function that returns it', [5, null, {}]],
  ])('rejects an API key that %s, without printing it', (problem, keys) => {
    const errors = keys.map((key) => rejection({ apiKey: key, baseUrl }))

    for (const { message } of errors) expect(message).toBe(`Invalid client options: apiKey ${problem}`)
    expect(inspect(errors, { depth: 9, showHidden: true })).not.toContain('evil')
  })

  const insecure = 'must use https (http is allowed only for loopback addresses)'

  it.each([
    ['http://payments.example.com', insecure],
    ['ftp://localhost', insecure],
    ['http://127.0.0.1.example.com', insecure],
    ['http://localhost.example.com', insecure],
    ['payments.example.com', 'is not a URL, such as https://api.example.com'],
    ['', 'is not a URL, such as https://api.example.com'],
    ['https://payments.example.com:65536', 'is not a URL, such as https://api.example.com'],
    [5, 'must be a URL'],
  ])('rejects the insecure or invalid base URL %j', (url, problem) => {
    expect(rejection({ apiKey, baseUrl: url }).message).toBe(`Invalid client options: baseUrl ${problem}`)
  })

  it.each([
    'https://user:secret@payments.example.com',
    'https://secret@payments.example.com',
    'https://:secret@payments.example.com',
    'https://payments.example.com?key=secret',
    'https://payments.example.com/#secret',
    'https://payments.example.com/?',
    'https://payments.example.com/#',
  ])('rejects the base URL %j without printing secrets', (url) => {
    const error = rejection({ apiKey, baseUrl: url })

    expect(error.message).toMatch(/must not (contain a user name or password|have a query or fragment)/)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('//secret')
    expect(error.message).not.toContain('secret')
  })

  it.each([
    ['https://payments.example.com', 'https://payments.example.com/payments/pay_1'],
    ['https://payments.example.com:8443/a/b', 'https://payments.example.com:8443/a/b/payments/pay_1'],
    ['https://payments.example.com/a/b///', 'https://payments.example.com/a/b/payments/pay_1'],
    [new URL('https://payments.example.com/v'), 'https://payments.example.com/v/payments/pay_1'],
    ['http://localhost:4010', 'http://localhost:4010/payments/pay_1'],
    ['http://127.0.0.10:4010', 'http://127.0.0.10:4010/payments/pay_1'],
    ['http://[::1]:4010', 'http://[::1]:4010/payments/pay_1'],
  ])('accepts the base URL %s', async (url, expected) => {
    const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json(authorizedPayment))
    const client = new PaymentsClient({ apiKey, baseUrl: url, fetch })

    await client.payments.get('pay_1')

    expect(fetch.mock.calls[0]?.[0]).toBe(expected)
  })
})

describe('client.withOptions of a client with a journal', () => {
  const journal = createMemoryJournal()
  const client = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.example/v1', journal })

  it.each([{ baseUrl: 'https://staging.example/v1' }, { apiKey: 'another-key' }])(
    'rejects %j unless a new journal is passed too',
    (options) => {
      expect(() => client.withOptions(options)).toThrow('A journal belongs to one service and account')
      expect(() => client.withOptions({ ...options, journal: createMemoryJournal() })).not.toThrow()
    },
  )

  it('accepts options that repeat the client’s base URL and API key', () => {
    expect(() => client.withOptions({ apiKey: 'key', baseUrl: 'https://payments.example/v1/' })).not.toThrow()
  })
})

describe('client.withOptions', () => {
  it('returns a copy, and does not change the original client', async () => {
    const { client, requests } = aClient([authorizedPaymentV21, authorizedPayment])

    const copy = client.withOptions({ apiVersion: '2.1', apiKey: 'another-key' })

    expect((await copy.payments.get('pay_1')).lineItems).toEqual(authorizedPaymentV21.lineItems)
    expect((await client.payments.get('pay_1')).order).toEqual(authorizedPayment.order)
    expect(requests.map(({ headers }) => [headers['x-api-version'], headers['x-api-key']])).toEqual([
      ['2.1', 'another-key'],
      ['2021-09-27', apiKey],
    ])
  })

  it('keeps the client’s value for an undefined option', async () => {
    vi.stubEnv('PAYMENTS_API_KEY', 'key-from-environment')
    const { client, requests } = aClient([authorizedPayment])

    await client.withOptions({ apiKey: undefined, baseUrl: undefined }).payments.get('pay_1')

    expect(requests).toEqual([sent('GET /payments/pay_1')])
  })

  it('keeps the changed options in a copy of a copy', async () => {
    const { client, requests } = aClient([authorizedPayment])

    await client.withOptions({ apiKey: 'another-key' }).withOptions({ maxRetries: 5 }).payments.get('pay_1')

    expect(requests[0]?.headers['x-api-key']).toBe('another-key')
  })

  it('withOptions rejects invalid options', () => {
    const { client } = aClient()

    expect(() => client.withOptions({ timeout: -1 })).toThrow(ConfigurationError)
    expect(() => client.withOptions({ timeouts: 5 } as ClientOptions)).toThrow('did you mean "timeout"?')
    expect(() => client.withOptions({ baseUrl: 'http://payments.example.com' })).toThrow(ConfigurationError)
  })

  it('returns a copy that shares its connections with the original client', async () => {
    const order: string[] = []
    let finish = () => {}
    const { client } = aClient(
      [
        () => {
          order.push('first begins')
          return new Promise<Response>((resolve) => {
            finish = () => {
              order.push('first ends')
              resolve(Response.json(authorizedPayment))
            }
          })
        },
        () => {
          order.push('second begins')
          return Response.json(authorizedPayment)
        },
      ],
      { maxConnections: 1 },
    )

    const first = client.payments.get('pay_1')
    const second = client.withOptions({ timeout: 1000 }).payments.get('pay_1')
    await vi.waitFor(() => expect(order).toEqual(['first begins']))
    finish()
    await Promise.all([first, second])

    expect(order).toEqual(['first begins', 'first ends', 'second begins'])
  })
})

describe('a logger whose methods throw', () => {
  const broken = () => {
    throw new Error('disk full')
  }
  const logger = { debug: broken, info: broken, warn: broken, error: broken }

  it('completes a call even if every method of the logger throws', async () => {
    const { client, requests } = aClient([{ id: 'pay_1' }], { logger })

    await expect(client.payments.get('pay_1')).resolves.toEqual({ id: 'pay_1' })

    expect(requests).toHaveLength(1)
  })
})
