import { describe, expect, it } from 'vitest'
import { createMemoryJournal } from '../../../src/index.js'
import { createJournal, type SqliteDatabase } from '../../../src/stores/sqlite/index.js'
import { sqliteDrivers } from '../../stores/sqlite-drivers.js'
import { effort } from '../effort.js'
import { compareLedger } from './compare-ledger.js'
import type { OpenJournal } from './simulation.js'

const openSqlite = sqliteDrivers['node:sqlite'] as (file: string) => SqliteDatabase

const engines: [name: string, usualRuns: number, openJournal?: OpenJournal][] = [
  ['no journal', 40],
  ['a journal in memory', 20, async () => createMemoryJournal()],
  [
    'a journal in SQLite',
    10,
    async () => {
      const journal = createJournal(openSqlite(':memory:'))
      await journal.migrate()
      return journal
    },
  ],
]

describe.each(engines)('outcomes reported under random faults, with %s', (_, usualRuns, openJournal) => {
  const { runs, seed, isLong, print } = effort(usualRuns)

  it('match the sandbox’s ledger', async () => {
    const report = await compareLedger({ schedules: runs, seed }, openJournal)

    print(report)
    const { schedules, calls, endings, unknown } = report
    expect(schedules).toBe(runs)
    if (!isLong) return
    // Requires many successes and every other outcome, because a comparison without them would prove little.
    expect(endings.success).toBeGreaterThan(calls / 4)
    for (const [ending, times] of Object.entries(endings)) expect(times, ending).toBeGreaterThan(10)
    expect(unknown.effect).toBeGreaterThan(10)
    expect(unknown.noEffect).toBeGreaterThan(10)
  })
})
