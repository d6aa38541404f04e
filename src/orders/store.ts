import type { Runtime } from '../core/internal/runtime.js'
import type { Journal } from '../core/options.js'
import { toJournal } from '../operations/recorder.js'
import type { WebhookStore } from '../stores/contract.js'
import { sqlDatabase as postgresDatabase } from '../stores/postgres/sql-database.js'
import { webhookStoreOf as postgresWebhookStore } from '../stores/postgres/webhook-store.js'
import { sqlJournalStore } from '../stores/sql-journal.js'
import type { SqliteDatabase } from '../stores/sqlite/connection.js'
import * as sqlite from '../stores/sqlite/index.js'
import { sqlDatabase as sqliteDatabase } from '../stores/sqlite/sql-database.js'
import type { SqlDatabase } from '../stores/steps.js'
import type { SqlMaintenance } from '../stores/store-options.js'
import { Tables } from './tables.js'
import type { OrdersDatabase, OrdersOptions } from './types.js'

/** The tables for orders, with their journal and their webhook store. */
export interface OrdersStore {
  /** The value of the option `database`. */
  readonly connection: OrdersDatabase
  readonly database: SqlDatabase
  readonly tables: Tables
  readonly journal: Journal
  readonly webhookStore: WebhookStore & SqlMaintenance
}

/** Keeps journal records forever, like decisions, because they explain captures and refunds. */
const journalOptions = { rememberFor: Number.MAX_SAFE_INTEGER }

export function openStore(
  connection: OrdersDatabase,
  names: Pick<OrdersOptions, 'tablePrefix' | 'schema'>,
  runtime: () => Runtime,
): OrdersStore {
  const isSqlite = isSqliteDatabase(connection)
  const database = isSqlite
    ? sqliteDatabase(connection, names.tablePrefix)
    : postgresDatabase(connection, names, runtime)
  return {
    connection,
    database,
    tables: new Tables(database),
    journal: toJournal(sqlJournalStore(database), journalOptions),
    webhookStore: isSqlite
      ? sqlite.createWebhookStore(connection, names)
      : postgresWebhookStore(connection, names, runtime),
  }
}

export function isSqliteDatabase(value: unknown): value is SqliteDatabase {
  const { exec, prepare } = Object(value) as Partial<SqliteDatabase>
  return typeof exec === 'function' && typeof prepare === 'function'
}
