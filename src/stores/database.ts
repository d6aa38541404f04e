/** One row of a result, keyed by column name. */
export type Row = Record<string, unknown>

/**
 * A database for the stores, the journal and the orders. Any driver or ORM that supports these three functions fits.
 * Statements are in the database's SQL dialect, with the parameters `$1`, `$2` and so on.
 */
export interface Database<Transaction = unknown> {
  /** Runs one statement outside a transaction. */
  query(sql: string, values: readonly unknown[]): Promise<Row[]>
  /** Runs `work` in one transaction. Commits if `work` resolves, and rolls back if it rejects. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Runs one statement in a transaction that `transaction` or the caller opened. */
  queryIn(transaction: Transaction, sql: string, values: readonly unknown[]): Promise<Row[]>
}
