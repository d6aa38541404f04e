import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type VerifyOptions, verify } from '../../src/webhooks/index.js'
import { aDisputeEvent, aStatusEvent, currentSecret, errorOf, signed, verdict } from './fixtures.js'

const noon = Date.parse('2026-01-31T12:00:00Z')
const at = (milliseconds: number) => new Date(noon + milliseconds)
const verdictOn = (payload: object, options: VerifyOptions) => {
  const body = JSON.stringify(payload)
  return verdict(() => verify(body, signed(body), currentSecret, options))
}

afterEach(() => {
  vi.useRealTimers()
})

describe('verify and its option `tolerance`', () => {
  it('accepts events of any age by default', async () => {
    expect(await verdictOn({ ...aStatusEvent(), date: '1999-01-01T00:00:00Z' }, {})).toBe('accepted')
  })

  it('accepts events within the tolerance, in the past or future', async () => {
    const results = await Promise.all(
      [300_001, 300_000, 0, -300_000, -300_001].map((ms) => verdictOn(aStatusEvent(), { tolerance: 300, now: at(ms) })),
    )

    expect(results).toEqual(['too-old', 'accepted', 'accepted', 'accepted', 'too-new'])
  })

  it.each([
    ['seconds in a string', String(noon / 1000)],
    ['seconds in a number', noon / 1000],
    ['seconds with a fraction', `${noon / 1000}.000000`],
    ['milliseconds in a string', String(noon)],
    ['milliseconds in a number', noon],
    ['a datetime', '2026-01-31T13:00:00+01:00'],
  ])('computes an event’s age from signedAt rather than date: %s', async (_, signedAt) => {
    const event = { ...aStatusEvent(), date: '1999-01-01T00:00:00Z', signedAt }

    const results = await Promise.all(
      [10_000, 10_001, -10_001].map((ms) => verdictOn(event, { tolerance: 10, now: at(ms) })),
    )

    expect(results).toEqual(['accepted', 'too-old', 'too-new'])
  })

  it.each(['soon', '', '12:00', {}, true, 'x1769860800', '1769860800x', '1769860800.', '-5'])(
    'rejects an event whose signedAt is %j',
    async (signedAt) => {
      expect(await verdictOn({ ...aStatusEvent(), signedAt }, { tolerance: 10, now: at(0) })).toBe('too-old')
    },
  )

  it.each([
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00.000000',
    '2026-01-31T13:00:00+01:00',
    '2026-01-31T12:00:00.00000Z',
  ])('reads the date %s as UTC unless it has a time zone', async (date) => {
    const event = { ...aStatusEvent(), date, signedAt: null }

    const results = [
      await verdictOn(event, { tolerance: 10, now: at(10_000) }),
      await verdictOn(event, { tolerance: 10, now: at(10_001) }),
    ]

    expect(results).toEqual(['accepted', 'too-old'])
  })

  it('rejects an event whose date cannot be parsed', async () => {
    expect(await verdictOn({ date: 'yesterday' }, { tolerance: 10, now: at(0) })).toBe('too-old')
  })

  it.each([
    ['a dispute', aDisputeEvent()],
    ['a test delivery', { message: 'This is a test' }],
    ['a date that is null', { date: null }],
    ['null', null as unknown as object],
  ])('accepts a payload without a date: %s', async (_, payload) => {
    expect(await verdictOn(payload, { tolerance: 1, now: at(9e12) })).toBe('accepted')
  })

  it('calls the function in the option `now` for every verification', async () => {
    let now = at(0)
    const options: VerifyOptions = { tolerance: 10, now: () => now }
    const before = await verdictOn(aStatusEvent(), options)
    now = at(11_000)

    const after = await verdictOn(aStatusEvent(), options)

    expect([before, after]).toEqual(['accepted', 'too-old'])
  })

  it('uses Date.now even if it was replaced', async () => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(noon + 10_000)
    onTestFinished(() => now.mockRestore())
    const atLimit = await verdictOn(aStatusEvent(), { tolerance: 10 })

    now.mockReturnValue(noon + 10_001)

    expect([atLimit, await verdictOn(aStatusEvent(), { tolerance: 10 })]).toEqual(['accepted', 'too-old'])
  })

  it.each([new Date(Number.NaN), () => new Date(Number.NaN), () => undefined as unknown as Date])(
    'rejects an invalid option `now` (case %#)',
    async (now) => {
      const body = JSON.stringify(aStatusEvent())

      const error = await errorOf(() => verify(body, signed(body), currentSecret, { tolerance: 10, now }))

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', message: 'now must return a valid Date' })
    },
  )

  it('throws an error that contains the tolerance if the event is too old', async () => {
    const body = JSON.stringify(aStatusEvent())

    const [old, early] = await Promise.all(
      [1e7, -1e7].map((ms) => errorOf(() => verify(body, signed(body), currentSecret, { tolerance: 10, now: at(ms) }))),
    )

    expect(old?.message).toBe('The event is more than 10 seconds old (option tolerance)')
    expect(early?.message).toMatch(/^The event is more than 10 seconds in the future.*clock/)
  })

  it('checks the signature before the age', async () => {
    const body = JSON.stringify(aStatusEvent())

    const result = await verdict(() => verify(body, signed('other'), currentSecret, { tolerance: 1, now: at(1e9) }))

    expect(result).toBe('no-match')
  })
})
