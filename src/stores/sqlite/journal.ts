import { ConfigurationError } from '../../core/errors.js'
import { optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import { type JournalOptions, journalRules } from '../../operations/journal.js'
import { toJournal } from '../../operations/recorder.js'
import { journalTables } from '../journal-columns.js'
import { type JournalDatabase, sqlEngine } from '../sql-journal.js'
import { identifier } from '../store-options.js'
import type { SqliteDatabase } from './connection.js'
import { dialect, migrateTables, tableOf } from './dialect.js'
import { sqliteSteps } from './steps.js'

/** Options for `createJournal` with SQLite. */
export interface SqliteJournalOptions extends JournalOptions {
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

/**
 * Creates a journal in an SQLite database, for the client's option `journal`. Processes on the same machine can share it.
 *
 * Statements wait up to 5 seconds for other processes, unless you have set another `busy_timeout`.
 *
 * @param database An open database. The journal never closes it.
 * @throws {ConfigurationError} An option or the database is invalid.
 * @example
 * const database = new DatabaseSync('shop.db')
 * const journal = createJournal(database)
 * await journal.migrate()
 * const client = new PaymentsClient({ journal })
 */
export function createJournal<Connection extends SqliteDatabase>(
  database: Connection,
  options?: SqliteJournalOptions,
): Journal<Connection> {
  const schema = optionsOf<SqliteJournalOptions>({ ...journalRules, tablePrefix: identifier })
  const { tablePrefix, ...others } = requireOptions(options, schema)
  return toJournal(sqlEngine(journalDatabase(database, tableOf(tablePrefix))), others)
}

function journalDatabase(database: SqliteDatabase, table: (suffix: string) => string): JournalDatabase {
  const { query, run, transaction } = sqliteSteps(database, 'onSettled')
  return {
    dialect,
    isSynchronous: true,
    table,
    query: async (sql, values) => query(sql, values),
    transaction: async (_, work) => transaction(work),
    within(given, _, work) {
      requireTransaction(given, database)
      return run(work())
    },
    migrate: async () => migrateTables(database, journalTables, table),
  }
}

/** Throws unless a value is the journal's database, and a transaction is open. */
function requireTransaction(given: unknown, database: SqliteDatabase): void {
  const facts = { operation: 'operations.plan' }
  if (given !== database) {
    throw new ConfigurationError(
      'The transaction must be the database that was passed to createJournal, so that it also contains the operation',
      facts,
    )
  }
  const { isTransaction, inTransaction = isTransaction } = Object(given)
  if (inTransaction === false) {
    throw new ConfigurationError('No transaction is open: run BEGIN IMMEDIATE on the database first', facts)
  }
}
