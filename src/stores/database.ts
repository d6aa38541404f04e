/** One row of a result: column names to values. */
export type Row = Record<string, unknown>

/**
 * A database that the stores, the journal and the orders use. Any driver or ORM fits that can run these three functions.
 * Statements are SQL of the database, with the parameters `$1`, `$2` and so on.
 */
export interface Database<Transaction = unknown> {
  /** Runs one statement outside a transaction. */
  query(sql: string, values: readonly unknown[]): Promise<Row[]>
  /** Runs `work` in one transaction. Commits if the promise of `work` resolves, and rolls back if it rejects. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Runs one statement in a transaction that `transaction` or the caller opened. */
  queryIn(transaction: Transaction, sql: string, values: readonly unknown[]): Promise<Row[]>
}
