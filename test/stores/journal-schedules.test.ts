import { afterAll, describe, inject } from 'vitest'
import type { Row } from '../../src/stores/database.js'
import { createJournal, type PgPool } from '../../src/stores/postgres/index.js'
import { passSql } from '../operations/shop.js'
import { testSchedules } from '../stress/journal/schedules.js'
import type { SimulatedEngine } from '../stress/journal/simulation.js'
import { realTime } from '../stress/ledger/virtual-time.js'
import { driver, inTransaction } from './drivers.js'

describe('a journal in PostgreSQL under random faults and crashes', () => {
  // Without time limits of its own, the pool needs no timers, which fire in virtual time.
  const pool = new (driver('pg').Pool)({ connectionString: inject('postgresUrl'), idleTimeoutMillis: 0 })
  afterAll(() => pool.end())
  const query = async (on: PgPool, sql: string, values: readonly unknown[]): Promise<Row[]> =>
    (await on.query(sql, [...values])).rows
  const database = {
    query: (sql: string, values: readonly unknown[]) => realTime(() => query(pool, sql, values)),
    transaction<T>(work: (transaction: PgPool) => Promise<T>): Promise<T> {
      let result: T
      const run = () =>
        inTransaction(pool, async (client) => {
          result = await work(client as PgPool)
        })
      return realTime(run).then(() => result)
    },
    queryIn: (client: PgPool, sql: string, values: readonly unknown[]) => query(client, sql, values),
  }
  let runs = 0
  testSchedules(3, (): SimulatedEngine => {
    const tablePrefix = `run${++runs}_`
    return {
      async open(options) {
        const journal = createJournal(database, { ...options, tablePrefix })
        await journal.migrate()
        return journal
      },
      async pass(ms) {
        for (const sql of passSql(tablePrefix, ms)) await database.query(sql, [])
      },
      plan: (client, intent) =>
        database.transaction(async (transaction) => client.operations.plan(transaction, intent)),
    }
  })
})
