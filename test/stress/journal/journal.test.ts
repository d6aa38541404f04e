import { afterAll, describe } from 'vitest'
import { createJournal, type SqliteDatabase } from '../../../src/stores/sqlite/index.js'
import { passSql } from '../../operations/shop.js'
import { sqliteDrivers } from '../../stores/sqlite-drivers.js'
import { testSchedules } from './schedules.js'
import { memoryEngine, type SimulatedEngine } from './simulation.js'

describe('a journal in memory under random faults and crashes', () => testSchedules(15, memoryEngine))

describe('a journal in SQLite under random faults and crashes', () => {
  const database = (sqliteDrivers['node:sqlite'] as (file: string) => SqliteDatabase & { close(): void })(':memory:')
  afterAll(() => database.close())
  let runs = 0
  testSchedules(5, (): SimulatedEngine => {
    const tablePrefix = `run${++runs}_`
    return {
      async open(options) {
        const journal = createJournal(database, { ...options, tablePrefix })
        await journal.migrate()
        return journal
      },
      async pass(ms) {
        for (const sql of passSql(tablePrefix, ms)) database.exec(sql)
      },
      async plan(client, intent) {
        database.exec('BEGIN')
        try {
          client.operations.planSync(database, intent)
          database.exec('COMMIT')
        } catch (error) {
          database.exec('ROLLBACK')
          throw error
        }
      },
    }
  })
})
