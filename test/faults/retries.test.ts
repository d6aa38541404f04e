import fc from 'fast-check'
import type { ApiError, RetryEvent } from 'payments-client'
import { describe, expect, it, vi } from 'vitest'
import {
  aClient,
  clientFailingOnce,
  clientOf,
  clientReceiving,
  clientWith,
  describeWithEachAdapter,
  failureOf,
  payment,
  randomIs,
  recordingClient,
  retryAtOnce,
  serve,
} from '../support/clients.js'
import { stopClock } from '../support/clock.js'
import { fin, read, respondWith, responseBytes, rst, type Script, write } from '../support/scripted-server.js'

const envelope = (description: string) => ({ error: { errorId: 'Refused', description, diagnosticsId: '42' } })

describe('a 4xx response', () => {
  it.each<[number, expected: { name?: string; requiredScope?: string }]>([
    [401, { name: 'AuthenticationError' }],
    [403, { name: 'PermissionError', requiredScope: 'transactions:capture' }],
    ...[400, 404, 409, 422].map((status): [number, object] => [status, {}]),
  ])('throws an error without a retry and without the API key if the status is %i', async (status, expected) => {
    const server = await serve(respondWith(envelope('The key key-1 may not do this'), { status }))

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.capture('pay_1'))

    const facts = { code: 'ERR_API', errorId: 'Refused', diagnosticsId: '42', outcome: 'rejected' }
    expect(error).toMatchObject({ httpStatus: status, ...facts, ...expected })
    expect(error.message).toContain(expected.requiredScope ?? String(status))
    expect(error.message).not.toContain('key-1')
    expect(server.requests).toHaveLength(1)
  })

  it('includes any body of a 4xx response in the error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), fc.constantFrom(401, 404, 422), async (content, status) => {
        const error = (await failureOf(clientReceiving(content, { status }).payments.capture('pay_1'))) as ApiError

        expect(error).toMatchObject({ code: 'ERR_API', httpStatus: status, outcome: 'rejected' })
        expect(error.body).toEqual(contentOf(content))
      }),
    )
  })
})

describeWithEachAdapter('a client whose retry gets a 4xx response', (clientOf) => {
  const ambiguous: [string, Script, object][] = [
    ['a reset', [read(), rst()], { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) }],
    [
      'a 502',
      [read(), write(responseBytes('', { status: 502, headers: { connection: 'close' } })), fin()],
      { status: 502 },
    ],
    ['a truncated response', [read(), write(responseBytes(payment).slice(0, -1)), fin()], { status: 200 }],
  ]
  const statuses = [400, 401, 404, 422, 409]

  it.each(ambiguous.flatMap((attempt) => statuses.map((status) => [status, ...attempt] as const)))(
    'reports that the capture may have taken effect if the retry gets a %i after %s',
    async (status, _, script, facts) => {
      retryAtOnce()
      const server = await serve(script, respondWith(envelope('No'), { status }))

      const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.capture('pay_1'))

      expect(error).toMatchObject({ code: 'ERR_API', httpStatus: status, idempotencyKey: expect.any(String) })
      expect(['unknown', 'accepted']).toContain(error.outcome)
      expect(error.attempts).toMatchObject([
        { number: 1, ...facts },
        { number: 2, status },
      ])
    },
  )
})

describe('a client with retries', () => {
  it.each([500, 502, 503, 504, 599])('resends only safe operations after a %i response', async (status) => {
    retryAtOnce()
    const server = await serve(respondWith('', { status }))
    const client = clientOf(server, { maxRetries: 2 })
    const instruments = client.paymentInstruments
    const calls = {
      safe: () => client.payments.get('pay_1'),
      keyed: () => client.payments.capture('pay_1'),
      repeatable: () => instruments.delete('tok_1'),
      vault: () => instruments.vault('tok_1', { customerId: 'c' }),
      'vault with verify': () => instruments.vault('tok_1', { customerId: 'c', verify: true }),
      once: () => client.payments.resume('pay_1', { resumeToken: 't' }),
      'once, with resend': () => client.clientSessions.create({}, { resend: true }),
    }

    const counts: Record<string, number> = {}
    for (const [name, call] of Object.entries(calls)) {
      const error = await failureOf(call())
      expect(error).toMatchObject({ name: 'ServerError', httpStatus: status, outcome: 'unknown' })
      counts[name] = error.attempts.length
    }

    expect(counts).toEqual({
      safe: 3,
      keyed: 3,
      repeatable: 3,
      vault: 3,
      'vault with verify': 1,
      once: 1,
      'once, with resend': 3,
    })
    expect(server.requests).toHaveLength(17)
  })

  it('resends any operation after a 429 response', async () => {
    retryAtOnce()
    const { client, requests } = clientFailingOnce(429)

    await client.payments.resume('pay_1', { resumeToken: 't' })

    expect(requests).toHaveLength(2)
  })

  it.each([
    [0, [0, 0, 0, 0, 0, 0]],
    [0.5, [250, 500, 1_000, 2_000, 4_000, 4_000]],
    [0.999, [499.5, 999, 1_998, 3_996, 7_992, 7_992]],
  ])('waits a random part of a delay that doubles up to 8 s: random value %d', async (random, expected) => {
    randomIs(random)
    const { passUntil } = stopClock()
    const delays: number[] = []
    const hooks = { onRetry: ({ delayMs }: RetryEvent) => void delays.push(delayMs) }

    const call = clientReceiving('', { status: 503 }, { hooks, maxRetries: 6 }).payments.get('pay_1')
    await passUntil(failureOf(call))

    expect(delays).toEqual(expected)
  })

  it('sends at most 100 extra requests in an outage', async () => {
    retryAtOnce()
    let up = false
    const respond = () => (up ? Response.json(payment) : new Response('', { status: 503 }))
    const { client, requests } = aClient(respond, { maxRetries: 2, timeout: 60_000 })
    const capture = (count: number) => Array.from({ length: count }, () => client.payments.capture('pay_1'))

    const errors = await Promise.all(capture(300).map((call) => failureOf(call)))
    const duringOutage = requests.length
    up = true
    await Promise.all(capture(100))

    expect(errors.every(({ outcome }) => outcome === 'unknown')).toBe(true)
    expect(duringOutage).toBe(400)
    expect(requests).toHaveLength(500)
  })

  it('needs five successful calls per retry once the retry budget is used up', async () => {
    retryAtOnce()
    let up = false
    const client = clientWith(() => (up ? Response.json(payment) : new Response('', { status: 503 })), {
      maxRetries: 1,
    })
    const attemptsInOutage = async () => (await failureOf(client.payments.get('pay_1'))).attempts.length
    const succeed = async () => {
      up = true
      await client.payments.get('pay_1')
      up = false
    }

    for (let count = 1; count <= 100; count++) expect(await attemptsInOutage()).toBe(2)
    const dry = await attemptsInOutage()
    for (let count = 1; count <= 4; count++) await succeed()
    const afterFour = await attemptsInOutage()
    await succeed()
    const afterFive = await attemptsInOutage()

    expect([dry, afterFour, afterFive]).toEqual([1, 1, 2])
  })
})

