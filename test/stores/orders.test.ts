import { afterAll, describe, inject } from 'vitest'
import { testOrders } from '../orders/behaviour.js'
import { driver, inTransaction } from './drivers.js'

describe('orders in PostgreSQL with pg', () => {
  const { Pool } = driver('pg')
  const pool = new Pool({ connectionString: inject('postgresUrl'), max: 10 })
  afterAll(() => pool.end())
  testOrders({
    database: pool,
    write: (transaction, sql) => Object(transaction).query(sql),
    query: async (sql) => (await pool.query(sql)).rows,
    transact: (work) => inTransaction(pool, work),
    async rollBack(work) {
      const rollback = new Error('Roll back')
      const ending = inTransaction(pool, async (transaction) => {
        await work(transaction)
        throw rollback
      })
      await ending.catch((error) => {
        if (error !== rollback) throw error
      })
    },
  })
})
