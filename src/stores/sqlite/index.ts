/**
 * Webhook stores and the journal for durable operations in SQLite. Supports `node:sqlite`, `better-sqlite3`,
 * `bun:sqlite` and the synchronous API of `libsql`. Processes on the same machine can share a store.
 */

import type { WebhookStore } from '../contract.js'
import { storeTables } from '../journal-columns.js'
import { sqlWebhookStore } from '../sql-webhooks.js'
import { identifier, rememberFor, type SqlMaintenance, type StoreOptions, storeOptions } from '../store-options.js'
import type { SqliteDatabase } from './connection.js'
import { migrationOf, sqlDatabase } from './sql-database.js'

export type { Journal } from '../../core/options.js'
export type { ClaimResult, WebhookStore } from '../contract.js'
export type { SqlMaintenance, StoreOptions } from '../store-options.js'
export type { SqliteDatabase, SqliteStatement } from './connection.js'
export { createJournal, type SqliteJournalOptions } from './journal.js'

/** Options for the SQLite stores. */
export interface SqliteStoreOptions extends StoreOptions {
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

/**
 * Creates a webhook store in an SQLite database. Events are handled at least once. If a process dies after your
 * function has finished, but before the store has recorded the delivery as handled, your function runs again.
 *
 * Statements wait up to 5 seconds for other processes, unless you have set another `busy_timeout`. Use
 * `PRAGMA journal_mode = WAL` for throughput.
 *
 * @param database An open database. The store never closes it.
 * @throws {ConfigurationError} An option or the database is invalid.
 * @example
 * const store = createWebhookStore(new DatabaseSync('webhooks.db'))
 * await store.migrate()
 * const handler = createHandler({ secret, deduplicate: store })
 */
export function createWebhookStore(
  database: SqliteDatabase,
  options?: SqliteStoreOptions,
): Required<Omit<WebhookStore, 'transact'>> & SqlMaintenance {
  const { tablePrefix, rememberFor: remember } = storeOptions(options, storeRules)
  const { pruneOccasionally: _, ...store } = sqlWebhookStore(sqlDatabase(database, tablePrefix), remember)
  return store
}

const storeRules = { rememberFor, tablePrefix: identifier }

/**
 * Returns the SQL that creates the tables. Use it if you run migrations with another tool.
 *
 * @throws {ConfigurationError} An option is invalid.
 */
export function migrationSql(options?: SqliteStoreOptions): string {
  return migrationOf(storeTables, storeOptions(options, storeRules).tablePrefix)
}