describe('a client with retry and time limits', () => {
  it('sends one request with maxRetries: 0', async () => {
    const server = await serve(respondWith('', { status: 503 }))

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.get('pay_1', { maxRetries: 0 }))

    expect(error.attempts).toHaveLength(1)
    expect(server.requests).toHaveLength(1)
  })

  it('retries after an attempt exceeds its timeout', async () => {
    retryAtOnce()
    const { passUntil } = stopClock()
    const { client, requests } = aClient([() => new Promise(() => {}), payment], { timeout: 150, maxRetries: 1 })

    const call = client.payments.capture('pay_1').withResponse()

    expect(await passUntil(call)).toBe(150)
    expect((await call).response.attempts).toMatchObject([{ code: 'ERR_TIMEOUT' }, { status: 200 }])
    expect(requests[1]).toEqual(requests[0])
  })

  it('applies totalTimeout to all attempts and delays together', async () => {
    randomIs(0.1)
    const { passUntil } = stopClock()
    const limits = { timeout: 120, totalTimeout: 300, maxRetries: 50 }
    const { client, requests } = aClient(() => new Promise(() => {}), limits)

    const failing = failureOf(client.payments.capture('pay_1'))

    expect(await passUntil(failing)).toBe(300)
    expect(await failing).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', attempts: [{}, {}] })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(requests).toHaveLength(2)
  })

  it.each(['apiKey', 'idempotency'])(
    'sends no request if the %s function takes longer than totalTimeout',
    async (name) => {
      const { client, requests } = recordingClient({ totalTimeout: 20, [name]: () => blockFor(30) })

      const error = await failureOf(client.payments.capture('pay_1'))

      expect(error).toMatchObject({ name: 'TimeoutError', phase: 'queue', outcome: 'not_sent', attempts: [] })
      expect(requests).toEqual([])
    },
  )

  it('sends no retry if the onRetry hook takes longer than totalTimeout', async () => {
    retryAtOnce()
    const { passUntil } = stopClock()
    const options = { maxRetries: 1, totalTimeout: 300, hooks: { onRetry: () => void vi.advanceTimersByTime(400) } }
    const { client, requests } = aClient([new Response('', { status: 503 })], options)

    const failing = failureOf(client.payments.capture('pay_1'))
    await passUntil(failing)

    expect(await failing).toMatchObject({ name: 'TimeoutError', phase: 'backoff', attempts: [{ status: 503 }] })
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour back', -3_600_000],
  ])('keeps its time limits and delays if the system clock jumps %s', async (_, jump) => {
    randomIs(0.2)
    const { passUntil } = stopClock()
    const jumpClock = () => void vi.setSystemTime(Date.now() + jump)
    const hooks = { onRequest: jumpClock, onRetry: jumpClock }
    const client = clientWith(() => new Promise(() => {}), { timeout: 100, maxRetries: 1, hooks })

    const failing = failureOf(client.payments.capture('pay_1'))

    expect(await passUntil(failing)).toBe(300)
    expect((await failing).attempts).toMatchObject([{ durationMs: 100 }, { durationMs: 100, waitedMs: 100 }])
  })
})

/** Blocks the event loop and thus all timers. */
function blockFor(ms: number): string {
  const until = performance.now() + ms
  while (performance.now() < until);
  return 'key-1'
}

/** Returns the expected `body` of an error. */
function contentOf(text: string): unknown {
  const withoutMark = text.replace(/^\uFEFF/, '')
  try {
    return JSON.parse(withoutMark)
  } catch {
    return withoutMark || undefined
  }
}
