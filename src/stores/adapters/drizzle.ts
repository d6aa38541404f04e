import type { Database } from '../database.js'
import { requireTransaction, toRows } from './rows.js'

/** The method of Drizzle's transaction that `fromDrizzle` uses. */
export interface DrizzleTransaction<Query> {
  execute(query: Query): PromiseLike<unknown>
}

/** The methods of a Drizzle database over `node-postgres` or `postgres-js` that `fromDrizzle` uses. */
export interface DrizzleDatabase<Query, Transaction> extends DrizzleTransaction<Query> {
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
}

/** The functions of Drizzle's `sql` that `fromDrizzle` uses. */
export interface DrizzleSql<Query> {
  raw(sql: string): unknown
  param(value: unknown): unknown
  join(chunks: never[]): Query
}

/**
 * Converts a Drizzle database over `node-postgres` or `postgres-js` to a `Database`. Its transaction is Drizzle's `tx`.
 *
 * @param sql The function `sql` of `drizzle-orm`.
 * @example
 * const store = createWebhookStore(fromDrizzle(db, sql), { concurrency: 8 })
 */
export function fromDrizzle<Query, Transaction extends DrizzleTransaction<Query>>(
  db: DrizzleDatabase<Query, Transaction>,
  sql: DrizzleSql<Query>,
): Database<Transaction> {
  const query = async (on: DrizzleTransaction<Query>, text: string, values: readonly unknown[]) => {
    const chunks = text
      .split(/\$(\d+)/)
      .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql.param(values[Number(part) - 1])))
    return toRows(await on.execute(sql.join(chunks as never[])))
  }
  return {
    query: (text, values) => query(db, text, values),
    transaction: (work) => db.transaction(work),
    async queryIn(transaction, text, values) {
      const { execute, rollback } = Object(transaction)
      requireTransaction(typeof execute === 'function' && typeof rollback === 'function', 'Drizzle')
      return query(transaction, text, values)
    },
  }
}
