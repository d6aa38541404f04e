import type { Database } from '../database.js'
import { requireTransaction, toRows } from './rows.js'

/** The method of TypeORM's `EntityManager` that `fromTypeOrm` uses. */
export interface TypeOrmTransaction {
  query(sql: string, values?: never[]): PromiseLike<unknown>
}

/** The methods of a `DataSource` that `fromTypeOrm` uses. */
export interface TypeOrmDatabase<Transaction> extends TypeOrmTransaction {
  readonly manager: Transaction
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
}

/**
 * Converts a TypeORM `DataSource` for PostgreSQL to a `Database`. Its transaction is an `EntityManager`.
 *
 * @example
 * const store = createWebhookStore(fromTypeOrm(dataSource), { concurrency: 8 })
 */
export function fromTypeOrm<Transaction extends TypeOrmTransaction>(
  dataSource: TypeOrmDatabase<Transaction>,
): Database<Transaction> {
  const query = async (on: TypeOrmTransaction, sql: string, values: readonly unknown[]) =>
    toRows(await on.query(sql, values as never[]))
  return {
    query: (sql, values) => query(dataSource, sql, values),
    transaction: (work) => dataSource.transaction(work),
    async queryIn(transaction, sql, values) {
      const { queryRunner, query: method } = Object(transaction)
      requireTransaction(queryRunner?.isTransactionActive === true && typeof method === 'function', 'TypeORM')
      return query(transaction, sql, values)
    },
  }
}
