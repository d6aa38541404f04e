import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryJournal } from '../../../src/index.js'
import { createJournal, type SqliteDatabase } from '../../../src/stores/sqlite/index.js'
import { sqliteDrivers } from '../../stores/sqlite-drivers.js'
import { effort } from '../effort.js'
import { schedule } from './schedule.js'
import { type Case, type Ending, type OpenJournal, Simulation } from './simulation.js'

const openSqlite = sqliteDrivers['node:sqlite'] as (file: string) => SqliteDatabase

const engines: [name: string, usualRuns: number, openJournal?: OpenJournal][] = [
  ['no journal', 20],
  ['a journal in memory', 10, async () => createMemoryJournal()],
  [
    'a journal in SQLite',
    5,
    async () => {
      const journal = createJournal(openSqlite(':memory:'))
      await journal.migrate()
      return journal
    },
  ],
]

describe.each(engines)('outcomes reported under random faults, with %s', (_, usualRuns, openJournal) => {
  const { runs, seed, isLong, print } = effort(usualRuns)

  it('reports outcomes that match the sandbox’s ledger', async () => {
    const simulations = {
      replay: await Simulation.create('replay', openJournal),
      conflict: await Simulation.create('conflict', openJournal),
      'conflict-400': await Simulation.create('conflict-400', openJournal),
    }
    /** The number of calls by outcome, and of targets whose outcome is unknown, by whether they have an effect. */
    const counts = { success: 0, recovered: 0, rejected: 0, not_sent: 0, unknown: 0, accepted: 0 }
    const unknown = { effect: 0, noEffect: 0 }
    const property = fc.asyncProperty(schedule, async (planned) => {
      const { cases, strays } = await simulations[planned.idempotency].run(planned)
      assert.deepEqual(strays, [], 'an effect without a call')
      for (const each of cases) {
        assert.deepEqual(contradictionsIn(each), [], JSON.stringify(each))
        for (const { outcome } of each.endings) counts[outcome] += 1
        if (each.endings.every(isAmbiguous)) unknown[each.effects.length > 0 ? 'effect' : 'noEffect'] += 1
      }
    })
    await fc.assert(property, { numRuns: runs, seed })

    print({ schedules: runs, counts, unknown })
    if (!isLong) return
    // Requires many successes and every other outcome, because a comparison without them would prove little.
    const calls = Object.values(counts).reduce((sum, count) => sum + count)
    expect(counts.success).toBeGreaterThan(calls / 4)
    for (const [what, times] of Object.entries({ ...counts, ...unknown })) expect(times, what).toBeGreaterThan(10)
  })
})

/** Returns contradictions between the outcomes of a target's calls and their effects. At most one effect is allowed. */
function contradictionsIn({ operation, endings: all, effects }: Case): string[] {
  const found = effects.length > 1 ? ['more than one effect'] : []
  // A payment can be authorized or cancelled only once, so the journal accepts the effect of another caller.
  const isOnce = operation === 'payments.authorize' || operation === 'payments.cancel'
  const isByOther = ({ outcome, key }: Ending) =>
    isOnce &&
    outcome === 'recovered' &&
    effects.length > 0 &&
    effects.every(({ idempotencyKey }) => idempotencyKey !== key)
  const endings = all.filter((ending) => !isByOther(ending))
  const keys = new Set([...endings.map(({ key }) => key), ...effects.map(({ idempotencyKey }) => idempotencyKey)])
  for (const key of keys) {
    const ended = endings.filter((ending) => ending.key === key)
    const own = effects.filter(({ idempotencyKey }) => idempotencyKey === key)
    if (ended.some(isSuccess) && own.length === 0) found.push('a success without an effect')
    if (!ended.some(isSuccess) && !ended.some(isAmbiguous) && own.length > 0)
      found.push('an effect of a call that failed')
    if (ended.some(({ returned }) => returned !== undefined && returned !== own[0]?.resourceId)) {
      found.push('another payment was returned')
    }
  }
  return found
}

function isSuccess({ outcome }: Ending): boolean {
  return outcome === 'success' || outcome === 'recovered'
}

function isAmbiguous({ outcome }: Ending): boolean {
  return outcome === 'unknown' || outcome === 'accepted'
}
