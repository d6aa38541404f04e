// A `Database` for orders, journals and webhook stores, on a connection of Sequelize.
import type { Database } from 'payments-client/postgres'
import { QueryTypes, Sequelize, type Transaction } from 'sequelize'

const sequelize = new Sequelize(process.env['DATABASE_URL'] ?? '', { pool: { max: 10 } })

const run = (sql: string, values: readonly unknown[], transaction?: Transaction) =>
  sequelize.query<Record<string, unknown>>(sql, {
    type: QueryTypes.SELECT,
    transaction: transaction ?? null,
    ...(values.length > 0 && { bind: [...values] }),
  })

export const database: Database<Transaction> = {
  query: (sql, values) => run(sql, values),
  transaction: (work) => sequelize.transaction(work),
  queryIn: (transaction, sql, values) => run(sql, values, transaction),
}
