import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type BodyMaker, createSandbox, type Fault } from '../../../src/testing/index.js'
import { type Connected, describeOverEachAdapter } from '../../support/adapters.js'

const order = { orderId: 'order-1', currencyCode: 'EUR', amount: 700 }

function createPayment({ request, sandbox }: Connected, init?: RequestInit): Promise<Response> {
  return request('POST', '/payments', { ...order, paymentMethodToken: sandbox.tokens.card }, init)
}

describeOverEachAdapter('the sandbox with a fault', (start) => {
  const error = { errorId: 'SimulatedFault', description: 'This response was requested with faults.add()' }
  const created = expect.objectContaining({ status: 'AUTHORIZED', amount: 700 })
  const html = { 'content-type': 'text/html' }

  it.each<[fault: Fault, status: number, body: unknown, effects: number, headers?: Record<string, string>]>([
    [{}, 500, { error }, 0],
    [{ at: 'before' }, 500, { error }, 0],
    [{ at: 'after' }, 500, { error }, 1],
    [{ operation: 'payments.create', times: 1 }, 500, { error }, 0],
    [{ at: 'after', hang: false, reset: false, status: undefined }, 500, { error }, 1],
    [{ status: 503, headers: { 'Retry-After': '7' } }, 503, { error }, 0, { 'retry-after': '7' }],
    [
      { at: 'after', status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad</h1>' },
      502,
      '<h1>Bad</h1>',
      1,
      html,
    ],
    [
      { at: 'after', headers: { 'x-id': '1' }, body: ({ amount }) => ({ amount, id: null }) },
      200,
      { amount: 700, id: null },
      1,
      { 'x-id': '1' },
    ],
    [{ at: 'after', status: 204 }, 204, '', 1],
    [{ at: 'after', status: 205 }, 205, '', 1],
    [{ at: 'after', status: 307, headers: { location: '/elsewhere' } }, 307, '', 1, { location: '/elsewhere' }],
    [{ at: 100_000, reset: true }, 200, created, 1],
  ])(
    'sends one response with the status and body of the fault: %j',
    async (fault, status, body, effects, headers = {}) => {
      const connected = await start()
      connected.sandbox.faults.add(fault)

      const response = await createPayment(connected, { redirect: 'manual' })
      const next = await connected.request('GET', '/payments')

      const text = await response.text()
      expect([response.status, next.status]).toEqual([status, 200])
      expect(Object.fromEntries(response.headers)).toMatchObject({ 'content-type': 'application/json', ...headers })
      if (typeof body === 'string') expect(text).toBe(body)
      else expect(JSON.parse(text)).toMatchObject(body as object)
      expect(connected.sandbox.ledger).toHaveLength(effects)
    },
  )

  it.each<[fault: Fault, effects: number]>([
    [{ at: 'before', reset: true }, 0],
    [{ at: 'after', reset: true }, 1],
    [{ at: 0 }, 1],
    [{ at: 1 }, 1],
    [{ at: 20 }, 1],
  ])('breaks the connection as the fault specifies: %j', async (fault, effects) => {
    const connected = await start()
    connected.sandbox.faults.add(fault)

    const text = createPayment(connected).then((response) => response.text())

    await expect(text).rejects.toThrow(/terminated|fetch failed/)
    expect(connected.sandbox.ledger).toHaveLength(effects)
  })

  it.each<[fault: Fault, effects: number]>([
    [{ at: 'before', hang: true }, 0],
    [{ at: 'after', hang: true }, 1],
    [{ at: 'before', delay: 60_000 }, 0],
    [{ at: 'after', delay: 60_000 }, 1],
  ])('sends no response until the client disconnects: %j', async (fault, effects) => {
    const connected = await start()
    connected.sandbox.faults.add(fault)

    expect(await failureOfHangingRequest(connected)).toEqual(new Error('enough'))
    expect((await connected.request('GET', '/payments')).status).toBe(200)
    expect(connected.sandbox.ledger).toHaveLength(effects)
  })

  it('stops sending the response after `at` bytes if `hang` is true', async () => {
    const connected = await start()
    connected.sandbox.faults.add({ at: 20, hang: true })
    const abort = new AbortController()

    const response = await createPayment(connected, { signal: abort.signal })
    const reader = response.body!.getReader()
    const first = await reader.read()
    const rest = expect(reader.read()).rejects.toThrow('enough')
    abort.abort(new Error('enough'))

    expect(first.value).toHaveLength(20)
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(20)
    await rest
  })

  it('applies faults in order for `times` requests or until faults.clear()', async () => {
    const connected = await start()
    const { faults } = connected.sandbox
    faults.add({ operation: 'payments.list', status: 500 })
    faults.add({ operation: 'payments.create', status: 503, times: 2 })
    faults.add({ status: 429, times: Infinity })

    const statuses = []
    for (let count = 0; count < 5; count++) statuses.push((await createPayment(connected)).status)
    faults.clear()

    expect(statuses).toEqual([503, 503, 429, 429, 429])
    expect((await createPayment(connected)).status).toBe(200)
  })
})

describe('sandbox.fetch with a fault', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    [
      { reset: true },
      { message: 'fetch failed', cause: { message: 'read ECONNRESET', code: 'ECONNRESET', syscall: 'read' } },
    ],
    [{ at: 3 }, { message: 'terminated', cause: { message: 'other side closed', code: 'UND_ERR_SOCKET' } }],
    [
      { at: 3, reset: true },
      { message: 'terminated', cause: { code: 'ECONNRESET' } },
    ],
  ] satisfies [Fault, object][])('rejects with the same error as Node’s fetch: %j', async (fault, error) => {
    const sandbox = createSandbox()
    sandbox.faults.add(fault)

    const text = sandbox.fetch(new Request(`${sandbox.baseUrl}/payments`)).then((response) => response.text())

    await expect(text).rejects.toMatchObject(error)
  })

  it.each(['before', 5] as const)(
    'rejects when the caller aborts a garbage-collected request (fault at: %s)',
    async (at) => {
      const sandbox = createSandbox()
      sandbox.faults.add({ at, hang: true })
      const abort = new AbortController()
      const ask = () => sandbox.fetch(new Request(`${sandbox.baseUrl}/payments`, { signal: abort.signal }))

      const text = ask().then((response) => response.text())
      const refusal = expect(text).rejects.toThrow('enough')
      await collectGarbage()
      abort.abort(new Error('enough'))

      await refusal
    },
  )

  it.each([
    [-1, 'terminated'],
    [0, undefined],
  ])('breaks the connection only if `at` is less than the length (difference: %i)', async (beyond, message) => {
    const sandbox = createSandbox()
    const { baseUrl, fetch } = sandbox
    const ask = async () => (await fetch(new Request(`${baseUrl}/nowhere`))).text()
    const { length } = await ask()
    sandbox.faults.add({ at: length + beyond })

    const error = await ask().then(
      () => undefined,
      (reason: Error) => reason.message,
    )

    expect(error).toBe(message)
  })

  it.each<Record<string, string>>([
    { 'x-text': 'a\u0007b' },
    { 'x-text': '\u007f' },
    { 'x-text': 'a\n' },
    { 'x-text': '\r\na' },
    { trailer: 'x-checksum' },
    { Trailer: 'x-checksum' },
  ])('rejects the headers %j, which HTTP cannot send', (headers) => {
    const { faults } = createSandbox()

    expect(() => faults.add({ headers })).toThrow('headers must be an object of header names and values')
  })

  it.each([
    [299, 'the payments'],
    [300, 'nothing'],
    [399, 'nothing'],
    [400, 'an error'],
  ])('responds with the status %i and a body that contains %s', async (status, expected) => {
    const sandbox = createSandbox()
    const headers = { 'x-api-key': sandbox.apiKey }
    const expectedError = {
      errorId: 'SimulatedFault',
      description: 'This response was requested with faults.add()',
      diagnosticsId: 'simulated-fault',
    }
    const bodies = { 'the payments': { data: [] }, nothing: '', 'an error': { error: expectedError } }
    sandbox.faults.add({ at: 'after', status })

    const response = await sandbox.fetch(new Request(`${sandbox.baseUrl}/payments`, { headers }))

    const text = await response.text()
    expect(text === '' ? text : JSON.parse(text)).toEqual(bodies[expected as keyof typeof bodies])
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  it.each<Fault>([
    { status: 503 },
    { headers: { 'x-request-id': 'r-1' } },
    { body: 'nothing' },
    { hang: true },
    { reset: true },
  ])('does not perform the operation even after the fault’s delay: %j', async (fault) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { apiKey, baseUrl, faults, fetch, ledger } = createSandbox()
    const ask = () =>
      fetch(new Request(`${baseUrl}/client-session`, { method: 'POST', headers: { 'x-api-key': apiKey } }))
    const settled = vi.fn()
    faults.add({ ...fault, delay: 1000 })

    ask().then(settled, settled)
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    await vi.advanceTimersByTimeAsync(1000)
    await ask()

    expect(ledger).toHaveLength(1)
    expect(settled).toHaveBeenCalledTimes(fault.hang ? 0 : 1)
  })

  it.each<[result: string, body: BodyMaker, expected: string]>([
    ['an empty body if the body function returns undefined', () => undefined, ''],
    [
      'an error if the body function throws',
      () => {
        throw new Error('no such field')
      },
      'The body function of a fault failed: no such field',
    ],
  ])('sends %s', async (_, body, expected) => {
    const sandbox = createSandbox()
    sandbox.faults.add({ at: 'after', body })

    const response = await sandbox.fetch(new Request(`${sandbox.baseUrl}/payments`))

    const text = await response.text()
    expect(text === '' ? text : JSON.parse(text).error).toEqual(
      expected && expect.objectContaining({ errorId: 'SimulatedFault', description: expected }),
    )
    expect(response.status).toBe(expected === '' ? 401 : 500)
  })
})

