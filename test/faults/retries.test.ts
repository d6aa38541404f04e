import fc from 'fast-check'
import type { ApiError, RetryEvent } from 'payments-client'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  clientFailingOnce,
  clientOf,
  clientReceiving,
  clientWith,
  describeWithEachAdapter,
  elapsed,
  failureOf,
  payment,
  retryAtOnce,
  serve,
  timed,
} from '../support/clients.js'
import { fin, hang, read, respondWith, responseBytes, rst, type Script, write } from '../support/scripted-server.js'

beforeAll(async () => {
  // What is loaded when first needed would not notice fake timers.
  await clientReceiving(payment).payments.get('pay_1')
})

const envelope = (description: string) => ({ error: { errorId: 'Refused', description, diagnosticsId: '42' } })

describe('refusals', () => {
  it.each([
    [401, 'AuthenticationError', undefined],
    [403, 'PermissionError', 'transactions:capture'],
  ])('R01 %i: one request, rejected, and no key in the text', async (status, name, scope) => {
    const server = await serve(respondWith(envelope('The key key-1 may not do this'), { status }))

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.capture('pay_1'))

    expect(error).toMatchObject({ name, status, outcome: 'rejected', ...(scope && { requiredScope: scope }) })
    expect(error.message).toContain(scope ?? '401')
    expect(error.message).not.toContain('key-1')
    expect(server.requests).toHaveLength(1)
  })

  it.each([400, 404, 409, 422])('R02 %i: one request, rejected', async (status) => {
    const server = await serve(respondWith(envelope('No'), { status }))

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.capture('pay_1'))

    expect(error).toMatchObject({
      code: 'ERR_API',
      status,
      errorId: 'Refused',
      diagnosticsId: '42',
      outcome: 'rejected',
    })
    expect(server.requests).toHaveLength(1)
  })

  it('R02 the body is kept as data, whatever it is', async () => {
    const bodies = fc.oneof(
      fc.json().map((text) => [text, JSON.parse(text)] as const),
      fc
        .string()
        .filter((text) => !isJson(text))
        .map((text) => [text, text === '' ? undefined : text] as const),
    )

    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom(400, 404, 409, 422), async ([text, body], status) => {
        const error = (await failureOf(clientReceiving(text, { status }).payments.capture('pay_1'))) as ApiError

        expect(error).toMatchObject({ code: 'ERR_API', status, outcome: 'rejected' })
        // A byte order mark is no part of a text.
        expect(error.body).toEqual(
          typeof body === 'string' && !isJson(text) ? body.replace(/^\uFEFF/, '') || undefined : body,
        )
      }),
      { numRuns: 300 },
    )
  })
})

describeWithEachAdapter('a refusal after doubt', (clientOf) => {
  const doubts: [string, Script, object][] = [
    ['a reset', [read(), rst()], { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) }],
    [
      'a 502',
      [read(), write(responseBytes('', { status: 502, headers: { connection: 'close' } })), fin()],
      { status: 502 },
    ],
    ['a cut answer', [read(), write(responseBytes(payment).slice(0, -1)), fin()], { status: 200 }],
  ]
  const refusals = [400, 401, 404, 422, 409]

  it.each(doubts.flatMap((doubt) => refusals.map((status) => [...doubt, status] as const)))(
    'R03 after %s, a refusal leaves the doubt',
    async (_, doubt, noted, status) => {
      retryAtOnce()
      const server = await serve(doubt, respondWith(envelope('No'), { status }))

      const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.capture('pay_1'))

      expect(error).toMatchObject({ code: 'ERR_API', status, idempotencyKey: expect.any(String) })
      expect(['unknown', 'accepted']).toContain(error.outcome)
      expect(error.attempts).toMatchObject([
        { number: 1, ...noted },
        { number: 2, status },
      ])
    },
  )
})

