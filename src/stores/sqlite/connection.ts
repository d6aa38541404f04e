import { ConfigurationError } from '../../core/errors.js'
import { problemWith, withMethods } from '../../core/internal/validation.js'

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

/**
 * Checks that a value is a database. Makes its statements wait up to 5 seconds for other processes, unless the database
 * already has a `busy_timeout`.
 */
export function prepareDatabase(database: SqliteDatabase): void {
  if (problemWith(withMethods('exec', 'prepare'), database)) {
    throw new ConfigurationError('The connection must be a DatabaseSync from node:sqlite or a better-sqlite3 database')
  }
  const { timeout } = (database.prepare('PRAGMA busy_timeout').get() ?? {}) as { timeout?: number | bigint }
  if (Number(timeout) === 0) database.exec('PRAGMA busy_timeout = 5000')
}

/** The database's time in milliseconds, as SQL. */
export const currentMs = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
