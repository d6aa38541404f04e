import fc from 'fast-check'
import type { ClientOptions, RetryEvent } from 'payments-client'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  clientFailingOnce,
  clientOf,
  clientReceiving,
  elapsed,
  failureOf,
  payment,
  retryAtOnce,
  serve,
  timed,
} from '../support/clients.js'
import { fin, read, respondWith, responseBytes, write } from '../support/scripted-server.js'

beforeAll(async () => {
  // Loads lazy modules, because fake timers would not wait for them.
  await clientReceiving(payment).payments.get('pay_1')
})

describe('the Retry-After header', () => {
  const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
  const hints: [string, string, number][] = [
    ['seconds', '7', 7_000],
    ['0', '0', 0],
    ['a minute', '60', 60_000],
    ['a date', 'Sun, 06 Nov 1994 08:49:44 GMT', 7_000],
    ['the time in the Date header', date, 0],
    ['a time in the past', 'Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ]

  it.each(hints.flatMap((hint) => [429, 503].map((status) => [status, ...hint] as const)))(
    'R04 of a %i response delays the retry by exactly the given time: %s',
    async (status, _, hint, ms) => {
      retryAtOnce()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const { client, requests } = clientFailingOnce(status, { date, 'retry-after': hint })

      const call = client.payments.get('pay_1')
      if (ms > 0) {
        await vi.advanceTimersByTimeAsync(ms - 1)
        expect(requests).toHaveLength(1)
      }
      await vi.advanceTimersByTimeAsync(1)

      await expect(call).resolves.toEqual(payment)
      expect(requests).toHaveLength(2)
    },
  )

  it('R04 delays the retry by one second in real time', timed, async () => {
    retryAtOnce()
    const server = await serve(
      [read(), write(responseBytes('', { status: 503, headers: { 'retry-after': 1 } })), fin()],
      respondWith(payment),
    )

    const duration = await elapsed(() => clientOf(server, { maxRetries: 1 }).payments.capture('pay_1'))

    expect(duration).toBeGreaterThan(998)
    expect(duration).toBeLessThan(1_200)
  })

  it.each([
    ['more than a minute', '61', 61_000, {}],
    ['much more than a minute', '999999999', 999_999_999_000, {}],
    ['a date next year', 'Mon, 06 Nov 1995 08:49:37 GMT', 31_536_000_000, {}],
    ['longer than the deadline allows', '3', 3_000, { totalTimeout: 2_000 }],
    ['as long as the call may take', '2', 2_000, { totalTimeout: 2_000 }],
    ['larger than any safe integer', '9'.repeat(400), Number.MAX_SAFE_INTEGER, {}],
  ])(
    'R05 causes the call to throw immediately if its value is %s',
    async (_, hint, retryAfterMs, options: ClientOptions) => {
      // Stops the clock, so that a call that waits would never end.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const { client, requests } = clientFailingOnce(429, { date, 'retry-after': hint }, options)

      const error = await failureOf(client.payments.get('pay_1'))

      expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs, outcome: 'rejected' })
      expect(requests).toHaveLength(1)
    },
  )

  it.each([
    '-5',
    '1e3',
    '0x10',
    '0.5',
    'NaN',
    '',
    ' ',
    'soon',
    '5, 5',
    '٥',
    '5s',
    '1994-11-06T08:49:44Z',
    'Sun, 99 Nov 1994 08:49:44 GMT',
    'Mon, 31 Feb 1994 08:49:44 GMT',
    'Mon, 06 Nov 1994 08:49:44 GMT',
    'Sun, 06 Nov 94 08:49:44 GMT',
    'Sunday, 06-Nov-1994 08:49:44 GMT',
    'Sunday, 06-Nov-94 08:49:44 GMT', // obsolete formats
    'Sun Nov  6 08:49:44 1994',
    'Invalid Date',
    'Fri, 31 Dec 20771 23:59:59 GMT',
  ])('R05 is ignored if its value is invalid: %j', async (hint) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.01)
    onTestFinished(() => void vi.restoreAllMocks())
    const delays: number[] = []
    const hooks = { onRetry: ({ delayMs }: RetryEvent) => void delays.push(delayMs) }
    const { client } = clientFailingOnce(503, { 'retry-after': encodeURI(hint).replaceAll('%20', ' ') }, { hooks })

    await expect(client.payments.get('pay_1')).resolves.toEqual(payment)

    expect(delays).toEqual([5])
  })

  it('R05 delays no retry by more than a minute', async () => {
    const delays: number[] = []
    const controller = new AbortController()
    const hooks = {
      onRetry({ delayMs }: RetryEvent) {
        delays.push(delayMs)
        controller.abort()
      },
    }
    const hints = fc.oneof(
      fc.stringMatching(/^[!-~]{1,12}$/),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((until) => until.toUTCString()),
    )

    await fc.assert(
      fc.asyncProperty(hints, async (hint) => {
        const { client } = clientFailingOnce(503, { 'retry-after': hint }, { hooks })
        await client.payments.get('pay_1', { signal: controller.signal }).catch(() => {})
      }),
    )

    expect(Math.max(...delays)).toBeLessThanOrEqual(60_000)
  })
})