describe('a service that fails', () => {
  it.each([500, 502, 503, 504, 599])(
    'R06 %i: three attempts where repeating is safe, one where it is not',
    async (status) => {
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
        'once, allowed': () => client.clientSessions.create({}, { resend: true }),
      }

      const counts: Record<string, number> = {}
      for (const [name, call] of Object.entries(calls)) {
        const error = await failureOf(call())
        expect(error).toMatchObject({ name: 'ServerError', status, outcome: 'unknown' })
        counts[name] = error.attempts.length
      }

      expect(counts).toEqual({
        safe: 3,
        keyed: 3,
        repeatable: 3,
        vault: 3,
        'vault with verify': 1,
        once: 1,
        'once, allowed': 3,
      })
      expect(server.requests).toHaveLength(17)
    },
  )

  it('R06 a refusal for too many requests is repeated whatever the operation: nothing happened', async () => {
    retryAtOnce()
    const { client, requests } = clientFailingOnce(429)

    await client.payments.resume('pay_1', { resumeToken: 't' })

    expect(requests).toHaveLength(2)
  })

  it.each([
    [0, [0, 0, 0, 0, 0, 0]],
    [0.5, [250, 500, 1_000, 2_000, 4_000, 4_000]],
    [0.999, [499.5, 999, 1_998, 3_996, 7_992, 7_992]],
  ])('R06 the waits are full jitter below a doubling ceiling of at most 8 s (dice: %d)', async (dice, expected) => {
    vi.spyOn(Math, 'random').mockReturnValue(dice)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers().restoreAllMocks())
    const delays: number[] = []
    const hooks = { onRetry: ({ delayMs }: RetryEvent) => void delays.push(delayMs) }
    const client = clientReceiving('', { status: 503 }, { hooks, maxRetries: 6 })

    const failed = failureOf(client.payments.get('pay_1'))
    await vi.advanceTimersByTimeAsync(60_000)
    await failed

    expect(delays).toEqual(expected)
  })

  it('R07 an outage of 10,000 calls is not multiplied, and is over the signalled the service is back', async () => {
    retryAtOnce()
    let requests = 0
    let up = false
    const client = clientWith(
      () => {
        requests++
        return up ? Response.json(payment) : new Response('', { status: 503 })
      },
      { maxRetries: 2, timeout: 60_000 },
    )

    const errors = await Promise.all(Array.from({ length: 10_000 }, () => failureOf(client.payments.capture('pay_1'))))
    const duringOutage = requests
    up = true
    const recovery = await elapsed(() =>
      Promise.all(Array.from({ length: 100 }, () => client.payments.capture('pay_1'))),
    )

    expect(errors.every(({ outcome }) => outcome === 'unknown')).toBe(true)
    expect(duringOutage).toBe(10_100)
    expect(recovery).toBeLessThan(1_000)
  }, 30_000)

  it('R07 successes earn retries back, five for one', async () => {
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

describe('limits', () => {
  it('R08 no retries means one request', async () => {
    const server = await serve(respondWith('', { status: 503 }))

    const error = await failureOf(clientOf(server, { maxRetries: 2 }).payments.get('pay_1', { maxRetries: 0 }))

    expect(error.attempts).toHaveLength(1)
    expect(server.requests).toHaveLength(1)
  })

  it('R08 an attempt that takes too long makes room for the next', async () => {
    retryAtOnce()
    const server = await serve([read(), hang()], respondWith(payment))

    const { response } = await clientOf(server, { timeout: 150, maxRetries: 1 })
      .payments.capture('pay_1')
      .withResponse()

    expect(response.attempts).toMatchObject([{ code: 'ERR_TIMEOUT' }, { status: 200 }])
    expect(server.requests[1]?.raw).toEqual(server.requests[0]?.raw)
  })

  it('R08 the deadline of the call covers attempts and waits, and nothing begins after it', timed, async () => {
    const server = await serve([read(), hang()])
    const client = clientOf(server, { timeout: 120, totalTimeout: 300, maxRetries: 50 })

    const duration = await elapsed(async () => {
      const error = await failureOf(client.payments.capture('pay_1'))
      expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' })
      expect(server.requests).toHaveLength(error.attempts.length)
    })
    const { length } = server.requests
    await new Promise((resolve) => setTimeout(resolve, 200))

    expect(duration).toBeLessThan(400)
    expect(server.requests).toHaveLength(length)
  })

  it('R08 a wait that outlasts the deadline ends with it', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9)
    onTestFinished(() => void vi.restoreAllMocks())
    const client = clientReceiving('', { status: 503 }, { totalTimeout: 150, maxRetries: 2 })

    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'backoff', timeoutMs: 150, outcome: 'unknown' })
    expect(error.attempts).toMatchObject([{ status: 503 }])
  })

  it('R08 nothing is sent once there is no time left', async () => {
    let requests = 0
    const client = clientWith(
      () => {
        requests++
        return Response.json(payment)
      },
      { totalTimeout: 20, apiKey: () => blockFor(30) },
    )

    const error = await failureOf(client.payments.capture('pay_1'))

    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'queue', outcome: 'not_sent', attempts: [] })
    expect(requests).toBe(0)
  })

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour back', -3_600_000],
  ])('R09 the wall clock jumps %s: limits and waits stay what they are', timed, async (_, jump) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const jumping = () => void vi.setSystemTime(Date.now() + jump)
    const hooks = { onRequest: jumping, onRetry: jumping }
    vi.spyOn(Math, 'random').mockReturnValue(0.2)
    const server = await serve([read(), hang()])
    const client = clientOf(server, { timeout: 100, maxRetries: 1, hooks })

    const duration = await elapsed(async () => {
      const error = await failureOf(client.payments.capture('pay_1'))
      for (const { durationMs } of error.attempts) expect(durationMs).toBeGreaterThan(95)
      expect(error.attempts).toHaveLength(2)
    })

    expect(duration).toBeGreaterThan(295)
    expect(duration).toBeLessThan(450)
  })

  it('R09 a Retry-After date is measured against the service’s clock, not ours', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-01-01') })
    onTestFinished(() => void vi.useRealTimers())
    retryAtOnce()
    const delays: number[] = []
    const hooks = { onRetry: ({ delayMs }: RetryEvent) => void delays.push(delayMs) }
    const headers = { date: 'Sun, 06 Nov 1994 08:49:37 GMT', 'retry-after': 'Sun, 06 Nov 1994 08:49:38 GMT' }
    const { client } = clientFailingOnce(503, headers, { hooks })

    await client.payments.get('pay_1')

    expect(delays).toEqual([1_000])
  })
})

/** Hold up this process for so long: no timer can fire meanwhile. */
function blockFor(ms: number): string {
  const until = performance.now() + ms
  while (performance.now() < until);
  return 'key-1'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
