import { boolean, integer } from '../../core/internal/validation.js'
import { type ClaimResult, timelineOf, type WebhookResource, type WebhookStore } from '../contract.js'
import type { Row } from '../database.js'
import { occasionally, requireColumn, type SqlMaintenance, storable, storeOptions } from '../store-options.js'
import { migrationSql, type PostgresStoreOptions, storeRules, tables } from './migration.js'
import { toDatabase } from './to-database.js'
import { hasSqlState, isolated, runScript, slotsOf } from './transactions.js'
import type { Connection, TransactionOf } from './types.js'

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
 * @param connection A `Pool` from `pg`, a `postgres` instance, or a `Database`, for example from `fromPrisma`. The store
 * never closes it. The store listens for the `error` events of `pg`, so a lost connection does not end the process.
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
  const values = storeOptions<PostgresWebhookStoreOptions>(options, {
    ...storeRules,
    transactional: boolean,
    concurrency: integer(1),
  })
  const { transactional = true, concurrency, rememberFor: remember, ...names } = values
  const { webhooks, resources } = tables(names)
  const database = toDatabase(connection)
  const slots = slotsOf(database, concurrency)
  const sql = webhookStatements(webhooks, resources)
  const one = async (text: string, ...parameters: unknown[]) => (await database.query(text, parameters))[0]
  const isChanged = async (text: string, ...parameters: unknown[]) => (await one(text, ...parameters)) !== undefined

  const prune = async () => Number(requireColumn(await one(sql.prune, remember), 'rows'))
  const pruneOccasionally = occasionally(prune)

  const store: PostgresWebhookStore<unknown> = {
    async claim(key, ttlMs, owner) {
      await pruneOccasionally()
      return requireColumn(await one(sql.claim, key, owner, ttlMs), 'status') as ClaimResult
    },
    renew: (key, ttlMs, owner) => isChanged(sql.renew, key, owner, ttlMs),
    complete: (key, owner) => isChanged(sql.complete, key, owner, remember),
    release: async (key, owner) => void (await isChanged(sql.release, key, owner)),
    advance: async (resource, timeMs) => toMs(await one(sql.advance, storable(resource), remember, timeMs)),
    newest: async (resource) => toMs(await one(sql.newest, storable(resource))),
    migrate: () => runScript(database, migrationSql(names)),
    prune,
  }
  if (!transactional) return store

  /** Handles a delivery in one transaction. Resolves to `locked` if another event for its resource is being handled. */
  async function attempt<T>(
    key: string,
    resource: WebhookResource | undefined,
    work: (transaction: unknown, stale: boolean, lost?: AbortSignal) => Promise<T>,
    serialize: boolean,
  ): Promise<{ status: 'handled'; value: T } | { status: 'busy' | 'done' | 'locked' }> {
    const lock = serialize && resource ? storable(resource.id) : undefined
    const timed = resource?.timeMs === undefined ? undefined : [storable(timelineOf(resource)), resource.timeMs]
    let transactionId: unknown
    try {
      return await isolated(database, async (query, transaction, lost) => {
        const [claimed] = await query(sql.claimInTransaction, [key, lock, remember])
        const status = requireColumn(claimed, 'status') as 'new' | 'busy' | 'done' | 'locked'
        if (status !== 'new') return { status }
        transactionId = requireColumn(claimed, 'xid')
        const [compared] = timed ? await query(sql.isStale, timed) : []
        const value = await work(transaction, Number(compared?.['stale'] ?? 0) === 1, lost)
        const [name, timeMs] = timed ?? []
        const [ended] = await query(sql.finish, [name, remember, timeMs, transactionId]).catch(throwIfRolledBack)
        if (requireColumn(ended, 'xid') !== transactionId) throw new TransactionEndedError()
        return { status: 'handled', value }
      })
    } catch (error) {
      // If the function committed the transaction and then failed, the delivery must be handled again.
      if (transactionId !== undefined) await one(sql.forget, key, transactionId).catch(() => {})
      throw error
    }
  }

  return {
    ...store,
    async transact(key, resource, work, { waitMs = 5_000, serialize = true } = {}) {
      await pruneOccasionally()
      const deadline = performance.now() + waitMs
      const leftMs = () => Math.max(0, deadline - performance.now())
      for (let delayMs = 5; ; delayMs = Math.min(delayMs * 2, 100)) {
        if (!(await slots.take(leftMs()))) return { status: 'busy' }
        const result = await attempt(key, resource, work, serialize).finally(() => slots.release())
        if (result.status === 'handled') return result
        if (result.status !== 'locked') return { status: result.status }
        if (leftMs() === 0) return { status: 'busy' }
        // The transaction has ended, so no connection is in use during the wait.
        await new Promise((resolve) => setTimeout(resolve, Math.min(delayMs, leftMs())))
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
  if (hasSqlState(error, '25P02')) throw new Error('The transaction was rolled back: one of its statements failed')
  throw error
}

/** Returns the milliseconds of a row with the column `us`, which contains microseconds or null. */
function toMs(row: Row | undefined): number | undefined {
  const microseconds = row?.['us'] ?? undefined
  return microseconds === undefined ? undefined : Number(microseconds) / 1000
}

/** Returns the statements of a store. Libraries may number the parameters again, so every occurrence has a type. */
function webhookStatements(webhooks: string, resources: string) {
  const after = (ms: string) => `clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`
  const tryLock = (name: string, value: string) =>
    `pg_try_advisory_xact_lock(hashtextextended('${name}:' || ${value}, 0))`
  // Drivers format numbers with fewer digits if `extra_float_digits` is 0.
  const microseconds = (ms: string) => `round(${ms} * 1000)::bigint::text AS us`
  const advance = (row: string) => `
    INSERT INTO ${resources} AS known (resource, time_ms, expires_at) ${row}
    ON CONFLICT (resource) DO UPDATE SET previous_ms = known.time_ms,
      time_ms = greatest(known.time_ms, excluded.time_ms), expires_at = excluded.expires_at`

  return {
    claim: `
      WITH claimed AS (
        INSERT INTO ${webhooks} AS known (key, owner, expires_at) VALUES ($1::text, $2::text, ${after('$3')})
        ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
          WHERE known.expires_at <= clock_timestamp() OR known.owner = excluded.owner
        RETURNING 1)
      SELECT CASE WHEN EXISTS (SELECT 1 FROM claimed) THEN 'new'
        WHEN EXISTS (SELECT 1 FROM ${webhooks} WHERE key = $1::text AND owner IS NULL) THEN 'done'
        ELSE 'busy' END AS status`,
    renew: `UPDATE ${webhooks} SET expires_at = ${after('$3')}
      WHERE key = $1::text AND owner = $2::text RETURNING key`,
    complete: `UPDATE ${webhooks} SET owner = NULL, expires_at = ${after('$3')}
      WHERE key = $1::text AND owner = $2::text RETURNING key`,
    release: `DELETE FROM ${webhooks} WHERE key = $1::text AND owner = $2::text`,
    /** Records an event time, and returns the newest time that was recorded before, or null. */
    advance: `${advance(`VALUES ($1::text, $3::float8, ${after('$2')})`)} RETURNING ${microseconds('previous_ms')}`,
    newest: `SELECT ${microseconds('time_ms')} FROM ${resources} WHERE resource = $1::text`,
    isStale: `SELECT CASE WHEN time_ms > $2::float8 THEN 1 ELSE 0 END AS stale FROM ${resources} WHERE resource = $1::text`,
    /**
     * Locks the delivery and then the resource (or nothing if it is null) until the transaction ends, and records the
     * delivery as handled. Never waits for the locks. A unique constraint would make the statement wait, with its
     * connection, for as long as another transaction handles the same delivery.
     */
    claimInTransaction: `
      WITH delivery AS MATERIALIZED (SELECT ${tryLock(webhooks, '$1::text')} AS locked),
      resource AS MATERIALIZED (
        SELECT CASE WHEN locked THEN ${tryLock(resources, '$2::text')} IS NOT FALSE ELSE false END AS locked FROM delivery),
      claimed AS (
        INSERT INTO ${webhooks} AS known (key, expires_at)
          SELECT $1::text, ${after('$3')} FROM resource WHERE locked
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
    /** Returns the ID of the transaction, and records an event time unless the transaction has another ID than before. */
    finish: `
      WITH advanced AS (${advance(`SELECT $1::text, $3::float8, ${after('$2')}
        WHERE $1::text IS NOT NULL AND pg_current_xact_id()::text = $4::text`)})
      SELECT pg_current_xact_id()::text AS xid`,
    /** Deletes the record that a transaction inserted. */
    forget: `DELETE FROM ${webhooks} WHERE key = $1::text AND xmin = $2::text::xid8::xid`,
    // Expired claims are kept for some time, because their owners may still complete them.
    prune: `
      WITH webhooks AS (DELETE FROM ${webhooks} WHERE expires_at <= clock_timestamp()
          AND (owner IS NULL OR expires_at <= clock_timestamp() - $1::float8 * interval '1 millisecond') RETURNING 1),
        resources AS (DELETE FROM ${resources} WHERE expires_at <= clock_timestamp() RETURNING 1)
      SELECT ((SELECT count(*) FROM webhooks) + (SELECT count(*) FROM resources))::text AS rows`,
  }
}
