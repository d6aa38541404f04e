import { afterAll, describe, inject } from 'vitest'
import { createJournal, type PgPool, type PostgresSql } from '../../src/stores/postgres.js'
import { testJournal } from '../operations/behaviour.js'
import { driver } from './drivers.js'

describe('the PostgreSQL journal with pg', () => {
  const pool = new (driver('pg').Pool)({ connectionString: inject('postgresUrl'), max: 10 })
  afterAll(() => pool.end())
  testJournal({
    async open(name, options) {
      const journal = createJournal(pool as PgPool, { ...options, tablePrefix: `pg_${name}` })
      await journal.migrate()
      return journal
    },
    async transact(work) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        await work(client)
        await client.query('COMMIT')
      } catch (error) {
        await client.query('ROLLBACK')
        throw error
      } finally {
        client.release()
      }
    },
  })
})

describe('the PostgreSQL journal with postgres', () => {
  const sql = driver('postgres')(inject('postgresUrl'), { max: 10, onnotice: () => {} })
  afterAll(() => sql.end({ timeout: 1 }))
  testJournal({
    async open(name, options) {
      const journal = createJournal(sql as PostgresSql, { ...options, tablePrefix: `postgres_${name}` })
      await journal.migrate()
      return journal
    },
    transact: (work) => sql.begin(async (transaction: unknown) => work(transaction)),
  })
})
