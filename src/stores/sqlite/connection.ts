import { ConfigurationError } from '../../core/errors.js'
import { problemWith, withMethods } from '../../core/internal/validation.js'
import type { Row } from '../database.js'
import type { Value } from '../steps.js'

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

/** Runs statements and transactions for the stores. */
export interface SqliteConnection {
  query(sql: string, values: readonly Value[]): Row[]
  transaction<T>(work: () => T): T
  /** Runs `work` in an open transaction. If it throws, undoes only its writes. */
  savepoint<T>(work: () => T): T
}

/**
 * Checks that a value is a database. Makes its statements wait up to 5 seconds for other processes, unless the database
 * already has a `busy_timeout`.
 */
export function connect(database: SqliteDatabase): SqliteConnection {
  if (problemWith(withMethods('exec', 'prepare'), database)) {
    throw new ConfigurationError(
      'The connection must be a DatabaseSync from node:sqlite, or a database from better-sqlite3, bun:sqlite or libsql',
    )
  }
  const [busy] = prepare(database, 'PRAGMA busy_timeout').all() as Row[]
  if (Number(busy?.['timeout']) === 0) database.exec('PRAGMA busy_timeout = 5000')

  /** Statements are prepared on first use, because the tables may be created later. */
  const prepared = new Map<string, SqliteStatement>()
  return {
    query(sql, values) {
      // The drivers differ in how they pass numbered parameters, so each occurrence becomes a ? with its own value.
      const ordered: Value[] = []
      const text = sql.replaceAll(/\$(\d+)/g, (_, number) => {
        ordered.push(values[number - 1] ?? null)
        return '?'
      })
      const statement = prepared.get(text) ?? prepare(database, text)
      prepared.set(text, statement)
      // better-sqlite3 rejects `all` for a statement without rows.
      if (/^\s*(SELECT|WITH)|RETURNING/.test(text)) return statement.all(...ordered) as Row[]
      statement.run(...ordered)
      return []
    },
    transaction: (work) => atomic('BEGIN IMMEDIATE', work, 'COMMIT', 'ROLLBACK'),
    savepoint: (work) => atomic('SAVEPOINT steps', work, 'RELEASE steps', 'ROLLBACK TO steps; RELEASE steps'),
  }

  function atomic<T>(begin: string, work: () => T, commit: string, rollback: string): T {
    database.exec(begin)
    try {
      const result = work()
      database.exec(commit)
      return result
    } catch (error) {
      // Ignores an error from ROLLBACK, because SQLite may already have rolled back.
      try {
        database.exec(rollback)
      } catch {}
      throw error
    }
  }
}

/** Prepares a statement that returns its rows as objects, even if the database returns arrays by default. */
export function prepare(database: SqliteDatabase, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  statement.setReturnArrays?.(false)
  return statement
}