describe('sandbox.faults.add', () => {
  it.each([
    [{ statsu: 503 }, 'statsu is not an option: did you mean "status"?'],
    [
      { operation: 'payments.captrue', status: 503 },
      'operation must be the name of an operation: did you mean "payments.capture"?',
    ],
    [{ status: 503, times: 0 }, 'times must be an integer of at least 1, or Infinity'],
    [{ status: 503, at: 'during' }, "at must be 'before', 'after' or a number of bytes"],
    [{ at: -1 }, "at must be 'before', 'after' or a number of bytes"],
    [{ status: 199 }, 'status must be an integer from 200 to 599'],
    [{ status: 600 }, 'status must be an integer from 200 to 599'],
    [{ headers: { 'not a name': '' } }, 'headers must be an object of header names and values'],
    [{ body: null }, 'body must be a string, an object or a function'],
    [{ delay: 2_147_483_648 }, 'delay must be an integer from 0 to 2147483647'],
    [{ hang: 'yes' }, 'hang must be true or false'],
    [{ reset: 1 }, 'reset must be true or false'],
    [{ hang: true, reset: true }, 'A fault can either hang or reset the connection: set only one of these fields'],
    [{ body: () => ({}) }, `A body function needs the service's response: set "at" to 'after' or to a number of bytes`],
    [{ at: 'before', body: () => ({}) }, `set "at" to 'after' or to a number of bytes`],
    [null, 'must be an object of options'],
  ])('rejects the fault %j', (fault, message) => {
    const { faults } = createSandbox()

    const refusal = { name: 'TypeError', message: expect.stringContaining(message) }
    expect(() => faults.add(fault as Fault)).toThrow(expect.objectContaining(refusal))
  })

  it('ignores later changes to the given object', async () => {
    const sandbox = createSandbox()
    const fault: Fault = { status: 503 }
    sandbox.faults.add(fault)
    fault.status = 404

    const response = await sandbox.fetch(new Request(`${sandbox.baseUrl}/payments`))

    expect(response.status).toBe(503)
  })
})

/** Collects garbage five times. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    collect()
  }
}

/**
 * Sends two requests, aborts them, and returns the error of the request that has the queued fault.
 *
 * The other request gets a 503, which shows that both requests have reached the sandbox.
 */
async function failureOfHangingRequest(connected: Connected): Promise<unknown> {
  connected.sandbox.faults.add({ status: 503 })
  const abort = new AbortController()
  const responses = [1, 2].map(() => createPayment(connected, { signal: abort.signal }))
  const first = await Promise.race(responses)
  abort.abort(new Error('enough'))
  const results = await Promise.allSettled(responses)
  const [failed, ...others] = results.filter((result) => result.status === 'rejected')
  expect(first.status).toBe(503)
  expect(others).toEqual([])
  return failed?.reason
}
