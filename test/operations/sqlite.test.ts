import { describe, expect, it } from 'vitest'
import { createJournal, type SqliteDatabase } from '../../src/stores/sqlite/index.js'
import { isTestedFully } from '../stores/drivers.js'
import { sqliteDrivers } from '../stores/sqlite-drivers.js'
import { failureOf } from '../support/clients.js'
import { testJournal } from './behaviour.js'
import { testConnections } from './mistakes.js'
import { testRules } from './rules.js'
import { aShop, type JournalDatabase, oldTables, passSql } from './shop.js'

describe.each(Object.entries(sqliteDrivers))('the SQLite journal with %s', (name, open) => {
  const database = open(':memory:')
  const journals: JournalDatabase = {
    async open(name, options) {
      const journal = createJournal(database, { ...options, tablePrefix: name })
      await journal.migrate()
      return journal
    },
    async transact(work) {
      database.exec('BEGIN')
      try {
        await work(database)
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
    async pass(name, ms) {
      for (const sql of passSql(name, ms)) database.exec(sql)
    },
    async spoil(name, key, column, value) {
      database.prepare(`UPDATE ${name}operations SET ${column} = ? WHERE key = ?`).run(value, key)
    },
    write: (name) => void database.exec(`UPDATE ${name}operations SET reason = 'x' WHERE key = 'create-1'`),
    countClaims: async (name) => countIn(database, `${name}claims`),
    isSynchronous: true,
  }
  if (isTestedFully(name)) {
    testJournal(journals)
    testRules(journals)
  }

  it('operations.recover finishes running operations, and throws if the database fails', async () => {
    const shop = await aShop(journals)
    const outside = async () => {
      const { id } = await shop.outside.payments.create(shop.body())
      await shop.outside.payments.capture(id)
      return id
    }
    for (const key of ['refund-1', 'refund-2']) {
      await shop.plan({ key, operation: 'payments.refund', id: await outside() })
    }
    const table = `${shop.name}operations`
    database.exec(`CREATE TRIGGER full BEFORE UPDATE ON ${table}
      WHEN NEW.key = 'refund-1' AND NEW.payment_before IS NOT OLD.payment_before BEGIN SELECT RAISE (ABORT, 'the disk is full'); END`)

    const error = await failureOf(shop.client.operations.recover())

    expect(error).toMatchObject({ code: 'ERR_CONFIGURATION', outcome: 'not_sent', idempotencyKey: 'refund-1' })
    expect(error.message).toContain('The journal is not available, so nothing was sent: its database failed')
    expect(shop.effects('refund-1')).toEqual([])
    expect(await shop.stateOf('refund-2')).toBe('succeeded')
    database.exec('DROP TRIGGER full')
    await shop.pass(61_000)
    expect(await shop.client.operations.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })
    expect(shop.effects('refund-1')).toHaveLength(1)
  })

  it('migrate adds columns that tables of earlier versions lack', async () => {
    const old = open(':memory:')
    old.exec(oldTables('old_', 'INTEGER'))
    const journal = createJournal(old, { tablePrefix: 'old_' })
    await journal.migrate()
    await journal.migrate()
    const shop = await aShop({ ...journals, open: async () => journal })

    expect(await shop.client.operations.recover()).toEqual({ finished: 1, open: 0, needsReview: 0 })
    expect(await shop.get('old-1')).toMatchObject({ state: 'not_executed' })
    expect(await shop.client.payments.create(shop.body())).toMatchObject({ status: 'AUTHORIZED' })
  })

  const wrongTransaction = 'The transaction must be the database that was passed to createJournal'
  testConnections({
    database: journals,
    connection: database,
    createJournal: (connection) => createJournal(connection as never),
    openWithoutTables: () => createJournal(database, { tablePrefix: 'missing_' }),
    wrongConnections: [
      ['undefined', undefined],
      ['an empty object', {}],
      ['the name of a file', 'shop.db'],
      ['a function', () => {}],
    ],
    wrongConnection: 'The connection must be a DatabaseSync from node:sqlite, or a database from better-sqlite3',
    wrongTransactions: [
      ['the database without BEGIN', (work) => work(database), 'No transaction is open: run BEGIN IMMEDIATE'],
      ['undefined', (work) => work(undefined), wrongTransaction],
      ['an empty object', (work) => work({}), wrongTransaction],
      [
        'another database',
        async (work, name) => {
          const other = open(':memory:')
          await createJournal(other, { tablePrefix: name }).migrate()
          await work(other).finally(() => expect(countIn(other, `${name}operations`)).toBe(0))
        },
        wrongTransaction,
      ],
    ],
  })
})

function countIn(database: SqliteDatabase, table: string): number {
  return Object(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()).count
}
