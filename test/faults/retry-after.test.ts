import fc from 'fast-check'
import type { ClientOptions } from 'payments-client'
import { describe, expect, it } from 'vitest'
import { clientFailingOnce, clientReceiving, failureOf, randomIs, retryAtOnce } from '../support/clients.js'
import { stopClock } from '../support/clock.js'

describe('the Retry-After header', () => {
  const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
  const hints: [string, string, number][] = [
    ['seconds', '7', 7_000],
    ['0', '0', 0],
    ['a minute', '60', 60_000],
    ['a decimal number', '0.5', 1_000],
    ['a decimal number below a minute', '59.001', 60_000],
    ['a date', 'Sun, 06 Nov 1994 08:49:44 GMT', 7_000],
    ['the time in the Date header', date, 0],
    ['a time in the past', 'Sun, 06 Nov 1994 08:00:00 GMT', 0],
  ]

  it.each(hints.flatMap((hint) => [429, 503].map((status) => [status, ...hint] as const)))(
    'retries a %i response exactly after the time in Retry-After: %s',
    async (status, _, hint, ms) => {
      retryAtOnce()
      const { passUntil } = stopClock()
      const { client, requests } = clientFailingOnce(status, { date, 'retry-after': hint })

      expect(await passUntil(client.payments.get('pay_1'))).toBe(ms)
      expect(requests).toHaveLength(2)
    },
  )

  it('measures a date in Retry-After from the Date header of the response', async () => {
    const dates = fc.date({ min: new Date('1000-01-01'), max: new Date('9000-01-01'), noInvalidDate: true })
    const seconds = fc.oneof(fc.integer({ min: -5, max: 65 }), fc.integer())

    await fc.assert(
      fc.asyncProperty(dates, seconds, async (sentAt, delay) => {
        const until = new Date(sentAt.getTime() + delay * 1_000)
        const headers = { date: sentAt.toUTCString(), 'retry-after': until.toUTCString() }

        const error = await failureOf(clientReceiving('', { status: 503, headers }).payments.get('pay_1'))

        expect(error).toMatchObject({ retryAfterMs: Math.max(0, delay * 1_000) })
      }),
    )
  })

  it.each([
    ['more than a minute', '61', 61_000, {}],
    ['much more than a minute', '999999999', 999_999_999_000, {}],
    ['a decimal number above a minute', '299.997', 300_000, {}],
    ['a date next year', 'Mon, 06 Nov 1995 08:49:37 GMT', 31_536_000_000, {}],
    ['longer than the deadline allows', '3', 3_000, { totalTimeout: 2_000 }],
    ['as long as the call may take', '2', 2_000, { totalTimeout: 2_000 }],
    ['larger than any safe integer', '9'.repeat(400), Number.MAX_SAFE_INTEGER, {}],
  ])('throws immediately if the value of Retry-After is %s', async (_, hint, retryAfterMs, options: ClientOptions) => {
    const { passUntil } = stopClock()
    const { client, requests } = clientFailingOnce(429, { date, 'retry-after': hint }, options)

    const failing = failureOf(client.payments.get('pay_1'))

    expect(await passUntil(failing)).toBe(0)
    expect(await failing).toMatchObject({ name: 'RateLimitError', retryAfterMs, outcome: 'rejected' })
    expect(requests).toHaveLength(1)
  })

  it.each([
    '-5',
    '+5',
    '1e3',
    '0x10',
    '.5',
    '5.',
    '',
    'soon',
    '5, 5',
    '٥',
    '5s',
    '1994-11-06T08:49:44Z',
    'Sun, 99 Nov 1994 08:49:44 GMT',
    'Mon, 31 Feb 1994 08:49:44 GMT',
    'Mon, 06 Nov 1994 08:49:44 GMT',
    'Sun, 06 Nov 94 08:49:44 GMT',
    'Sunday, 06-Nov-94 08:49:44 GMT', // obsolete date formats
    'Sun Nov  6 08:49:44 1994',
    'Fri, 31 Dec 20771 23:59:59 GMT',
  ])('ignores the invalid Retry-After value %j', async (hint) => {
    randomIs(0.01)
    const { passUntil } = stopClock()
    const { client } = clientFailingOnce(503, { 'retry-after': encodeURI(hint).replaceAll('%20', ' ') })

    expect(await passUntil(client.payments.get('pay_1'))).toBe(5)
  })
})
