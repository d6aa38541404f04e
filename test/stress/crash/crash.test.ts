import { afterAll, describe, expect, it } from 'vitest'
import { effort } from '../effort.js'
import { type Aftermath, type CrashPoint, Shop } from './crash.js'

const { runs, print } = effort(7)

/** The number of programs that run at the same time. */
const atOnce = 2

describe('a process that is killed and restarted with its stored idempotency key', () => {
  const shop = new Shop()
  afterAll(() => shop.close())

  it('creates exactly one payment and one capture when killed at several points', async () => {
    const points = await shop.points(runs)
    const aftermaths: [CrashPoint, Aftermath][] = []
    const remaining = [...points]
    const work = async () => {
      for (let point = remaining.shift(); point; point = remaining.shift()) {
        aftermaths.push([point, await shop.crash(point)])
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))

    const effectsBefore = [0, 1, 2].map(
      (count) => aftermaths.filter(([, after]) => after.effectsBefore === count).length,
    )
    const [nothing, payment, both] = effectsBefore
    print({ crashes: aftermaths.length, doneWhenKilled: { nothing, payment, both } })
    expect(aftermaths).toHaveLength(runs)
    expect(Math.min(...effectsBefore)).toBeGreaterThan(0)
    for (const [point, { firstRun, secondRun, effects, receipt }] of aftermaths) {
      const summary = { firstRun, secondRun, operations: effects.map(({ operation }) => operation), receipt }
      expect(summary, JSON.stringify(point)).toEqual({
        firstRun: 'killed',
        secondRun: 'finished',
        operations: ['payments.create', 'payments.capture'],
        receipt: { id: effects[0]?.resourceId, status: 'SETTLED' },
      })
    }
  })
})
