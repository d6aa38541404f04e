import { describe, expect, it } from 'vitest'
import { createJournal, type SqliteDatabase } from '../../src/stores/sqlite/index.js'
import { isTestedFully } from '../stores/drivers.js'
import { sqliteDrivers } from '../stores/sqlite-drivers.js'
import { failureOf } from '../support/clients.js'
import { testOrders, testOrdersBriefly } from './behaviour.js'
import { aShop, type OrdersTestDatabase } from './shop.js'

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

describe('the search for a lost refund', () => {
  it('sends no refund if the database fails', async () => {
    const database = (sqliteDrivers['node:sqlite'] as (file: string) => SqliteDatabase)(':memory:')
    const test = sqliteTestDatabase(database)
    const { sell, orders, client, effects, tablePrefix } = await aShop(test)
    await sell()
    await test.transact((transaction) => orders.refund('17', { id: 'a', amount: 500 }, { transaction }))
    const failing: SqliteDatabase = {
      exec: (sql) => database.exec(sql),
      prepare(sql) {
        if (sql.includes('OR payment_id = ')) throw new Error('disk I/O error')
        return database.prepare(sql)
      },
    }
    const { operations } = client.withOptions({ journal: createJournal(failing, { tablePrefix }) })

    const error = await failureOf(operations.run('refund-17-a-1'))

    expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent', retry: 'same-key' })
    expect(Object(error).cause).toMatchObject({ message: 'disk I/O error' })
    expect(effects('payments.refund')).toBe(0)
    expect(await operations.get('refund-17-a-1')).toMatchObject({ state: 'planned', attempts: 0 })
  })
})
