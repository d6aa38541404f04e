/**
 * Webhook and idempotency stores, and the journal of durable operations, in PostgreSQL, with the driver `pg` 8 or `postgres` 3. Processes on many machines can
 * share a store.
 */

import { ConfigurationError } from '../errors.js'
import { boolean } from '../internal/options.js'
import type { IdempotencyStore } from '../options.js'
import { openConnection, type PgPool, type PgTransaction, type PostgresSql } from './postgres-connection.js'
import { postgresJournalTables } from './postgres-journal.js'
import { identifier, occasionally, rememberFor, type StoreOptions, storeOptions } from './store-options.js'
import type { ClaimResult, WebhookStore } from './webhook-store.js'

export type { Journal } from '../options.js'
export type { PgClient, PgPool, PgTransaction, PostgresSql } from './postgres-connection.js'
export { createJournal, type PostgresJournalOptions } from './postgres-journal.js'
export type { StoreOptions } from './store-options.js'
export type { ClaimResult, WebhookResource, WebhookStore } from './webhook-store.js'

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

/** The maintenance functions of SQL stores. */
export interface SqlMaintenance {
  /** Creates the schema and the tables if they do not exist. Several processes may call it at the same time. */
  migrate(): Promise<void>
  /** Deletes expired rows, and resolves to their number. `claim` also deletes expired rows occasionally. */
  prune(): Promise<number>
}

/** A webhook store in PostgreSQL. */
export type PostgresWebhookStore<Transaction> = Required<Omit<WebhookStore, 'transact'>> &
  Pick<WebhookStore<Transaction>, 'transact'> &
  SqlMaintenance

