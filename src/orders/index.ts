/** Orders that cannot be charged twice: payments, captures, refunds and disputes in the tables of your own database. */

import * as z from 'zod'
import { ConfigurationError } from '../core/errors.js'
import { optionsOf, requireOptions } from '../core/internal/validation.js'
import { migrationOf as postgresMigrationOf } from '../stores/postgres/sql.js'
import { migrationOf as sqliteMigrationOf } from '../stores/sqlite/sql-database.js'
import { ordersShape } from './arguments.js'
import { Orders } from './orders.js'
import { isSqliteDatabase, openStore } from './store.js'
import { allTables } from './tables.js'
import type { OrdersDatabase, OrdersOptions, OrdersTransaction } from './types.js'

export type { DecisionKind } from '../core/helpers/order-keys.js'
export type { Resolution } from '../operations/operations.js'
export type { RecoveryReport } from '../operations/recovery.js'
export { OrderError, type OrderErrorReason } from './errors.js'
export type { Orders } from './orders.js'
export type * from './types.js'

/**
 * Creates the `Orders` of a shop, with their own journal and webhook store in the same database.
 *
 * @throws {ConfigurationError} An option is unknown or invalid.
 * @example
 * const orders = createOrders({ client, database: pool, onChange })
 * await orders.migrate()
 * const order = await orders.pay('order-17', { paymentMethodToken, amount: 5000, currencyCode: 'EUR' })
 */
export function createOrders<Value extends OrdersDatabase>(
  options: OrdersOptions<Value>,
): Orders<OrdersTransaction<Value>> {
  const schema = optionsOf<OrdersOptions>(ordersShape, ['client', 'database'])
  const { client, database, onChange, keyPrefix = '', ...names } = requireOptions(options, schema) as OrdersOptions
  const isSqlite = isSqliteDatabase(database)
  if (isSqlite && names.schema !== undefined) throw new ConfigurationError('schema is only for PostgreSQL')
  if (isSqlite && Object.prototype.toString.call(onChange) === '[object AsyncFunction]') {
    throw new ConfigurationError('onChange must be a synchronous function with SQLite')
  }
  return new Orders(client, (runtime) => openStore(database, names, runtime), keyPrefix, onChange)
}

/** Options for `migrationSql`. */
export interface OrdersMigrationOptions extends Pick<OrdersOptions, 'tablePrefix' | 'schema'> {
  dialect: 'postgres' | 'sqlite'
}

/**
 * Returns the SQL that creates the tables for orders, the journal and the webhook store. Use it if you run migrations
 * with another tool.
 *
 * @throws {ConfigurationError} An option is invalid.
 */
export function migrationSql(options: OrdersMigrationOptions): string {
  const { tablePrefix, schema } = ordersShape
  const dialects = z.enum(['postgres', 'sqlite'])
  const shape = optionsOf<OrdersMigrationOptions>({ dialect: dialects, tablePrefix, schema }, ['dialect'])
  const { dialect, ...names } = requireOptions(options, shape)
  return dialect === 'postgres'
    ? postgresMigrationOf(allTables, names)
    : sqliteMigrationOf(allTables, names.tablePrefix)
}
