import type { Database } from '../database.js'
import { requireTransaction, toRows } from './rows.js'

/** The methods of Kysely's transaction that `fromKysely` uses. */
export interface KyselyTransaction {
  readonly isTransaction: boolean
  withoutPlugins(): KyselyTransaction
  executeQuery(query: never): PromiseLike<{ rows: unknown[] }>
}

/** The methods of a `Kysely` instance that `fromKysely` uses. */
export interface KyselyDatabase<Transaction> extends KyselyTransaction {
  transaction(): { execute<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> }
}

/**
 * Converts a `Kysely` instance for PostgreSQL to a `Database`. Its transaction is Kysely's `Transaction`.
 *
 * @example
 * const store = createWebhookStore(fromKysely(db), { concurrency: 8 })
 */
export function fromKysely<Transaction extends KyselyTransaction>(
  db: KyselyDatabase<Transaction>,
): Database<Transaction> {
  const query = async (on: KyselyTransaction, sql: string, parameters: readonly unknown[]) => {
    // Builds the same value as Kysely's CompiledQuery.raw. Skips plugins, because they may rename columns.
    const node = { kind: 'RawNode', sqlFragments: [sql], parameters: [] }
    const compiled = { sql, parameters, query: node, queryId: { queryId: 'payments-client' } }
    return toRows((await on.withoutPlugins().executeQuery(compiled as never)).rows)
  }
  return {
    query: (sql, values) => query(db, sql, values),
    transaction: (work) => db.transaction().execute(work),
    async queryIn(transaction, sql, values) {
      const { isTransaction, executeQuery } = Object(transaction)
      requireTransaction(isTransaction === true && typeof executeQuery === 'function', 'Kysely')
      return query(transaction, sql, values)
    },
  }
}
