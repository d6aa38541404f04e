import type { Database } from '../database.js'
import { requireTransaction, toRows } from './rows.js'

/** The method of Knex's transaction that `fromKnex` uses. */
export interface KnexTransaction {
  raw(sql: string, bindings: never): PromiseLike<unknown>
}

/** The methods of a Knex instance that `fromKnex` uses. */
export interface KnexDatabase<Transaction> extends KnexTransaction {
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
}

/**
 * Converts a Knex instance for PostgreSQL to a `Database`. Its transaction is a `Knex.Transaction`.
 *
 * @example
 * const store = createWebhookStore(fromKnex(knex), { concurrency: 8 })
 */
export function fromKnex<Transaction extends KnexTransaction>(knex: KnexDatabase<Transaction>): Database<Transaction> {
  const query = async (on: KnexTransaction, sql: string, values: readonly unknown[]) => {
    const bindings: unknown[] = []
    // Knex uses the placeholder ? instead of $1.
    const text = sql.replaceAll('?', '\\?').replace(/\$(\d+)/g, (_, number) => {
      bindings.push(values[number - 1])
      return '?'
    })
    return toRows(Object(await on.raw(text, bindings as never)).rows)
  }
  return {
    query: (sql, values) => query(knex, sql, values),
    transaction: (work) => knex.transaction(work),
    async queryIn(transaction, sql, values) {
      const { isTransaction, raw } = Object(transaction)
      requireTransaction(isTransaction === true && typeof raw === 'function', 'Knex')
      return query(transaction, sql, values)
    },
  }
}
