import { type AddColumns, creationSql, type Dialect, type Table } from '../tables.js'
import { connect, prepare, type SqliteDatabase } from './connection.js'

/** The database's time in milliseconds. */
const nowMs = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

export const dialect: Dialect = {
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
  // Only one transaction at a time can write to the database.
  forUpdate: '',
  skipLocked: '',
  activity: 'SELECT total_changes() AS activity',
}

/** Returns a function that returns the quoted name of a table from its suffix. */
export const tableOf =
  (prefix = 'payments_client_') =>
  (suffix: string) =>
    `"${prefix}${suffix}"`

/** Creates tables, or adds the columns that tables of earlier versions lack. */
export function migrateTables(
  database: SqliteDatabase,
  tables: readonly Table[],
  table: (suffix: string) => string,
): void {
  const addColumns: AddColumns = (name, definitions) => {
    const rows = prepare(database, `SELECT name FROM pragma_table_info(${name.replaceAll('"', "'")})`).all()
    const existing = rows.map((row) => Object(row).name)
    const missing = [...definitions].filter(([column]) => existing.length > 0 && !existing.includes(column))
    return missing.map(([, definition]) => `ALTER TABLE ${name} ADD COLUMN ${definition};\n`).join('')
  }
  // Another process must not add the same column between the query and the statement.
  connect(database).transaction(() => database.exec(creationSql(tables, dialect, table, table, addColumns)))
}
