import type { Deadline } from '../core/internal/deadline.js'
import type { Journal } from '../core/options.js'
import type { WebhookStore } from '../stores/contract.js'
import * as postgres from '../stores/postgres/index.js'
import { migrationOf, tableOf } from '../stores/postgres/journal-sql.js'
import { postgresSteps } from '../stores/postgres/steps.js'
import { toDatabase } from '../stores/postgres/to-database.js'
import { runScript } from '../stores/postgres/transactions.js'
import type { Connection } from '../stores/postgres/types.js'
import type { SqliteDatabase } from '../stores/sqlite/connection.js'
import { dialect, migrateTables, tableOf as sqliteTableOf } from '../stores/sqlite/dialect.js'
import * as sqlite from '../stores/sqlite/index.js'
import { sqliteSteps } from '../stores/sqlite/steps.js'
import type { Steps } from '../stores/steps.js'
import type { SqlMaintenance } from '../stores/store-options.js'
import { creationSql } from '../stores/tables.js'
import { orderTables, Tables } from './tables.js'

/** The names of the tables. */
export interface Names {
  readonly tablePrefix?: string
  readonly schema?: string
}

/** The database of the orders, of their journal and of their webhook store. */
export interface Engine {
  readonly database: object
  readonly tables: Tables
  readonly journal: Journal
  readonly webhookStore: WebhookStore & SqlMaintenance
  /** Whether the functions of the merchant must be synchronous. */
  readonly isSynchronous: boolean
  /** Performs steps in an open transaction, or outside one. Returns a promise only if the database is asynchronous. */
  run<T>(steps: Steps<T>, transaction?: unknown): T | Promise<T>
  /** Performs steps in a transaction of its own, while no other transaction changes the order. */
  transaction<T>(orderId: string | undefined, work: () => Steps<T>, deadline: Deadline): Promise<T>
  /** Waits in an open transaction until no other transaction changes the order. */
  lock(orderId: string): Steps<void>
  migrate(): Promise<void>
}

/** Returns the SQL that creates or upgrades the tables of the orders in PostgreSQL. */
export const postgresSql = (names: Names): string => migrationOf(orderTables, names)

/** The records are kept like decisions, because they account for captures and refunds. */
const journalOptions = { rememberFor: Number.MAX_SAFE_INTEGER }

/** @param toResource Returns the name by which the journal locks an order. */
export function postgresEngine(
  connection: Connection,
  names: Names,
  toResource: (orderId: string) => string,
  hasHook: boolean,
): Engine {
  const { run, transaction, lock } = postgresSteps(connection, names, hasHook)
  return {
    database: connection,
    tables: new Tables(tableOf(names)),
    journal: postgres.createJournal(connection, { ...names, ...journalOptions }),
    webhookStore: postgres.createWebhookStore(connection, names),
    isSynchronous: false,
    run,
    transaction: (orderId, ...others) => transaction(orderId && toResource(orderId), ...others),
    lock: (orderId) => lock(toResource(orderId)),
    migrate: () => runScript(toDatabase(connection), postgresSql(names)),
  }
}

/** Returns the SQL that creates the tables of the orders in SQLite. */
export function sqliteSql({ tablePrefix }: Names): string {
  const table = sqliteTableOf(tablePrefix)
  return creationSql(orderTables, dialect, table, table)
}

export function sqliteEngine(database: SqliteDatabase, names: Names): Engine {
  const { run, transaction } = sqliteSteps(database, 'The functions onChange and on')
  const table = sqliteTableOf(names.tablePrefix)
  return {
    database,
    tables: new Tables(table),
    journal: sqlite.createJournal(database, { ...names, ...journalOptions }),
    webhookStore: sqlite.createWebhookStore(database, names),
    isSynchronous: true,
    run,
    async transaction(_, work, deadline) {
      await deadline.run(async () => {})
      return transaction(work)
    },
    // Only one transaction at a time can write to the database.
    *lock() {},
    migrate: async () => migrateTables(database, orderTables, table),
  }
}
