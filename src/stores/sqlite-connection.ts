/** A `DatabaseSync` from `node:sqlite`, or a `better-sqlite3` database. */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
}

/** The methods of a prepared statement that the stores use. */
export interface SqliteStatement {
  run(...parameters: (string | number | null)[]): { changes: number | bigint }
  get(...parameters: (string | number | null)[]): unknown
  all(...parameters: (string | number | null)[]): unknown[]
}
