/**
 * Webhook and idempotency stores, and the journal of durable operations, in PostgreSQL, with the driver `pg` 8 or
 * `postgres` 3. Processes on many machines can share a store.
 */

import { boolean } from '../../core/internal/validation.js'
import type { IdempotencyStore } from '../../core/options.js'
import { type ClaimResult, timelineOf, type WebhookStore } from '../contract.js'
import {
  identifier,
  occasionally,
  rememberFor,
  type SqlMaintenance,
  type StoreOptions,
  storeOptions,
  toNumber,
} from '../store-options.js'
import { openConnection, type Rows, type Transaction, TransactionEndedError } from './connection.js'
import { missingIndexesOnly, postgresJournalTables, postgresSchemaSql } from './journal-sql.js'
import type { PgPool, PgTransaction, PostgresSql } from './types.js'

export type { Journal } from '../../core/options.js'
export type { ClaimResult, WebhookResource, WebhookStore } from '../contract.js'
export type { SqlMaintenance, StoreOptions } from '../store-options.js'
export { createJournal, type PostgresJournalOptions } from './journal.js'
export type { PgClient, PgPool, PgTransaction, PostgresSql } from './types.js'

/** Options for the PostgreSQL stores. */
export interface PostgresStoreOptions extends StoreOptions {
  /** Schema of the tables. @default 'public' */
  schema?: string
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

/** Options for `createWebhookStore`. */
export interface PostgresWebhookStoreOptions extends PostgresStoreOptions {
  /** Runs your function in the transaction that marks the delivery as handled. @default true */
  transactional?: boolean
}

/** A webhook store in PostgreSQL. */
export type PostgresWebhookStore<Transaction> = Required<Omit<WebhookStore, 'begin' | 'finish' | 'transact'>> &
  Pick<WebhookStore<Transaction>, 'transact'> &
  SqlMaintenance

/**
 * Creates a webhook store in PostgreSQL.
 *
 * By default, your function runs in a transaction. Its writes through `context.transaction` are committed together with
 * the delivery's record, so they take effect exactly once.
 *
 * A delivery uses one connection from the pool while your function runs. If the pool has `max` connections, at most
 * `max - 2` deliveries run at the same time, so that your functions can use the pool too. Other deliveries wait without a
 * connection. Events for the same payment are serialized with an advisory lock until the transaction ends.
 *
 * @param connection A `Pool` from `pg`, or a `postgres` instance. The store never closes it. The store listens for its
 * `error` events, so a lost connection does not end the process.
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
export function createWebhookStore(
  connection: PgPool,
  options?: PostgresWebhookStoreOptions,
): PostgresWebhookStore<PgTransaction>
export function createWebhookStore<Sql extends PostgresSql>(
  connection: Sql,
  options?: PostgresWebhookStoreOptions,
): PostgresWebhookStore<Sql>
export function createWebhookStore(
  connection: PgPool | PostgresSql,
  options?: PostgresWebhookStoreOptions,
): PostgresWebhookStore<unknown> {
  const { transactional = true, ...others } = storeOptions<PostgresWebhookStoreOptions>(options, {
    ...rules,
    transactional: boolean,
  })
  const { webhooks, resources, remember, db, maintenance } = open(connection, others)
  const prune = occasionally(maintenance.prune)
  const first = async (sql: string, values: readonly unknown[]) => (await db.query(sql, values))[0]

  const store: PostgresWebhookStore<unknown> = {
    async claim(key, ttlMs, owner) {
      await prune()
      const row = await first(
        `WITH claimed AS (
           INSERT INTO ${webhooks} AS known (key, owner, expires_at) VALUES ($1, $2, ${after('$3')})
           ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
             WHERE known.expires_at <= clock_timestamp() OR known.owner = excluded.owner
           RETURNING 1)
         SELECT CASE WHEN EXISTS (SELECT 1 FROM claimed) THEN 'new'
           WHEN EXISTS (SELECT 1 FROM ${webhooks} WHERE key = $1 AND owner IS NULL) THEN 'done'
           ELSE 'busy' END AS state`,
        [key, owner, ttlMs],
      )
      return row?.['state'] as ClaimResult
    },
    renew: async (key, ttlMs, owner) =>
      changed(
        await db.query(`UPDATE ${webhooks} SET expires_at = ${after('$3')} WHERE key = $1 AND owner = $2 RETURNING 1`, [
          key,
          owner,
          ttlMs,
        ]),
      ),
    complete: async (key, owner) =>
      changed(
        await db.query(
          `UPDATE ${webhooks} SET owner = NULL, expires_at = ${after('$3')} WHERE key = $1 AND owner = $2 RETURNING 1`,
          [key, owner, remember],
        ),
      ),
    release: async (key, owner) => {
      await db.query(`DELETE FROM ${webhooks} WHERE key = $1 AND owner = $2`, [key, owner])
    },
    advance: async (resource, timeMs) =>
      toNumber((await first(advanceSql(resources), [resource, remember, timeMs]))?.['ms']),
    newest: async (resource) => toNumber((await first(newestSql(resources), [resource]))?.['ms']),
    ...maintenance,
  }
  if (!transactional) return store

  const claim = claimSql(webhooks, resources)
  const claimAndAdvance = claimAndAdvanceSql(webhooks, resources)
  const reason = reasonSql(webhooks)
  return {
    ...store,
    async transact(key, resource, work, { waitMs = 5_000, serialize = true } = {}) {
      await prune()
      const timeMs = resource?.timeMs
      const timeline = resource === undefined || timeMs === undefined ? undefined : timelineOf(resource)
      const deadline = performance.now() + waitMs
      const leftMs = () => Math.max(0, deadline - performance.now())
      const lock = serialize ? (resource?.id ?? null) : null
      // Recording the event time locks its row until the transaction ends. So without serialization, the event time is
      // recorded last.
      const isLast = !serialize && timeline !== undefined
      const first =
        timeline === undefined || isLast
          ? { text: claim, values: [key, remember, lock] }
          : { text: claimAndAdvance, values: [key, remember, lock, timeline, timeMs] }
      const handle = async ({ given, query, lost }: Transaction, [claimed]: Rows) => {
        if (claimed === undefined) {
          const [row] = await query(reason, [key])
          const status = row?.['status'] as 'busy' | 'done' | 'locked'
          return status === 'locked' ? status : { status }
        }
        const [before] = isLast ? await query(newestSql(resources), [timeline]) : [claimed]
        const value = await work(given, (toNumber(before?.['ms']) ?? Number.NaN) > (timeMs ?? Number.NaN), lost)
        if (isLast) await query(advanceSql(resources), [timeline, remember, timeMs])
        return { status: 'handled' as const, value }
      }

      try {
        for (let delayMs = 5; ; delayMs = Math.min(delayMs * 2, 100)) {
          const result = await db.begin(first, handle, leftMs())
          if (result === undefined) return { status: 'busy' }
          if (result !== 'locked') return result
          if (leftMs() === 0) return { status: 'busy' }
          // The transaction has ended, so no connection is in use during the wait.
          await new Promise((resolve) => setTimeout(resolve, Math.min(delayMs, leftMs())))
        }
      } catch (error) {
        // Deletes the delivery's record, because the webhook function may have committed it and then failed.
        if (error instanceof TransactionEndedError) await db.query(`DELETE FROM ${webhooks} WHERE key = $1`, [key])
        throw error
      }
    },
  }
}

/**
 * Creates a store for the client's option `idempotencyStore`.
 *
 * @param connection A `Pool` from `pg`, or a `postgres` instance. The store never closes it.
 * @throws {ConfigurationError} An option or the connection is invalid.
 */
export function createIdempotencyStore(
  connection: PgPool | PostgresSql,
  options?: PostgresStoreOptions,
): IdempotencyStore & SqlMaintenance {
  const { idempotency, remember, db, maintenance } = open(connection, storeOptions(options, rules))
  const prune = occasionally(maintenance.prune)
  return {
    async claim(key, fingerprint) {
      await prune()
      const [row] = await db.query(
        `INSERT INTO ${idempotency} AS known (key, fingerprint, expires_at) VALUES ($1, $2, ${after('$3')})
         ON CONFLICT (key) DO UPDATE SET
           fingerprint = CASE WHEN known.expires_at > clock_timestamp() THEN known.fingerprint ELSE excluded.fingerprint END,
           expires_at = CASE WHEN known.expires_at > clock_timestamp() THEN known.expires_at ELSE excluded.expires_at END
         RETURNING fingerprint`,
        [key, fingerprint, remember],
      )
      return row?.['fingerprint'] as string
    },
    ...maintenance,
  }
}

/**
 * Returns the SQL that creates the schema and the tables. Use it if you run migrations with another tool.
 *
 * @throws {ConfigurationError} An option is invalid.
 */
export function migrationSql(options?: PostgresStoreOptions): string {
  const { schema, webhooks, resources, idempotency } = tables(storeOptions(options, rules))
  const ownTables = `CREATE TABLE IF NOT EXISTS ${webhooks} (
  key text PRIMARY KEY,
  -- NULL when the delivery was handled.
  owner text,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${indexOf(webhooks)} ON ${webhooks} (expires_at);
CREATE TABLE IF NOT EXISTS ${resources} (
  resource text PRIMARY KEY,
  -- Milliseconds since 1970, with microseconds as a fraction.
  time_ms double precision NOT NULL,
  previous_ms double precision,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${indexOf(resources)} ON ${resources} (expires_at);
CREATE TABLE IF NOT EXISTS ${idempotency} (
  key text PRIMARY KEY,
  fingerprint text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${indexOf(idempotency)} ON ${idempotency} (expires_at);
`
  return postgresSchemaSql(schema) + missingIndexesOnly(ownTables, schema) + postgresJournalTables(options ?? {})
}

const rules = { rememberFor, schema: identifier, tablePrefix: identifier }

function tables({ schema = 'public', tablePrefix = 'payments_client_' }: PostgresStoreOptions) {
  const table = (name: string) => `"${schema}"."${tablePrefix}${name}"`
  return { schema, webhooks: table('webhooks'), resources: table('resources'), idempotency: table('idempotency') }
}

const indexOf = (table: string) => `${table.split('.')[1]?.slice(0, -1)}_expiry"`

/** Returns SQL for the server's current time plus a parameter in milliseconds. */
const after = (parameter: string) => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`

const newestSql = (resources: string) => `SELECT time_ms AS ms FROM ${resources} WHERE resource = $1`

/**
 * Records an event time under a name, and returns the newest time that was recorded before, or null.
 *
 * The time is kept slightly longer than `rememberFor` ($2), so that most events of a payment do not change its expiry.
 * PostgreSQL updates a row faster if no indexed column changes.
 */
const advanceSql = (resources: string, name = '$1', time = '$3', source = '') => `
  INSERT INTO ${resources} AS known (resource, time_ms, expires_at)
    SELECT ${name}, ${time}::float8, ${after('1.01 * $2')} ${source}
  ON CONFLICT (resource) DO UPDATE SET previous_ms = known.time_ms, time_ms = greatest(known.time_ms, excluded.time_ms),
    expires_at = CASE WHEN known.expires_at < ${after('$2')} THEN excluded.expires_at ELSE known.expires_at END
  RETURNING previous_ms AS ms`

const lockSql = (name: string, parameter: string) =>
  `pg_try_advisory_xact_lock(hashtextextended('${name}:' || ${parameter}, 0))`

/**
 * Locks the delivery ($1) and then the resource ($3, or null) until the transaction ends, and records the delivery as
 * handled. Returns no row if one of these steps fails.
 *
 * The statement never waits for the locks. A unique constraint would make it wait, with its connection, for as long as
 * another transaction handles the same delivery.
 */
const claimSql = (webhooks: string, resources: string) => `
  INSERT INTO ${webhooks} AS known (key, expires_at) SELECT $1, ${after('$2')}
    WHERE CASE WHEN ${lockSql(webhooks, '$1')} THEN ${lockSql(resources, '$3')} IS NOT FALSE END
  ON CONFLICT (key) DO UPDATE SET owner = NULL, expires_at = excluded.expires_at
    WHERE known.expires_at <= clock_timestamp()
  RETURNING 1`

/**
 * Claims a delivery as `claimSql` does, and then records an event time ($5) under a name ($4). Returns a row with the
 * newest time that was recorded before, or null, if the delivery was claimed.
 *
 * Another transaction may have recorded a time after this statement started and before it locked the resource. The
 * statement does not miss this time, because `ON CONFLICT DO UPDATE` reads the newest committed version of the row.
 */
const claimAndAdvanceSql = (webhooks: string, resources: string) =>
  `WITH claimed AS (${claimSql(webhooks, resources)}) ${advanceSql(resources, '$4', '$5', 'FROM claimed')}`

/** Returns why a delivery ($1) was not claimed. */
const reasonSql = (webhooks: string) => `
  SELECT coalesce(
    (SELECT CASE WHEN owner IS NULL THEN 'done' ELSE 'busy' END FROM ${webhooks}
      WHERE key = $1 AND expires_at > clock_timestamp()),
    CASE WHEN ${lockSql(webhooks, '$1')} THEN 'locked' ELSE 'busy' END) AS status`

function open(connection: PgPool | PostgresSql, options: PostgresStoreOptions & { rememberFor: number }) {
  const db = openConnection(connection)
  const names = tables(options)
  const { rememberFor: remember, ...given } = options
  const maintenance: SqlMaintenance = {
    migrate: () => db.script(migrationSql(given)),
    async prune() {
      const [row] = await db.query(
        // Expired claims are kept for some time, because their owners may still complete them.
        `WITH webhooks AS (DELETE FROM ${names.webhooks} WHERE expires_at <= clock_timestamp()
             AND (owner IS NULL OR expires_at <= clock_timestamp() - $1::float8 * interval '1 millisecond') RETURNING 1),
           resources AS (DELETE FROM ${names.resources} WHERE expires_at <= clock_timestamp() RETURNING 1),
           idempotency AS (DELETE FROM ${names.idempotency} WHERE expires_at <= clock_timestamp() RETURNING 1)
         SELECT (SELECT count(*) FROM webhooks) + (SELECT count(*) FROM resources) + (SELECT count(*) FROM idempotency) AS rows`,
        [remember],
      )
      return Number(row?.['rows'])
    },
  }
  return { ...names, remember, db, maintenance }
}

const changed = (rows: readonly unknown[]) => rows.length > 0
