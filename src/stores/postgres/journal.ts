import { optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import { type JournalOptions, journalRules } from '../../operations/journal.js'
import { toJournal } from '../../operations/recorder.js'
import { sqlJournalStore } from '../sql-journal.js'
import { identifier } from '../store-options.js'
import { sqlDatabase } from './sql-database.js'
import type { Connection, TransactionOf } from './types.js'

/** Options for `createJournal` with PostgreSQL. */
export interface PostgresJournalOptions extends JournalOptions {
  /** Schema of the tables. @default 'public' */
  schema?: string
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

/**
 * Creates a journal in PostgreSQL, for the client's option `journal`. Processes on many machines can share it.
 *
 * The journal uses a connection only while a transaction runs, never during a request to the service.
 *
 * @param connection A `Pool` from `pg`, a `postgres` instance, or a `Database`, for example from `fromPrisma`. The
 * journal never closes it.
 * @throws {ConfigurationError} An option or the connection is invalid.
 * @example
 * const journal = createJournal(new Pool())
 * await journal.migrate()
 * const client = new PaymentsClient({ journal })
 */
export function createJournal<Pool extends Connection>(
  connection: Pool,
  options?: PostgresJournalOptions,
): Journal<TransactionOf<Pool>> {
  const shape = { ...journalRules, schema: identifier, tablePrefix: identifier }
  const { schema, tablePrefix, ...others } = requireOptions(options, optionsOf<PostgresJournalOptions>(shape))
  return toJournal(sqlJournalStore(sqlDatabase(connection, { schema, tablePrefix })), others)
}
