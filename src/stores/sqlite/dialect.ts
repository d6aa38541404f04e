import type { Dialect } from '../tables.js'

/** The database's time in milliseconds. */
const nowMs = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

export const dialect: Dialect = {
  types: {
    text: 'TEXT',
    json: 'TEXT',
    flag: 'INTEGER',
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
