import { ConfigurationError } from '../../core/errors.js'
import { checkQueries } from '../../core/internal/queries.js'
import { run, type SqlDatabase, type Steps } from '../steps.js'
import { creationSql, type Dialect, type MigrationParts, type Table } from '../tables.js'
import { connect, prepare, type SqliteDatabase } from './connection.js'

/** The database's time in milliseconds. */
const nowMs = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

const dialect: Dialect = {
  types: {
    text: 'TEXT',
    json: 'TEXT',
    flag: 'INTEGER',
    boolean: 'BOOLEAN',
    integer: 'INTEGER',
    bigint: 'INTEGER',
    double: 'REAL',
    time: 'INTEGER',
  },
  nowMs,
  now: nowMs,
  after: (ms) => `${nowMs} + CAST(${ms} AS INTEGER)`,
  jsonObject: 'json_object',
  elements: (json) => `SELECT value FROM json_each(${json})`,
  // Not needed, because only one transaction at a time can write to the database.
  forUpdate: '',
  skipLocked: '',
  activity: 'SELECT total_changes() AS activity',
}

const migrationParts = (tablePrefix = 'payments_client_'): MigrationParts => ({
  table: (suffix) => `"${tablePrefix}${suffix}"`,
  createIndex: (suffix, definition) => `CREATE INDEX IF NOT EXISTS "${tablePrefix}${suffix}" ${definition};\n`,
})

export function migrationOf(tables: readonly Table[], tablePrefix: string | undefined): string {
  return creationSql(tables, dialect, migrationParts(tablePrefix))
}

export function sqlDatabase(database: SqliteDatabase, tablePrefix: string | undefined): SqlDatabase {
  const { query, transaction, savepoint } = connect(database)
  const parts = migrationParts(tablePrefix)
  const perform = <T>(steps: Steps<T>) =>
    run(steps, (step) => {
      if (typeof step === 'function') return requireSynchronous(step(database))
      return query(step.sql, step.values)
    })
  return {
    dialect,
    isSynchronous: true,
    table: parts.table,
    query: async (sql, values) => query(sql, values),
    run: perform,
    runWithin(given, steps) {
      requireTransaction(given, database)
      // The caller may commit before the call's promise rejects, so a failed call undoes its own writes.
      return savepoint(() => perform(steps))
    },
    async transaction(_resource, work) {
      return transaction(() => perform(work()))
    },
    // Not needed, because only one transaction at a time can write to the database.
    *lock() {},
    *tryLock() {},
    async migrate(tables) {
      // The transaction prevents another process from adding the same column between the query and the statement.
      transaction(() => void database.exec(creationSql(tables, dialect, { ...parts, addColumns })))
    },
  }

  function addColumns(name: string, definitions: ReadonlyMap<string, string>): string {
    const rows = prepare(database, `SELECT name FROM pragma_table_info(${name.replaceAll('"', "'")})`).all()
    const existing = rows.map((row) => Object(row).name)
    const missing = [...definitions].filter(([column]) => existing.length > 0 && !existing.includes(column))
    return missing.map(([, definition]) => `ALTER TABLE ${name} ADD COLUMN ${definition};\n`).join('')
  }
}

/** Throws if a function of the application is asynchronous, or returns queries that have not run. */
function requireSynchronous(returned: unknown): void {
  const results = [returned].flat()
  for (const result of results) if (result instanceof Promise) result.catch(() => {})
  if (results.some((result) => typeof Object(result).then === 'function')) {
    throw new ConfigurationError(
      'onSettled, onChange and webhook functions must be synchronous with SQLite, because other statements share the connection',
    )
  }
  checkQueries(results)
}

/** Throws unless a value is the journal's database, and a transaction is open. */
function requireTransaction(given: unknown, database: SqliteDatabase): void {
  const facts = { operation: 'operations.plan' }
  if (given !== database) {
    throw new ConfigurationError(
      'The transaction must be the database that was passed to createJournal or createOrders, so that it also contains the operation',
      facts,
    )
  }
  const { isTransaction, inTransaction = isTransaction } = Object(given)
  if (inTransaction === false) {
    throw new ConfigurationError('No transaction is open: run BEGIN IMMEDIATE on the database first', facts)
  }
}
