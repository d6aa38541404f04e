import { optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import { type JournalOptions, journalRules } from '../../operations/journal.js'
import { toJournal } from '../../operations/recorder.js'
import { sqlJournalStore } from '../sql-journal.js'
import { identifier } from '../store-options.js'
import type { SqliteDatabase } from './connection.js'
import { sqlDatabase } from './sql-database.js'

/** Options for `createJournal` with SQLite. */
export interface SqliteJournalOptions extends JournalOptions {
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

/**
 * Creates a journal in SQLite, for the client's option `journal`. Processes on the same machine can share it.
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
  return toJournal(sqlJournalStore(sqlDatabase(database, tablePrefix)), others)
}
