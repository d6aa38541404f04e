import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseRetryAfter } from '../../src/transport/retry-after.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') })
})

afterEach(() => {
  vi.useRealTimers()
})

/** What a header asks for, in an answer that was sent at noon by the service's clock, which is a day behind ours. */
function asked(retryAfter: string, date = 'Sat, 28 Feb 2026 12:00:00 GMT'): number | undefined {
  return parseRetryAfter(new Headers({ 'retry-after': retryAfter, date }))
}

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    ['007', 7_000],
    [' 7 ', 7_000],
    ['999999999', 999_999_999_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('is a number of seconds: %s', (retryAfter, expected) => {
    expect(asked(retryAfter)).toBe(expected)
  })

  it.each([
    ['today’s', 'Sat, 28 Feb 2026 12:00:07 GMT'],
    ['RFC 850’s', 'Saturday, 28-Feb-26 12:00:07 GMT'],
    ['asctime’s', 'Sat Feb 28 12:00:07 2026'],
  ])('is a date in %s form', (_form, retryAfter) => {
    expect(asked(retryAfter)).toBe(7_000)
  })

  it.each([
    ['of one digit behind a blank', 'Sun Mar  1 12:00:00 2026'],
    ['of one digit behind a zero', 'Sun Mar 01 12:00:00 2026'],
  ])('is a date in asctime’s form, with a day %s', (_what, retryAfter) => {
    expect(asked(retryAfter)).toBe(24 * 3_600_000)
  })

  it.each([
    ['Wednesday', '76', 2076],
    ['Saturday', '77', 1977],
    ['Friday', '99', 1999],
    ['Saturday', '00', 2000],
    ['Thursday', '26', 2026],
  ])(
    'in RFC 850’s form means the year that is at most 50 years ahead: %s, 01-Jan-%s is in %i',
    (weekday, digits, year) => {
      const newYear = new Date(Date.UTC(year, 0, 1))

      const wait = asked(`${weekday}, 01-Jan-${digits} 00:00:07 GMT`, newYear.toUTCString())

      expect(wait).toBe(7_000)
    },
  )

  it('is nothing to wait for when it is past', () => {
    expect(asked('Sat, 28 Feb 2026 11:00:00 GMT')).toBe(0)
  })

  it.each([undefined, '', 'yesterday', '2026-02-28T12:00:00Z'])(
    'is measured on our clock where the answer has no date that can be read: %j',
    (date) => {
      const headers = new Headers({
        'retry-after': 'Sun, 01 Mar 2026 12:00:07 GMT',
        ...(date !== undefined && { date }),
      })

      expect(parseRetryAfter(headers)).toBe(7_000)
    },
  )

  it.each([
    '',
    ' ',
    'soon',
    '-5',
    '+5',
    '5s',
    's5',
    '0.5',
    '1e3',
    '5, 5',
    '5\u00a0',
    '2026-02-28T12:00:07Z',
    'Sun, 28 Feb 2026 12:00:07 GMT',
    'Sat, 28 Feb 26 12:00:07 GMT',
    'Sat, 28 Feb 2026 12:00:07',
    'Sat, 28 Feb 2026 12:00:07 GMT+1',
    'Mon, 30 Feb 2026 12:00:07 GMT',
    'Saturday, 28-Feb-2026 12:00:07 GMT',
    'Sunday, 28-Feb-26 12:00:07 GMT',
    'Sat Feb 28 12:00:07 26',
    'Sat Feb 28 12:00:07 2026 GMT',
    'Sat, 28 Feb 20261 12:00:07 GMT',
    'Invalid Date',
  ])('says nothing when it is neither: %j', (retryAfter) => {
    expect(asked(retryAfter)).toBeUndefined()
  })

  it('says nothing when it is not there', () => {
    expect(parseRetryAfter(new Headers())).toBeUndefined()
  })
})
