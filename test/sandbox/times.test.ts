import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { instantOf, zoneless } from '../../src/sandbox/internal/clock.js'

const noon = Date.parse('2026-01-31T12:00:00Z')
const hour = 3_600_000

describe.each(['UTC', 'America/New_York', 'Asia/Kolkata'])('where the clocks show the time of %s', (zone) => {
  beforeEach(() => {
    vi.stubEnv('TZ', zone)
  })

  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it.each([
    ['2026-01-31T12:00:00', noon],
    ['2026-01-31T12:00:00.000000', noon],
    ['2026-01-31 12:00:00', noon],
    ['2026-01-31T12:00', noon],
    ['2026-01-31T12:00:00Z', noon],
    ['2026-01-31T12:00:00z', noon],
    ['2026-01-31T12:00:00+01:00', noon - hour],
    ['2026-01-31T12:00:00-01:00', noon + hour],
    ['2026-01-31T12:00:00+0100', noon - hour],
    ['2026-01-31', noon - 12 * hour],
  ])('%s means the same as everywhere', (text, instant) => {
    expect(instantOf(text)).toBe(instant)
  })

  it('a time is written in UTC', () => {
    expect(zoneless(new Date(noon + 1))).toBe('2026-01-31T12:00:00.001000')
  })
})
