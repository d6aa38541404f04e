import { describe } from 'vitest'
import type { SqliteDatabase } from '../../src/stores/sqlite/index.js'
import { isTestedFully } from '../stores/drivers.js'
import { sqliteDrivers } from '../stores/sqlite-drivers.js'
import { testOrders, testOrdersBriefly } from './behaviour.js'
import type { OrdersTestDatabase } from './shop.js'

export function sqliteTestDatabase(database: SqliteDatabase): OrdersTestDatabase {
  /** The transaction ends before the promise of `work` is awaited, because the decision must then be stored. */
  const within = async (work: (transaction: unknown) => Promise<unknown>, end: 'COMMIT' | 'ROLLBACK') => {
    database.exec('BEGIN IMMEDIATE')
    const working = work(database)
    database.exec(end)
    await working
  }
  return {
    database,
    isSynchronous: true,
    write: (_, sql) => void database.exec(sql),
    async query(sql) {
      if (sql.startsWith('SELECT')) return database.prepare(sql).all() as Record<string, unknown>[]
      database.exec(sql)
      return []
    },
    transact: (work) => within(work, 'COMMIT'),
    rollBack: (work) => within(work, 'ROLLBACK'),
  }
}

describe.each(Object.entries(sqliteDrivers))('orders in SQLite with %s', (name, open) => {
  const test = isTestedFully(name) ? testOrders : testOrdersBriefly
  test(sqliteTestDatabase(open(':memory:')))
})