/**
 * Creates a webhook store in PostgreSQL.
 *
 * By default, your function runs in a transaction. Its writes through `context.transaction` are committed together with
 * the record that the delivery was handled, so they take effect exactly once.
 *
 * A delivery uses one connection from the pool while your function runs. Events for the same payment are serialized
 * with an advisory lock until the transaction ends.
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
             WHERE known.expires_at <= clock_timestamp()
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
      toNumber((await first(advanceSql(resources, valuesToAdvance), [resource, timeMs, remember]))?.['ms']),
    newest: async (resource) =>
      toNumber((await first(`SELECT time_ms AS ms FROM ${resources} WHERE resource = $1`, [resource]))?.['ms']),
    ...maintenance,
  }
  if (!transactional) return store

  return {
    ...store,
    async transact(key, resource, work, { waitMs } = {}) {
      await prune()
      return db.begin(async (transaction, query, lost) => {
        const resourceLock = resource && waitMs !== undefined ? `${resources}:${resource.id}` : null
        if (!(await lockWithin(query, `${webhooks}:${key}`, resourceLock, waitMs ?? 0))) return { status: 'busy' }

        // With READ COMMITTED, this statement sees all rows that were committed before the locks were granted.
        const [known] = await query(
          `SELECT (SELECT owner IS NULL FROM ${webhooks} WHERE key = $1 AND expires_at > clock_timestamp()) AS done,
             (SELECT time_ms FROM ${resources} WHERE resource = $2) AS ms, ${startTime} AS started`,
          [key, resource?.id ?? null],
        )
        if (known?.['done'] === true) return { status: 'done' }
        if (known?.['done'] === false) return { status: 'busy' }

        const newest = toNumber(known?.['ms'])
        const value = await work(transaction, newest !== undefined && newest > (resource?.timeMs ?? newest), lost)
        const marked = await query(
          `WITH marked AS (
             INSERT INTO ${webhooks} (key, expires_at) SELECT $1, ${after('$2')} WHERE ${startTime} = $3
             ON CONFLICT (key) DO UPDATE SET owner = NULL, expires_at = excluded.expires_at RETURNING 1),
           advanced AS (${advanceSql(
             resources,
             `SELECT $4::text, $5::float8::bigint, ${after('$2')} FROM marked WHERE $5::float8 IS NOT NULL`,
           )})
           SELECT 1 FROM marked`,
          [key, remember, known?.['started'], resource?.id ?? null, resource?.timeMs ?? null],
        )
        if (!changed(marked)) {
          throw new Error(
            'The webhook function ended the transaction: throw an error instead of running ROLLBACK, and do not run COMMIT',
          )
        }
        return { status: 'handled', value }
      })
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
         ON CONFLICT (key) DO UPDATE SET fingerprint = known.fingerprint RETURNING fingerprint`,
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
  return `-- One migration at a time: IF NOT EXISTS alone fails when two run concurrently.
SELECT pg_advisory_xact_lock(hashtextextended('payments-client:migrate', 0));
DO $$ BEGIN
  IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF;
END $$;
CREATE TABLE IF NOT EXISTS ${webhooks} (
  key text PRIMARY KEY,
  -- NULL when the delivery was handled.
  owner text,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${indexOf(webhooks)} ON ${webhooks} (expires_at);
CREATE TABLE IF NOT EXISTS ${resources} (
  resource text PRIMARY KEY,
  -- Milliseconds since 1970.
  time_ms bigint NOT NULL,
  previous_ms bigint,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${indexOf(resources)} ON ${resources} (expires_at);
CREATE TABLE IF NOT EXISTS ${idempotency} (
  key text PRIMARY KEY,
  fingerprint text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${indexOf(idempotency)} ON ${idempotency} (expires_at);
${postgresJournalTables(options ?? {})}`
}

const rules = { rememberFor, schema: identifier, tablePrefix: identifier }

type Query = (sql: string, values: readonly unknown[]) => Promise<Record<string, unknown>[]>

function tables({ schema = 'public', tablePrefix = 'payments_client_' }: PostgresStoreOptions) {
  const table = (name: string) => `"${schema}"."${tablePrefix}${name}"`
  return { schema, webhooks: table('webhooks'), resources: table('resources'), idempotency: table('idempotency') }
}

const indexOf = (table: string) => `${table.split('.')[1]?.slice(0, -1)}_expiry"`

/** Returns SQL for the server's current time plus a parameter in milliseconds. */
const after = (parameter: string) => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`

/** The start time of the transaction. It identifies the transaction on its connection. */
const startTime = `extract(epoch FROM now())::text`

const valuesToAdvance = `VALUES ($1, $2::float8::bigint, ${after('$3')})`

const advanceSql = (resources: string, source: string) => `
  INSERT INTO ${resources} AS known (resource, time_ms, expires_at) ${source}
  ON CONFLICT (resource) DO UPDATE SET previous_ms = known.time_ms, time_ms = greatest(known.time_ms, excluded.time_ms),
    expires_at = excluded.expires_at
  RETURNING previous_ms AS ms`

function open(connection: PgPool | PostgresSql, options: PostgresStoreOptions & { rememberFor: number }) {
  const db = openConnection(connection)
  if (db === undefined) throw new ConfigurationError('The connection must be a Pool from pg or an instance of postgres')
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

/** Locks the delivery, and then the resource unless it is null. CASE guarantees this order. */
const lockSql = `
  WITH locked AS (SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS delivery)
  SELECT delivery, CASE WHEN delivery THEN
    CASE WHEN $2::text IS NULL THEN true ELSE pg_try_advisory_xact_lock(hashtextextended($2, 0)) END END AS granted
  FROM locked`

/**
 * Locks the delivery and the resource until the transaction ends. Returns false if the delivery is locked, or if the
 * resource is still locked after `waitMs`. Does not use `lock_timeout`, which would abort the transaction.
 */
async function lockWithin(query: Query, delivery: string, resource: string | null, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  for (let delayMs = 5; ; delayMs = Math.min(delayMs * 2, 100)) {
    const [locked] = await query(lockSql, [delivery, resource])
    if (locked?.['granted'] === true) return true
    const leftMs = deadline - performance.now()
    if (locked?.['delivery'] !== true || leftMs <= 0) return false
    await new Promise((resolve) => setTimeout(resolve, Math.min(delayMs, leftMs)))
  }
}

const changed = (rows: readonly unknown[]) => rows.length > 0

function toNumber(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}
