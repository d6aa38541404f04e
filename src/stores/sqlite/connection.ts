import { ConfigurationError } from '../../core/errors.js'
import { problemWith, withMethods } from '../../core/internal/validation.js'
import type { Row } from '../database.js'

/**
 * A `DatabaseSync` from `node:sqlite`, or a database from `better-sqlite3`, `bun:sqlite` or `libsql` (its synchronous
 * API).
 */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
}

/** The methods of a prepared statement that the stores use. */
export interface SqliteStatement {
  run(...parameters: (string | number | null)[]): { changes: number | bigint }
  get(...parameters: (string | number | null)[]): unknown
  all(...parameters: (string | number | null)[]): unknown[]
  /** Only in `node:sqlite`. */
  setReturnArrays?(enabled: boolean): void
}

/**
 * Checks that a value is a database. Makes its statements wait up to 5 seconds for other processes, unless the database
 * already has a `busy_timeout`.
 */
export function prepareDatabase(database: SqliteDatabase): void {
  if (problemWith(withMethods('exec', 'prepare'), database)) {
    throw new ConfigurationError(
      'The connection must be a DatabaseSync from node:sqlite, or a database from better-sqlite3, bun:sqlite or libsql',
    )
  }
  const timeout = firstRow(prepare(database, 'PRAGMA busy_timeout'))?.['timeout']
  if (Number(timeout) === 0) database.exec('PRAGMA busy_timeout = 5000')
}

/** Prepares a statement that returns its rows as objects, even if the database returns arrays by default. */
export function prepare(database: SqliteDatabase, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  statement.setReturnArrays?.(false)
  return statement
}

/** Returns the first row of a statement. Without rows, drivers return undefined or null. */
export function firstRow(statement: SqliteStatement, ...parameters: (string | number | null)[]): Row | undefined {
  return (statement.get(...parameters) as Row | null | undefined) ?? undefined
}

/** The database's time in milliseconds, as SQL. */
export const currentMs = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
