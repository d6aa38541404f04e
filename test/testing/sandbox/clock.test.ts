import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSandbox } from '../../../src/testing/index.js'
import { type Duration, milliseconds, VirtualClock } from '../../../src/testing/sandbox/internal/clock.js'

const noon = new Date('2026-01-31T12:00:00Z')

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('sandbox.clock', () => {
  it('stays at the time in the option `now` until advance() is called', async () => {
    const { clock } = createSandbox({ now: noon })

    await clock.advance('24h')
    await clock.advance(500)

    expect(clock.now()).toEqual(new Date('2026-02-01T12:00:00.500Z'))
  })

  it('runs in real time by default, and moves forward with advance()', async () => {
    vi.useFakeTimers({ now: noon })
    const { clock } = createSandbox()

    await clock.advance('1h')
    vi.advanceTimersByTime(1000)

    expect(clock.now()).toEqual(new Date('2026-01-31T13:00:01Z'))
  })

  it('adds up the durations of concurrent advance() calls', async () => {
    const clock = new VirtualClock(noon)
    clock.schedule(1000, () => new Promise((resolve) => setImmediate(resolve)))

    await Promise.all([clock.advance('1h'), clock.advance('1h')])

    expect(clock.now()).toEqual(new Date('2026-01-31T14:00:00Z'))
  })

  it.each([
    ['500ms', 500],
    ['1.5s', 1500],
    ['2m', 120_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    [0, 0],
  ] as const)('accepts the duration %s', (duration, expected) => {
    expect(milliseconds(duration)).toBe(expected)
  })

  it.each(['a while', '', '24', '-1s', '1 h', 'x1h', '1hx', '1.h', '.5h', -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'rejects the duration %s',
    async (by) => {
      const { clock } = createSandbox({ now: noon })

      await expect(clock.advance(by as Duration)).rejects.toThrow(
        new TypeError(`Invalid duration: ${by}. Pass milliseconds, or a string such as '24h' or '60s'`),
      )
    },
  )

  it.each([undefined, noon])(
    'rejects a duration that ends beyond the year 9999, with the option now: %s',
    async (now) => {
      const { clock } = createSandbox({ now })
      const before = clock.now().getTime()

      await expect(clock.advance('999999999d')).rejects.toThrow(
        new TypeError('The duration 999999999d moves the clock beyond the year 9999: pass a shorter duration'),
      )
      expect(clock.now().getTime()).toBeGreaterThanOrEqual(before)
    },
  )
})

describe('tasks scheduled on the sandbox clock', () => {
  it('runs tasks in order of their due times, then in order of scheduling', async () => {
    const clock = new VirtualClock(noon)
    const happened: string[] = []
    const note = (name: string) => () => void happened.push(`${name} at ${clock.now().toISOString().slice(17)}`)
    clock.schedule(2000, note('second'))
    clock.schedule(2000, note('third'))
    clock.schedule(1000, async () => {
      await Promise.resolve()
      note('first')()
      clock.schedule(500, note('between'))
    })
    clock.schedule(5001, note('too late'))
    clock.schedule(1500, note('cancelled')).cancel()

    await clock.advance('5s')

    expect(happened).toEqual(['first at 01.000Z', 'between at 01.500Z', 'second at 02.000Z', 'third at 02.000Z'])
    expect(clock.now()).toEqual(new Date('2026-01-31T12:00:05Z'))
  })

  it('runs no task on a stopped clock until advance() is called', async () => {
    vi.useFakeTimers({ now: noon })
    const clock = new VirtualClock(noon)
    const happened: string[] = []
    clock.schedule(1000, () => void happened.push('by itself'))

    await vi.advanceTimersByTimeAsync(10_000)

    expect(happened).toEqual([])
  })

  it('does not move the clock back for a task that runs late', async () => {
    vi.useFakeTimers({ now: noon })
    const clock = new VirtualClock()
    const happened: Date[] = []
    clock.schedule(1000, () => void happened.push(clock.now()))
    vi.setSystemTime('2026-01-31T12:00:05Z')

    await clock.advance(0)

    expect(happened).toEqual([new Date('2026-01-31T12:00:05Z')])
    expect(clock.now()).toEqual(new Date('2026-01-31T12:00:05Z'))
  })

  it('lets the Node process exit despite scheduled tasks', () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const clock = new VirtualClock()
    const before = timers()

    const scheduled = clock.schedule(60_000, () => {})

    expect(timers()).toBe(before)
    scheduled.cancel()
  })

  it('runs tasks in runtimes whose setTimeout returns a number', () => {
    vi.stubGlobal('setTimeout', () => 1)

    expect(() => new VirtualClock().schedule(1000, () => {})).not.toThrow()
  })

  it('runs tasks in real time on a running clock', async () => {
    vi.useFakeTimers({ now: noon })
    const clock = new VirtualClock()
    const happened: string[] = []
    clock.schedule(1000, () => void happened.push('by itself'))
    clock.schedule(5000, () => void happened.push('when advanced'))

    await vi.advanceTimersByTimeAsync(1000)
    const before = [...happened]
    await clock.advance('4s')
    await vi.advanceTimersByTimeAsync(10_000)

    expect(before).toEqual(['by itself'])
    expect(happened).toEqual(['by itself', 'when advanced'])
  })

  it('does not run a task early if its delay exceeds the maximum of setTimeout', async () => {
    vi.useFakeTimers({ now: noon })
    const clock = new VirtualClock()
    const happened: string[] = []
    clock.schedule(milliseconds('30d'), () => void happened.push('when advanced'))

    await vi.advanceTimersByTimeAsync(1000)
    const before = [...happened]
    await clock.advance('30d')

    expect([before, happened]).toEqual([[], ['when advanced']])
  })

  it('cancels tasks when sandbox.restore() restores the clock', async () => {
    const clock = new VirtualClock(noon)
    const before = clock.snapshot()
    const happened: string[] = []
    clock.schedule(1000, () => void happened.push('too late'))

    clock.restore(before)
    await clock.advance('1h')

    expect(happened).toEqual([])
  })
})
