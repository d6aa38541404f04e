import { afterAll, beforeAll, describe, expect, inject } from 'vitest'
import { createJournal, type PgPool, type PostgresSql } from '../../src/stores/postgres/index.js'
import { type Connections, testConnections } from '../operations/mistakes.js'
import type { JournalDatabase } from '../operations/shop.js'
import { driver, inTransaction } from './drivers.js'

const url = new URL(inject('postgresUrl'))
const otherUrl = new URL('another_database', url)
const pool = new (driver('pg').Pool)({ connectionString: url.href, max: 10 })
const otherPool = new (driver('pg').Pool)({ connectionString: otherUrl.href })
const sql = driver('postgres')(url.href, { max: 10, onnotice: () => {} })
const otherSql = driver('postgres')(otherUrl.href)

beforeAll(() => pool.query('CREATE DATABASE another_database'))
afterAll(() => Promise.all([pool.end(), otherPool.end(), sql.end({ timeout: 1 }), otherSql.end({ timeout: 1 })]))

/** Creates the same tables in another database, and checks that they stay empty. */
async function withOtherTables(tablePrefix: string, work: () => Promise<void>): Promise<void> {
  await createJournal(otherPool as PgPool, { tablePrefix }).migrate()
  await work().finally(async () => {
    expect((await otherPool.query(`SELECT FROM ${tablePrefix}operations`)).rowCount).toBe(0)
  })
}

const pass = () => Promise.reject(new Error('not used'))

const mistakes = {
  createJournal: (connection: unknown) => createJournal(connection as PgPool),
  wrongConnections: [
    ['undefined', undefined],
    ['an empty object', {}],
    ['a URL', url.href],
    ['a client of pg', new (driver('pg').Client)()],
  ],
  wrongConnection: 'The connection must be a Pool from pg or an instance of postgres, or a Database',
} satisfies Partial<Connections>

const notOpen = 'The transaction is not open: pass the value that your library passes'
const otherDatabase = 'belongs to another database than the journal: use a transaction of the database'

describe('the PostgreSQL journal with pg', () => {
  const database: JournalDatabase = {
    async open(name, options) {
      const journal = createJournal(pool as PgPool, { ...options, tablePrefix: `pg_mistakes_${name}` })
      await journal.migrate()
      return journal
    },
    transact: (work) => inTransaction(pool, work),
    pass,
  }
  testConnections({
    ...mistakes,
    database,
    openWithoutTables: () => createJournal(pool as PgPool, { tablePrefix: 'missing_' }),
    wrongTransactions: [
      ['undefined', (work) => work(undefined), 'must be a client of pg that has run BEGIN'],
      ['an empty object', (work) => work({}), 'must be a client of pg that has run BEGIN'],
      ['the pool', (work) => work(pool), notOpen],
      ['another database without the tables', (work) => inTransaction(otherPool, work), otherDatabase],
      [
        'another database with the tables',
        (work, name) => withOtherTables(`pg_mistakes_${name}`, () => inTransaction(otherPool, work)),
        otherDatabase,
      ],
    ],
  })
})

describe('the PostgreSQL journal with postgres', () => {
  const database: JournalDatabase = {
    async open(name, options) {
      const journal = createJournal(sql as PostgresSql, { ...options, tablePrefix: `postgres_mistakes_${name}` })
      await journal.migrate()
      return journal
    },
    transact: (work) => sql.begin(async (transaction: unknown) => work(transaction)),
    pass,
  }
  testConnections({
    ...mistakes,
    database,
    openWithoutTables: () => createJournal(sql as PostgresSql, { tablePrefix: 'missing_' }),
    wrongTransactions: [
      ['undefined', (work) => work(undefined), 'must be the sql that sql.begin passes to its function'],
      ['the instance itself', (work) => work(sql), notOpen],
      ['another database without the tables', (work) => otherSql.begin(work), otherDatabase],
      [
        'another database with the tables',
        (work, name) => withOtherTables(`postgres_mistakes_${name}`, () => otherSql.begin(work)),
        otherDatabase,
      ],
    ],
  })
})
