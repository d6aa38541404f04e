import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { createJournal } from '../../src/stores/sqlite.js'
import { sqliteDrivers } from '../stores/sqlite-drivers.js'
import { testJournal } from './behaviour.js'

const folder = mkdtempSync(join(tmpdir(), 'journal-'))

afterAll(() => rmSync(folder, { recursive: true }))

describe.each(Object.entries(sqliteDrivers))('the SQLite journal with %s', (name, open) => {
  const database = open(join(folder, `${name.replace(':', '-')}.db`))
  testJournal({
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
    isSynchronous: true,
  })
})
