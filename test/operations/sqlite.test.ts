import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { createJournal, type SqliteDatabase } from '../../src/stores/sqlite.js'
import { sqliteDrivers } from '../stores/sqlite-drivers.js'
import { testJournal } from './behaviour.js'
import { testConnections } from './mistakes.js'
import { type JournalDatabase, passSql } from './shop.js'

const folder = mkdtempSync(join(tmpdir(), 'journal-'))

afterAll(() => rmSync(folder, { recursive: true }))

describe.each(Object.entries(sqliteDrivers))('the SQLite journal with %s', (name, open) => {
  const database = open(join(folder, `${name.replace(':', '-')}.db`))
  database.exec('PRAGMA synchronous = OFF')
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
    countClaims: async (name) => countIn(database, `${name}claims`),
    isSynchronous: true,
  }
  testJournal(journals)

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
    wrongConnection: 'The connection must be a DatabaseSync from node:sqlite or a better-sqlite3 database',
    wrongTransactions: [
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
