import { Deadline, Interrupted } from '../../core/internal/deadline.js'
import { type Runtime, systemRuntime } from '../../core/internal/runtime.js'
import { boolean, integer } from '../../core/internal/validation.js'
import { sqlState } from '../../operations/errors.js'
import { storableText } from '../../operations/rules.js'
import { timelineOf, type WebhookResource, type WebhookStore } from '../contract.js'
import { storeTables } from '../journal-columns.js'
import { advanceSql, sqlWebhookStore } from '../sql-webhooks.js'
import {
  columnOf,
  identifier,
  rememberFor,
  type SqlMaintenance,
  type StoreOptions,
  storeOptions,
} from '../store-options.js'
import { dialect, migrationOf } from './sql.js'
import { sqlDatabase } from './sql-database.js'
import { toDatabase } from './to-database.js'
import { attempts, isolated, ResourceLocked, slotsOf } from './transactions.js'
import { type Connection, RolledBackError, type TransactionOf } from './types.js'

/** Options for the PostgreSQL stores. */
export interface PostgresStoreOptions extends StoreOptions {
  /** Schema of the tables. @default 'public' */
  schema?: string
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

const storeRules = { rememberFor, schema: identifier, tablePrefix: identifier }

/**
 * Returns the SQL that creates the schema and the tables. Use it if you run migrations with another tool.
 *
 * @throws {ConfigurationError} An option is invalid.
 */
export function migrationSql(options?: PostgresStoreOptions): string {
  return migrationOf(storeTables, storeOptions(options, storeRules))
}

/** Options for `createWebhookStore`. */
export interface PostgresWebhookStoreOptions extends PostgresStoreOptions {
  /** Runs your function in the transaction that marks the delivery as handled. @default true */
  transactional?: boolean
  /**
   * Maximum number of webhook transactions at the same time. Each of them uses one connection, so keep connections for
   * the rest of your process. All stores on one connection pool share the limit.
   * @default the pool's size - 2 for pg and postgres, at least 1; 5 for other libraries
   */
  concurrency?: number
}

/** A webhook store in PostgreSQL. */
export type PostgresWebhookStore<Transaction> = Required<Omit<WebhookStore, 'transact'>> &
  Pick<WebhookStore<Transaction>, 'transact'> &
  SqlMaintenance

/**
 * Creates a webhook store in PostgreSQL.
 *
 * By default, your function runs in a transaction. Its writes through `context.transaction` are committed together with
 * the delivery's record, so they take effect exactly once.
 *
 * A delivery uses one connection while your function runs. Deliveries above the limit `concurrency` wait without a
 * connection. Events for the same payment are serialized with an advisory lock until the transaction ends.
 *
 * @param connection A `Pool` from `pg`, a `postgres` instance, or a `Database` (for example from `fromPrisma`). Never
 * closed. The store listens for the `error` events of `pg`, so a lost connection does not end the process.
 * @throws {ConfigurationError} An option or the connection is invalid.
 * @example
 * const store = createWebhookStore(new Pool())
 * await store.migrate()
 * const handler = createHandler({
 *   secret,
 *   deduplicate: store,
 *   on: {
 *     'PAYMENT.STATUS': ({ payment }, { transaction }) =>
 *       transaction.query('update orders set status = $1 where payment_id = $2', [payment.status, payment.id]),
 *   },
 * })
 */
export function createWebhookStore<Value extends Connection>(
  connection: Value,
  options?: PostgresWebhookStoreOptions,
): PostgresWebhookStore<TransactionOf<Value>>
export function createWebhookStore(
  connection: Connection,
  options?: PostgresWebhookStoreOptions,
): PostgresWebhookStore<unknown> {
  return webhookStoreOf(connection, options, () => systemRuntime)
}

/** @param runtime Returns the timers for waits. */
export function webhookStoreOf(
  connection: Connection,
  options: PostgresWebhookStoreOptions | undefined,
  runtime: () => Runtime,
): PostgresWebhookStore<unknown> {
  const values = storeOptions<PostgresWebhookStoreOptions>(options, {
    ...storeRules,
    transactional: boolean,
    concurrency: integer(1),
  })
  const { transactional = true, concurrency, rememberFor: remember, ...names } = values
  const database = toDatabase(connection)
  const slots = slotsOf(database, concurrency)
  const sqlStore = sqlDatabase(connection, names, runtime)
  const { pruneOccasionally, ...store } = sqlWebhookStore(sqlStore, remember)
  if (!transactional) return store
  const sql = transactionStatements(sqlStore.table)

  /** Handles a delivery in one transaction. Throws a `ResourceLocked` while another event for its resource is handled. */
  async function attempt<T>(
    key: string,
    resource: WebhookResource | undefined,
    work: (transaction: unknown, stale: boolean, lost?: AbortSignal) => Promise<T>,
    serialize: boolean,
  ): Promise<{ status: 'handled'; value: T } | { status: 'busy' | 'done' }> {
    const lock = serialize && resource ? storableText(resource.id) : undefined
    const timed = resource?.timeMs === undefined ? undefined : [storableText(timelineOf(resource)), resource.timeMs]
    let transactionId: unknown
    try {
      return await isolated(database, async (query, transaction, lost) => {
        const [claimed] = await query(sql.claimInTransaction, [key, lock, remember])
        const status = columnOf(claimed, 'status') as 'new' | 'busy' | 'done' | 'locked'
        if (status === 'locked') throw new ResourceLocked()
        if (status !== 'new') return { status }
        transactionId = columnOf(claimed, 'xid')
        const [compared] = timed ? await query(sql.isStale, timed) : []
        const value = await work(transaction, Number(compared?.['stale'] ?? 0) === 1, lost)
        const [name, timeMs] = timed ?? []
        const [ended] = await query(sql.finish, [name, remember, timeMs, transactionId]).catch(throwIfRolledBack)
        if (columnOf(ended, 'xid') !== transactionId) throw new TransactionEndedError()
        // Only the store's COMMIT ends the transaction now. The record must stay even if the response is lost.
        transactionId = undefined
        return { status: 'handled', value }
      })
    } catch (error) {
      // If the function committed the transaction and then failed, the delivery must be handled again.
      if (transactionId !== undefined) await database.query(sql.forget, [key, transactionId]).catch(() => {})
      throw error
    }
  }

  return {
    ...store,
    async transact(key, resource, work, { waitMs = 5_000, serialize = true } = {}) {
      await pruneOccasionally()
      const deadline = new Deadline(waitMs, undefined, runtime())
      try {
        return await attempts(() => attempt(key, resource, work, serialize), deadline, slots)
      } catch (error) {
        if (error instanceof Interrupted) return { status: 'busy' }
        throw error
      }
    },
  }
}

/** Thrown if a webhook function ended its own transaction. */
class TransactionEndedError extends Error {
  constructor() {
    super(
      'The webhook function ended the transaction: throw an error instead of running ROLLBACK, and do not run COMMIT',
    )
  }
}

function throwIfRolledBack(error: unknown): never {
  if (sqlState(error) === '25P02') throw new RolledBackError()
  throw error
}

/** Returns the SQL for `transact`. Every parameter has an explicit type, because libraries may renumber parameters. */
function transactionStatements(table: (suffix: string) => string) {
  const [webhooks, resources] = [table('webhooks'), table('resources')]
  const tryLock = (name: string, value: string) =>
    `pg_try_advisory_xact_lock(hashtextextended('${name}:' || ${value}, 0))`
  return {
    isStale: `SELECT CASE WHEN time_ms > $2::float8 THEN 1 ELSE 0 END AS stale FROM ${resources} WHERE resource = $1::text`,
    /**
     * Locks the delivery and then the resource (or nothing if it is null) until the transaction ends, and records the
     * delivery as handled. Never waits for the locks. With a unique constraint, the statement and its connection would
     * wait for as long as another transaction handles the same delivery.
     */
    claimInTransaction: `
      WITH delivery AS MATERIALIZED (SELECT ${tryLock(webhooks, '$1::text')} AS locked),
      resource AS MATERIALIZED (
        SELECT CASE WHEN locked THEN ${tryLock(resources, '$2::text')} IS NOT FALSE ELSE false END AS locked FROM delivery),
      claimed AS (
        INSERT INTO ${webhooks} AS known (key, expires_at)
          SELECT $1::text, ${dialect.after('$3')} FROM resource WHERE locked
        ON CONFLICT (key) DO UPDATE SET owner = NULL, expires_at = excluded.expires_at
          WHERE known.expires_at <= clock_timestamp()
        RETURNING 1)
      SELECT CASE WHEN EXISTS (SELECT 1 FROM claimed) THEN 'new'
        WHEN stored.key IS NOT NULL THEN CASE WHEN stored.owner IS NULL THEN 'done' ELSE 'busy' END
        WHEN delivery.locked AND NOT resource.locked THEN 'locked'
        ELSE 'busy' END AS status,
        pg_current_xact_id()::text AS xid
      FROM delivery CROSS JOIN resource
      LEFT JOIN ${webhooks} AS stored ON stored.key = $1::text AND stored.expires_at > clock_timestamp()`,
    /** If the transaction still has the same ID, records an event time. Returns the current ID. */
    finish: `
      WITH advanced AS (${advanceSql(
        resources,
        `SELECT $1::text, $3::float8, ${dialect.after('$2')}
        WHERE $1::text IS NOT NULL AND pg_current_xact_id()::text = $4::text`,
      )})
      SELECT pg_current_xact_id()::text AS xid`,
    /** Deletes the record that a transaction inserted. */
    forget: `DELETE FROM ${webhooks} WHERE key = $1::text AND xmin = $2::text::xid8::xid`,
  }
}
