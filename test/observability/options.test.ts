import http from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ClientOptions, ConfigurationError, PaymentsClient } from '../../src/index.js'
import { aClient, apiKey, baseUrl, errorResponse, failureOf, payment, retryAtOnce } from '../support/clients.js'
import { stopClock } from '../support/clock.js'

/** Creates a logger that collects each line as `level message`. */
function aLogger() {
  const lines: string[] = []
  const log = (level: string) => (message: string) => void lines.push(`${level} ${message}`)
  return { lines, logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') } }
}

const problemOf = (options: object): string => {
  try {
    new PaymentsClient({ apiKey, baseUrl, ...options })
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  return expect.fail('The constructor accepted the options')
}

describe('the `headers` option', () => {
  it('sends the headers with every request, unless a call overrides one', async () => {
    const { client, requests } = aClient([payment, payment], { headers: { 'X-Shop': 'berlin', 'x-team': 'a' } })

    await client.payments.get('pay_1')
    await client.withOptions({ headers: new Headers({ 'x-shop': 'paris' }) }).payments.get('pay_1', {
      headers: [['X-Team', 'b']],
    })

    expect(requests.map(({ headers }) => [headers['x-shop'], headers['x-team']])).toEqual([
      ['berlin', 'a'],
      ['paris', 'b'],
    ])
  })

  it('joins several values of the same header', async () => {
    const headers: [string, string][] = [
      ['X-Team', 'a'],
      ['x-team', 'b'],
    ]
    const { client, requests } = aClient([payment], { headers })

    await client.payments.get('pay_1')

    expect(requests[0]?.headers['x-team']).toBe('a, b')
  })

  it.each(['X-Api-Key', 'host', 'User-Agent'])('rejects the header %s', (name) => {
    expect(problemOf({ headers: { [name]: 'x' } })).toContain(`headers must not set ${name.toLowerCase()}`)
  })
})

describe('the `query` option', () => {
  it('sends the query with every request, unless a call overrides a parameter', async () => {
    const { client, requests } = aClient([payment, { data: [] }], { query: { tenant: 'a b', limit: '5' } })

    await client.payments.get('pay_1')
    await client.payments.list({ limit: 7 })

    expect(requests.map(({ line }) => line)).toEqual([
      'GET /payments/pay_1?tenant=a%20b&limit=5',
      'GET /payments?tenant=a%20b&limit=7',
    ])
  })
})

describe('the `appInfo` option', () => {
  it.each<[NonNullable<ClientOptions['appInfo']>, RegExp]>([
    [{ name: 'shop' }, /^payments-client\/\S+ shop$/],
    [{ name: 'shop', version: '2.0' }, /^payments-client\/\S+ shop\/2\.0$/],
    [
      { name: 'shop', version: '2.0', url: 'https://shop.example' },
      /^payments-client\/\S+ shop\/2\.0 \(https:\/\/shop\.example\)$/,
    ],
  ])('appends appInfo to the User-Agent header: %j', async (appInfo, expected) => {
    const { client, requests } = aClient([payment, payment], { appInfo })

    await client.payments.get('pay_1')
    await client.withOptions({ timeout: 500 }).payments.get('pay_1')

    for (const { headers } of requests) expect(headers['user-agent']).toMatch(expected)
  })
})

describe('the `agent` option', () => {
  it('rejects the `agent` option together with the `fetch` option', () => {
    expect(problemOf({ agent: new http.Agent(), fetch })).toBe(
      'Pass only one of the options agent and fetch: a custom fetch opens its own connections',
    )
  })
})

const unavailable = () => new Response('', { status: 503 })

describe('the `logLevel` option', () => {
  it.each<[ClientOptions['logLevel'], string[]]>([
    ['debug', ['debug', 'debug', 'warn', 'debug', 'debug']],
    [undefined, ['warn']],
    ['error', []],
    ['off', []],
  ])('omits log lines that are less severe than logLevel: %s', async (logLevel, levels) => {
    retryAtOnce()
    const { lines, logger } = aLogger()
    const { client } = aClient([unavailable, payment], { logger, logLevel, maxRetries: 1 })

    await client.payments.get('pay_1')

    expect(lines.map((line) => line.split(' ')[0])).toEqual(levels)
  })

  it('reads logLevel from PAYMENTS_LOG, which also enables the console', async () => {
    vi.stubEnv('PAYMENTS_LOG', 'debug')
    const debug = vi.spyOn(console, 'debug').mockReturnValue()
    onTestFinished(() => void [vi.unstubAllEnvs(), vi.restoreAllMocks()])
    const { client } = aClient([payment])

    await client.payments.get('pay_1')

    expect(debug).toHaveBeenCalledTimes(2)
  })

  it('uses the default logLevel if PAYMENTS_LOG is empty', async () => {
    vi.stubEnv('PAYMENTS_LOG', '')
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    onTestFinished(() => void [vi.unstubAllEnvs(), vi.restoreAllMocks()])
    const { lines, logger } = aLogger()

    await failureOf(aClient([errorResponse(400)]).client.payments.get('pay_1'))
    await failureOf(aClient([errorResponse(400)], { logger }).client.payments.get('pay_1'))

    expect(warn).not.toHaveBeenCalled()
    expect(lines).toHaveLength(1)
  })

  it('rejects an unknown level in PAYMENTS_LOG', () => {
    vi.stubEnv('PAYMENTS_LOG', 'loud')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(problemOf({})).toBe(
      "The environment variable PAYMENTS_LOG must be 'debug', 'info', 'warn', 'error' or 'off'",
    )
  })
})

describe('the `dangerouslyAllowBrowser` option', () => {
  it('requires dangerouslyAllowBrowser to create a client in a browser', () => {
    vi.stubGlobal('window', { document: {} })
    onTestFinished(() => void vi.unstubAllGlobals())

    expect(problemOf({})).toBe(
      'A browser shows the API key to every visitor: use the client in your backend, or set dangerouslyAllowBrowser',
    )
    expect(new PaymentsClient({ apiKey, baseUrl, dangerouslyAllowBrowser: true })).toBeInstanceOf(PaymentsClient)
  })
})

it('the client logs the field names of a request body, without values', async () => {
  const { lines, logger } = aLogger()
  const { client } = aClient([payment, {}], { logger, logLevel: 'debug' })

  await client.payments.create({ paymentMethodToken: 'tok_1', amount: 700, metadata: { 'a-secret': 'b' } })
  await client.request({ method: 'POST', path: '/reports', body: { 'a-secret': 'b' } })

  const sending = lines.filter((line) => line.includes('sending'))
  expect(sending).toEqual([
    expect.stringContaining('sending 71 characters of JSON with the fields paymentMethodToken, amount, metadata ['),
    expect.stringContaining('sending 16 characters of JSON ['),
  ])
  expect(lines.join()).not.toMatch(/tok_1|a-secret/)
})

describe('a list filter with an unknown status', () => {
  it('sends an unknown status filter unchanged, and logs it only the first time', async () => {
    const { lines, logger } = aLogger()
    const { client, requests } = aClient(() => Response.json({ data: [] }), { logger })

    await client.payments.list({ limit: 5 })
    await client.payments.list({ status: 'SETTLED' })
    expect(lines).toEqual([])
    await client.payments.list({ status: ['SETTLED', 'SETLED'] })
    await client.payments.list({ status: ['SETLED', 'XYZ'] })

    expect(requests).toHaveLength(4)
    expect(lines.map((line) => line.replace(/ \[[\w-]{36}\]$/, ''))).toEqual([
      'warn payments.list (GET /payments), a value of the filter status is not a known status: did you mean "SETTLED"?',
      'warn payments.list (GET /payments), a value of the filter status is not a known status',
    ])
  })
})

describe('a call that waits for a free connection', () => {
  it('logs only once, after a second, that a call waits for a free connection', async () => {
    stopClock()
    retryAtOnce()
    const { lines, logger } = aLogger()
    const unavailableLater = () => new Promise<Response>((resolve) => setTimeout(() => resolve(unavailable()), 2_000))
    const { client } = aClient(unavailableLater, { logger, maxConnections: 1, maxRetries: 2 })

    // Before each retry, both calls wait until the other call releases the only connection.
    const calls = [client.payments.get('pay_1'), client.payments.get('pay_2')].map((call) => failureOf(call))
    await vi.advanceTimersByTimeAsync(999)
    expect(lines).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    const waiting = 'waiting for a free connection for more than 1 s: see the option maxConnections'
    expect(lines).toEqual([expect.stringContaining(`warn payments.get (GET /payments/:id), attempt 1: ${waiting}`)])
    await vi.advanceTimersByTimeAsync(20_000)
    await Promise.all(calls)

    expect(lines.filter((line) => line.includes(waiting))).toHaveLength(2)
  })
})
