/** Orders that cannot be charged twice: payments, captures, refunds and disputes in the tables of your own database. */

import { ConfigurationError } from '../core/errors.js'
import { oneOf, requireOptions } from '../core/internal/options.js'
import type { SqliteDatabase } from '../stores/sqlite/connection.js'
import { ordersRules } from './arguments.js'
import { type Names, postgresEngine, postgresStatements, sqliteEngine, sqliteTables } from './engines.js'
import { Orders } from './orders.js'
import type { OrdersDatabase, OrdersOptions, OrdersTransaction } from './types.js'

export type { DecisionKind } from '../core/helpers/order-keys.js'
export type { Resolution } from '../operations/operations.js'
export type { RecoveryReport } from '../operations/recovery.js'
export { OrderError, type OrderErrorReason } from './errors.js'
export type { Orders } from './orders.js'
export type * from './types.js'

/**
 * Creates the orders of a shop. They have a journal and a webhook store of their own in the same database.
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
  const required = ['client', 'database'] as const
  const values = requireOptions<OrdersOptions>(options, ordersRules, { required })
  const { client, database, onChange, keyPrefix = '', tablePrefix, schema } = values as OrdersOptions
  const names: Names = { ...(tablePrefix !== undefined && { tablePrefix }), ...(schema !== undefined && { schema }) }
  const isSqlite = isSqliteDatabase(database)
  if (isSqlite && schema !== undefined) throw new ConfigurationError('schema is only for PostgreSQL')
  if (isSqlite && Object.prototype.toString.call(onChange) === '[object AsyncFunction]') {
    throw new ConfigurationError('onChange must be a synchronous function with SQLite')
  }
  const engine = isSqlite
    ? sqliteEngine(database, names)
    : postgresEngine(database, names, (orderId) => `order:${keyPrefix}${orderId}`)
  return new Orders(client, engine, keyPrefix, onChange as never)
}

function isSqliteDatabase(value: unknown): value is SqliteDatabase {
  const { exec, prepare } = Object(value) as Partial<SqliteDatabase>
  return typeof exec === 'function' && typeof prepare === 'function'
}

/** Options for `migrationSql`. */
export interface OrdersMigrationOptions extends Pick<OrdersOptions, 'tablePrefix' | 'schema'> {
  dialect: 'postgres' | 'sqlite'
}

/**
 * Returns the SQL that creates the tables of the orders. Use it if you run migrations with another tool, together with
 * `migrationSql` from `payments-client/postgres` or `payments-client/sqlite`, which creates the tables of the journal and
 * the webhook store.
 *
 * @throws {ConfigurationError} An option is invalid.
 */
export function migrationSql(options: OrdersMigrationOptions): string {
  const { tablePrefix, schema } = ordersRules
  const rules = { dialect: oneOf('postgres', 'sqlite'), tablePrefix, schema }
  const { dialect, ...names } = requireOptions<OrdersMigrationOptions>(options, rules, { required: ['dialect'] })
  const statements = dialect === 'postgres' ? postgresStatements(names) : sqliteTables(names).migrations()
  return `${statements.join(';\n')};\n`
}
