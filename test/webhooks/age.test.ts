import { afterEach, describe, expect, it, vi } from 'vitest'
import { type VerifyOptions, verify } from '../../src/webhooks/index.js'
import { aDisputeEvent, aStatusEvent, bothWays, currentSecret, errorOf, signed, verdict } from './fixtures.js'

const noon = Date.parse('2026-01-31T12:00:00Z')
const at = (milliseconds: number) => new Date(noon + milliseconds)
const verdictOn = (payload: object, options: VerifyOptions) => {
  const body = JSON.stringify(payload)
  return verdict(() => verify(body, signed(body), currentSecret, options))
}

afterEach(() => {
  vi.useRealTimers()
})

describe('webhooks, tolerance', () => {
  it('W13 accepts an event of any age by default', async () => {
    const result = await verdictOn({ ...aStatusEvent(), date: '1999-01-01T00:00:00Z' }, {})

    expect(result).toBe('accepted')
  })

  it('W13 accepts an event up to its tolerance, and none that is older', async () => {
    const results = [
      await verdictOn(aStatusEvent(), { tolerance: 300, now: at(299_000) }),
      await verdictOn(aStatusEvent(), { tolerance: 300, now: at(300_000) }),
      await verdictOn(aStatusEvent(), { tolerance: 300, now: at(300_001) }),
    ]

    expect(results).toEqual(['accepted', 'accepted', 'too-old'])
  })

  it('W13 accepts an event of a clock that is ahead', async () => {
    const result = await verdictOn(aStatusEvent(), { tolerance: 1, now: at(-3_600_000) })

    expect(result).toBe('accepted')
  })

  it.each([
    ['text', String(noon / 1000)],
    ['a number', noon / 1000],
    ['a fraction', `${noon / 1000}.0`],
    ['a longer fraction', `${noon / 1000}.000000`],
  ])('W13 measures on signedAt, as %s, rather than on date', async (_, signedAt) => {
    const event = { ...aStatusEvent(), date: '1999-01-01T00:00:00Z', signedAt }

    const results = [
      await verdictOn(event, { tolerance: 10, now: at(10_000) }),
      await verdictOn(event, { tolerance: 10, now: at(10_001) }),
    ]

    expect(results).toEqual(['accepted', 'too-old'])
  })

  it.each(['soon', '', '12:00', null, {}, 'x1769860800', '1769860800x', '1769860800.', '-5'])(
    'W13 measures on date when signedAt is %j',
    async (signedAt) => {
      const event = { ...aDisputeEvent(), date: '2026-01-31T12:00:00Z', signedAt }

      const results = [
        await verdictOn(event, { tolerance: 10, now: at(10_000) }),
        await verdictOn(event, { tolerance: 10, now: at(10_001) }),
      ]

      expect(results).toEqual(['accepted', 'too-old'])
    },
  )

  it.each([
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00.000000',
    '2026-01-31T13:00:00+01:00',
    '2026-01-31T12:00:00.00000Z',
  ])('W13 reads the date %s, in UTC unless it says otherwise', async (date) => {
    const event = { ...aStatusEvent(), date }

    const results = [
      await verdictOn(event, { tolerance: 10, now: at(10_000) }),
      await verdictOn(event, { tolerance: 10, now: at(10_001) }),
    ]

    expect(results).toEqual(['accepted', 'too-old'])
  })

  it.each([
    ['a dispute, which has none', aDisputeEvent()],
    ['an event with an unreadable date', { date: 'yesterday' }],
    ['a test delivery', { message: 'This is a test' }],
    ['a number', 12 as unknown as object],
    ['null', null as unknown as object],
  ])('W13 accepts what says no time: %s', async (_, payload) => {
    const result = await verdictOn(payload, { tolerance: 1, now: at(9e12) })

    expect(result).toBe('accepted')
  })

  it('W13 asks a function for the time, each time', async () => {
    let now = at(0)
    const options: VerifyOptions = { tolerance: 10, now: () => now }
    const before = await verdictOn(aStatusEvent(), options)
    now = at(11_000)

    const after = await verdictOn(aStatusEvent(), options)

    expect([before, after]).toEqual(['accepted', 'too-old'])
  })

  it('W13 reads the clock unless told the time', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const before = await verdictOn(aStatusEvent(), { tolerance: 10 })
    vi.setSystemTime(noon + 11_000)

    const after = await verdictOn(aStatusEvent(), { tolerance: 10 })

    expect([before, after]).toEqual(['accepted', 'too-old'])
  })

  it('does not ask for the time without a tolerance', async () => {
    const now = vi.fn(() => at(0))

    await verdictOn(aStatusEvent(), { now })

    expect(now).not.toHaveBeenCalled()
  })

  it.each([new Date(Number.NaN), () => new Date(Number.NaN), () => undefined as unknown as Date])(
    'refuses a time that is none: %#',
    async (now) => {
      const body = JSON.stringify(aStatusEvent())

      const error = await errorOf(() => verify(body, signed(body), currentSecret, { tolerance: 10, now }))

      expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', message: 'Option now must give a valid Date' })
    },
  )

  it('says how old is too old, and calls it an error of verification', async () => {
    const body = JSON.stringify(aStatusEvent())

    const error = await errorOf(() => verify(body, signed(body), currentSecret, { tolerance: 10, now: at(1e7) }))

    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_VERIFICATION', reason: 'too-old' })
    expect(error.message).toBe('The event is more than 10 seconds old (option tolerance)')
  })

  it.each(bothWays)('W13 $how looks at the signature before the age', async ({ check }) => {
    const body = JSON.stringify(aStatusEvent())

    const result = await verdict(() => check(body, signed('other'), currentSecret, { tolerance: 1, now: at(1e9) }))

    expect(result).toBe('no-match')
  })
})
