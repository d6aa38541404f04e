/**
 * Webhook stores, and the journal of durable operations, in an SQLite database, with `node:sqlite`, `better-sqlite3`,
 * `bun:sqlite` or the synchronous database of `libsql`. Processes on the same machine can share a store.
 */

import type { WebhookStore } from '../contract.js'
import {
  identifier,
  occasionally,
  rememberFor,
  requireColumn,
  type SqlMaintenance,
  type StoreOptions,
  storeOptions,
  toNumber,
} from '../store-options.js'
import {
  firstRow,
  currentMs as now,
  prepare,
  prepareDatabase,
  type SqliteDatabase,
  type SqliteStatement,
} from './connection.js'
import { sqliteJournalSql } from './journal.js'

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
  const { webhooks, resources, remember, statement, maintenance } = open(database, options)
  const changed = (result: { changes: number | bigint }) => Number(result.changes) > 0
  const claim = statement(`
    INSERT INTO ${webhooks} (key, owner, expires_at) VALUES (?, ?, ${now} + ?)
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
      WHERE expires_at <= ${now} OR owner = excluded.owner`)
  const state = statement(`SELECT owner IS NULL AS done FROM ${webhooks} WHERE key = ?`)
  const renew = statement(`UPDATE ${webhooks} SET expires_at = ${now} + ? WHERE key = ? AND owner = ?`)
  const complete = statement(`UPDATE ${webhooks} SET owner = NULL, expires_at = ${now} + ? WHERE key = ? AND owner = ?`)
  const release = statement(`DELETE FROM ${webhooks} WHERE key = ? AND owner = ?`)
  const advance = statement(`
    INSERT INTO ${resources} (resource, time_ms, expires_at) VALUES (?, ?, ${now} + ?)
    ON CONFLICT (resource) DO UPDATE SET previous_ms = time_ms, time_ms = max(time_ms, excluded.time_ms),
      expires_at = excluded.expires_at RETURNING previous_ms AS ms`)
  const newest = statement(`SELECT time_ms AS ms FROM ${resources} WHERE resource = ?`)
  const prune = occasionally(maintenance.prune)

  return {
    async claim(key, ttlMs, owner) {
      await prune()
      if (changed(claim().run(key, owner, ttlMs))) return 'new'
      // If the row is missing, another process has just released its claim. The result `busy` makes the service deliver
      // the webhook again.
      const row = firstRow(state(), key)
      return row && requireColumn(row, 'done') === '1' ? 'done' : 'busy'
    },
    renew: (key, ttlMs, owner) => changed(renew().run(ttlMs, key, owner)),
    complete: (key, owner) => changed(complete().run(remember, key, owner)),
    release: (key, owner) => void release().run(key, owner),
    advance: (resource, timeMs) => toNumber(firstRow(advance(), resource, timeMs, remember)?.['ms']),
    newest: (resource) => toNumber(firstRow(newest(), resource)?.['ms']),
    ...maintenance,
  }
}

/**
 * Returns the SQL that creates the tables. Use it if you run migrations with another tool.
 *
 * @throws {ConfigurationError} An option is invalid.
 */
export function migrationSql(options?: SqliteStoreOptions): string {
  const { webhooks, resources, prefix } = tables(options)
  return `CREATE TABLE IF NOT EXISTS ${webhooks} (
  key TEXT NOT NULL PRIMARY KEY,
  -- NULL when the delivery was handled.
  owner TEXT,
  -- Milliseconds since 1970, as in every table.
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS "${prefix}webhooks_expiry" ON ${webhooks} (expires_at);
CREATE TABLE IF NOT EXISTS ${resources} (
  resource TEXT NOT NULL PRIMARY KEY,
  -- With microseconds as a fraction.
  time_ms REAL NOT NULL,
  previous_ms REAL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS "${prefix}resources_expiry" ON ${resources} (expires_at);
${sqliteJournalSql(prefix)}`
}

function tables(options: SqliteStoreOptions | undefined) {
  const values = storeOptions(options, { rememberFor, tablePrefix: identifier })
  const prefix = values.tablePrefix ?? 'payments_client_'
  return {
    prefix,
    webhooks: `"${prefix}webhooks"`,
    resources: `"${prefix}resources"`,
    remember: values.rememberFor,
  }
}

function open(database: SqliteDatabase, options: SqliteStoreOptions | undefined) {
  prepareDatabase(database)
  const names = tables(options)

  /** Prepared on first use, because the tables may be created later. */
  const statement = (sql: string) => {
    let prepared: SqliteStatement | undefined
    return () => (prepared ??= prepare(database, sql))
  }
  // Expired claims are kept for some time, because their owners may still complete them.
  const deletions = [
    statement(
      `DELETE FROM ${names.webhooks} WHERE expires_at <= ${now} AND (owner IS NULL OR expires_at <= ${now} - ${names.remember})`,
    ),
    statement(`DELETE FROM ${names.resources} WHERE expires_at <= ${now}`),
  ]
  const maintenance: SqlMaintenance = {
    async migrate() {
      database.exec(migrationSql(options))
    },
    async prune() {
      return deletions.reduce((rows, deletion) => rows + Number(deletion().run().changes), 0)
    },
  }
  return { ...names, statement, maintenance }
}
