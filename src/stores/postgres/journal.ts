import { ConfigurationError } from '../../core/errors.js'
import { Deadline, Interrupted } from '../../core/internal/deadline.js'
import { requireOptions } from '../../core/internal/options.js'
import type { Journal } from '../../core/options.js'
import { sqlState } from '../../operations/errors.js'
import { type Engine, type JournalOptions, journalRules, type Place } from '../../operations/journal.js'
import { toJournal } from '../../operations/operations.js'
import { toOpenCounts } from '../../operations/record.js'
import type { Change, Held, Hook } from '../../operations/rules.js'
import type { Database, Row } from '../database.js'
import {
  addedColumns,
  claimNames,
  fromClaimColumns,
  fromColumns,
  fromColumnsOrDamaged,
  isOpen,
  isOpenPayment,
  journalTables,
  operationNames,
  resourcesOf,
  toClaimColumns,
  toColumns,
} from '../journal-columns.js'
import { identifier } from '../store-options.js'
import { openTransaction, toDatabase } from './to-database.js'
import type { PgPool, PgTransaction, PostgresSql } from './types.js'

/** Options for `createJournal` with PostgreSQL. */
export interface PostgresJournalOptions extends JournalOptions {
  /** Schema of the tables. @default 'public' */
  schema?: string
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

interface Names {
  schema?: string | undefined
  tablePrefix?: string | undefined
}

/**
 * Creates a journal in PostgreSQL, for the client's option `journal`. Processes on many machines can share it.
 *
 * The journal uses a connection only while a transaction runs, never during a request to the service.
 *
 * @param connection A `Pool` from `pg`, a `postgres` instance, or a `Database`, for example from `fromPrisma`. The
 * journal never closes it.
 * @throws {ConfigurationError} An option or the connection is invalid.
 * @example
 * const journal = createJournal(new Pool())
 * await journal.migrate()
 * const client = new PaymentsClient({ journal })
 */
export function createJournal<Transaction>(
  connection: Database<Transaction>,
  options?: PostgresJournalOptions,
): Journal<Transaction>
export function createJournal(connection: PostgresSql, options?: PostgresJournalOptions): Journal<PostgresTransaction>
export function createJournal(connection: PgPool, options?: PostgresJournalOptions): Journal<PgTransactionLike>
export function createJournal(connection: PgPool | PostgresSql | Database, options?: PostgresJournalOptions): Journal {
  const rules = { ...journalRules, schema: identifier, tablePrefix: identifier }
  const { schema, tablePrefix, ...others } = requireOptions<PostgresJournalOptions>(options, rules)
  return toJournal(new PostgresEngine(toDatabase(connection as Database), { schema, tablePrefix }), others)
}

/** An open transaction of `pg`, or of another library whose `query` resolves to rows or `{ rows }`. */
export type PgTransactionLike = Pick<PgTransaction, 'query'>

/** The `sql` of a transaction of `postgres`. */
export type PostgresTransaction = Pick<PostgresSql, 'unsafe'>

type Query = (sql: string, values: readonly unknown[]) => Promise<Row[]>

const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

class PostgresEngine implements Engine {
  readonly name: string
  readonly #database: Database
  readonly #names: Names
  readonly #sql: ReturnType<typeof statements>
  #identity: Promise<string> | undefined

  constructor(database: Database, names: Names) {
    this.#database = database
    this.#names = names
    this.#sql = statements(names)
    this.name = tableOf(names)('operations')
  }

  async update<T>(place: Place, work: (held: Held) => Change<T>, hasHook = false): Promise<T> {
    const start = Date.now()
    for (;;) {
      const done = await this.#transaction(async (query, transaction, calledHook) => {
        const lock = hasHook ? this.#sql.tryLock : this.#sql.lock
        const [locked] = await query(lock, [place.resource])
        if (hasHook && textOf(locked, 'locked') !== 'true') return undefined
        const { result, hook } = await this.#apply(query, place, work, this.#sql.readForUpdate)
        if (hook) {
          calledHook()
          await callHook(query, transaction, hook)
        }
        return { result }
      })
      if (done) return done.result
      if (Date.now() - start > lockWithinMs) throw new Error(`The resource ${place.resource} is locked`)
      await new Promise((resolve) => setTimeout(resolve, lockRetryMs))
    }
  }

  async updateIn<T>(transaction: unknown, place: Place, work: (held: Held) => Change<T>): Promise<T> {
    const query = await openTransaction(this.#database, transaction)
    await this.#requireSameDatabase(query)
    // Only the payments of an order depend on each other. A lock on a payment would delay its running operations.
    if (place.orderId !== undefined) await query(this.#sql.lock, [place.resource])
    return (await this.#apply(query, place, work, this.#sql.read)).result
  }

  /** Reads the state, and stores the change that `work` returns for it. */
  async #apply<T>(query: Query, place: Place, work: (held: Held) => Change<T>, read: string): Promise<Change<T>> {
    for (;;) {
      const { resource, key = null, orderId = null } = place
      const held = heldIn((await query(read, [resource, key, orderId]))[0])
      const change = work(held)
      const { row, claim, learned } = change
      if (row === undefined && claim === undefined) return change
      const [written] = await query(this.#sql.write, [
        row ? JSON.stringify(toColumns(row)) : null,
        held.row === undefined ? 'false' : 'true',
        claim ? JSON.stringify(toClaimColumns(resource, claim)) : null,
        learned ? JSON.stringify(toClaimColumns(learned.resource, learned.claim)) : null,
      ])
      // Another transaction has stored a record with this key since it was read.
      if (row === undefined || textOf(written, 'records') === '1') return change
    }
  }

  /**
   * Runs `work` in a transaction. Repeats it up to five times after a serialization failure or a deadlock, unless it
   * called a function of the merchant.
   */
  async #transaction<T>(work: (query: Query, transaction: unknown, calledHook: () => void) => Promise<T>): Promise<T> {
    for (let repetition = 0; ; repetition++) {
      let hasCalledHook = false
      try {
        return await this.#database.transaction(async (transaction) => {
          const query: Query = (sql, values) => this.#database.queryIn(transaction, sql, values)
          await query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED', [])
          return work(query, transaction, () => {
            hasCalledHook = true
          })
        })
      } catch (error) {
        if (hasCalledHook || repetition === 5 || !/^(40001|40P01)$/.test(sqlState(error) ?? '')) throw error
      }
    }
  }

  /** Throws if the caller's transaction is on another database. */
  async #requireSameDatabase(query: Query): Promise<void> {
    // Skips the check if it takes longer than 1 second. The caller's transaction may hold the pool's only connection.
    const expected = await this.#identityWithin(1_000)
    if (expected === undefined) return
    const [row] = await query(this.#sql.identity, [])
    if (textOf(row, 'identity') === expected) return
    throw new ConfigurationError(
      'The transaction belongs to another database than the journal: use a transaction of the database that was passed to createJournal',
      { operation: 'operations.plan' },
    )
  }

  /** Reads the identity of the journal's table, and caches it. Resolves to undefined if the query takes too long. */
  async #identityWithin(ms: number): Promise<string | undefined> {
    this.#identity ??= this.#database
      .query(this.#sql.identity, [])
      .then(([row]) => textOf(row, 'identity'))
      .then((identity) => {
        // A missing table is reported by the next statement. It may exist later.
        if (identity.endsWith('.')) this.#identity = undefined
        return identity
      })
    const identity = this.#identity
    identity.catch(() => {
      this.#identity = undefined
    })
    try {
      return await new Deadline(ms, undefined).run(() => identity)
    } catch (error) {
      if (error instanceof Interrupted) return undefined
      throw error
    }
  }

  async next({ baseUrl, except, unacknowledged }: Parameters<Engine['next']>[0]): Promise<Place | undefined> {
    const sql = unacknowledged ? this.#sql.nextUnacknowledged : this.#sql.nextOpen
    const [row] = await this.#database.query(sql, [baseUrl, JSON.stringify(except)])
    if (row === undefined) return undefined
    const { key, resource, order_id: orderId } = JSON.parse(textOf(row, 'place'))
    return { key, resource, orderId: orderId ?? undefined }
  }

  async countSkipped({ baseUrl, except }: Parameters<Engine['countSkipped']>[0]) {
    const [row] = await this.#database.query(this.#sql.countSkipped, [baseUrl, JSON.stringify(except)])
    const first = textOf(row, 'first')
    return {
      waiting: Number(textOf(row, 'waiting')),
      foreign: Number(textOf(row, 'foreign')),
      firstForeign: first === '' ? undefined : first,
    }
  }

  async find(key: string) {
    const [row] = await this.#database.query(this.#sql.find, [key])
    return row && fromColumns(textOf(row, 'record'))
  }

  async related({ paymentId, orderId }: Parameters<Engine['related']>[0]) {
    const sql = paymentId === undefined ? this.#sql.relatedToOrder : this.#sql.relatedToPayment
    const rows = await this.#database.query(sql, [paymentId ?? orderId ?? null])
    return rows.map((row) => fromColumns(textOf(row, 'record')))
  }

  async list({ state, paymentId, before }: Parameters<Engine['list']>[0]) {
    const values = [state ?? null, paymentId ?? null, before === undefined ? null : String(before)]
    const rows = await this.#database.query(this.#sql.list, values)
    return rows.map((row) => fromColumnsOrDamaged(textOf(row, 'record')))
  }

  async countOpen() {
    const rows = await this.#database.query(this.#sql.countOpen, [])
    return toOpenCounts(rows.map((row) => [textOf(row, 'state'), Number(textOf(row, 'number'))]))
  }

  async migrate() {
    await this.#database.transaction(async (transaction) => {
      for (const sql of [...postgresSchemaStatements(this.#names.schema), ...postgresJournalStatements(this.#names)]) {
        await this.#database.queryIn(transaction, sql, [])
      }
    })
  }

  async prune({ recordsMs, bodiesMs }: Parameters<Engine['prune']>[0]) {
    const [row] = await this.#database.query(this.#sql.prune, [String(recordsMs), String(bodiesMs)])
    return Number(textOf(row, 'changed'))
  }
}

/** The longest time to wait for a lock without a connection, and the time between two attempts, in milliseconds. */
const lockWithinMs = 60_000
const lockRetryMs = 25

async function callHook(query: Query, transaction: unknown, hook: Hook): Promise<void> {
  const activity = async () => textOf((await query(activitySql, []))[0], 'activity')
  const before = await activity()
  await hook.call(transaction)
  if ((await activity()) === before) hook.onIdle()
}

/** Reads a column that is always text. */
function textOf(row: Row | undefined, column: string): string {
  const value = row?.[column]
  if (typeof value === 'string') return value
  throw new ConfigurationError(
    `The database connection changes results, so the journal cannot read them (the column ${column} is not a string): remove options such as transform, or pass another connection`,
  )
}

function heldIn(row: Row | undefined): Held {
  const [claim, record, creates] = ['claim', 'record', 'creates'].map((column) => textOf(row, column))
  return {
    now: Number(textOf(row, 'now')),
    claim: claim ? fromClaimColumns(claim) : undefined,
    row: record ? fromColumns(record) : undefined,
    creates: creates ? (JSON.parse(creates) as object[]).map((create) => fromColumns(JSON.stringify(create))) : [],
  }
}

/** The number of rows that the current transaction has read or written, for any library. */
const activitySql = `SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del), 0)::text
  AS activity FROM pg_stat_xact_user_tables`

const tableOf =
  ({ schema = 'public', tablePrefix = 'payments_client_' }: Names) =>
  (suffix: string) =>
    `"${schema}"."${tablePrefix}${suffix}"`

/**
 * Returns the statements that lock a resource until the end of the transaction: `lock` waits, and `tryLock` returns
 * whether it has the lock.
 */
export function lockStatements(names: Names) {
  const lockKey = `hashtextextended($1::text, hashtextextended('${tableOf(names)('operations')}', 0))`
  return {
    lock: `SELECT pg_advisory_xact_lock(${lockKey})::text AS locked`,
    tryLock: `SELECT pg_try_advisory_xact_lock(${lockKey})::text AS locked`,
  }
}

/** Returns the statements of a journal. All results are strings, because libraries read other types differently. */
function statements(names: Names) {
  const table = tableOf(names)
  const operations = table('operations')
  const claims = table('claims')
  const select = `SELECT to_json(o)::text AS record FROM ${operations} AS o`
  const belongs = '(base_url IS NULL OR base_url = $1::text)'
  const excluded = 'key NOT IN (SELECT json_array_elements_text($2::text::json))'

  // The transaction's COMMIT waits until it is on disk, even with `synchronous_commit = off`. So the record of a request
  // that was sent survives a crash of the database server.
  const read = (lock: string) => `
    SELECT ${nowMs}::text AS now,
      set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true) AS durability,
      coalesce((SELECT to_json(c)::text FROM ${claims} AS c WHERE resource = $1::text), '') AS claim,
      coalesce((SELECT to_json(o)::text FROM ${operations} AS o WHERE key = $2::text ${lock}), '') AS record,
      coalesce((SELECT json_agg(o ORDER BY created_at, key)::text FROM ${operations} AS o
        WHERE order_id = $3::text AND key <> $2::text AND ${isOpenPayment}), '') AS creates`

  const assignments = (columns: readonly string[]) => columns.map((column) => `${column} = excluded.${column}`)
  const from = (name: string, columns: readonly string[], parameter: number) =>
    `(${columns}) SELECT ${columns} FROM json_populate_record(NULL::${name}, $${parameter}::text::json)
      WHERE $${parameter}::text IS NOT NULL`

  const next = (isWanted: string) => `
    SELECT json_build_object('key', key, 'resource', resource, 'order_id',
      CASE WHEN operation = 'payments.create' THEN order_id END)::text AS place FROM ${operations} AS o
    WHERE ${isWanted} AND ${excluded} AND NOT EXISTS (
      SELECT 1 FROM ${claims} AS c WHERE c.resource = o.resource AND c.owner IS NOT NULL AND c.expires_at > ${nowMs})
    ORDER BY claimed_at, created_at, key LIMIT 1 FOR UPDATE SKIP LOCKED`
  const mayContinue = `${isOpen} AND ${belongs} AND coalesce(not_before, 0) <= ${nowMs}`

  const isOld = `state <> 'needs_review' AND finished_at <= ${nowMs} - $1::text::bigint`
  return {
    ...lockStatements(names),
    read: read(''),
    readForUpdate: read('FOR UPDATE'),
    /** Stores a record (an existing one only if `$2`), a claim, and a claim on a resource that has none. */
    write: `
      WITH record AS (
        INSERT INTO ${operations} AS o ${from(operations, operationNames, 1)}
        ON CONFLICT (key) DO UPDATE SET ${assignments(operationNames)} WHERE $2::text::boolean RETURNING 1),
      claim AS (
        INSERT INTO ${claims} AS c ${from(claims, claimNames, 3)} AND ($1::text IS NULL OR EXISTS (SELECT FROM record))
        ON CONFLICT (resource) DO UPDATE SET ${assignments(claimNames)}),
      learned AS (INSERT INTO ${claims} ${from(claims, claimNames, 4)} ON CONFLICT (resource) DO NOTHING)
      SELECT count(*)::text AS records FROM record`,
    identity: `SELECT current_database() || '.' || coalesce(to_regclass('${operations}')::oid::text, '') AS identity`,
    nextOpen: next(mayContinue),
    nextUnacknowledged: next(`acknowledged_at IS NULL AND (NOT ${isOpen} OR ${mayContinue})`),
    countSkipped: `
      SELECT count(*) FILTER (WHERE ${belongs})::text AS waiting, count(*) FILTER (WHERE NOT ${belongs})::text AS foreign,
        coalesce((array_agg(key ORDER BY created_at, key) FILTER (WHERE NOT ${belongs}))[1], '') AS first
      FROM ${operations} WHERE ${isOpen} AND ${excluded} AND (NOT ${belongs} OR not_before > ${nowMs})`,
    find: `${select} WHERE key = $1::text`,
    relatedToOrder: `${select} WHERE order_id = $1::text`,
    relatedToPayment: `${select} WHERE id = $1::text OR payment_id = $1::text`,
    list: `${select} WHERE ($1::text IS NULL OR state = $1::text)
        AND ($2::text IS NULL OR id = $2::text OR payment_id = $2::text)
        AND ($3::text IS NULL OR created_at < $3::text::bigint)
      ORDER BY created_at, key`,
    countOpen: `SELECT state, count(*)::text AS number FROM ${operations} WHERE ${isOpen} GROUP BY state`,
    prune: `
      WITH claims AS (DELETE FROM ${claims} WHERE owner IS NULL AND expires_at <= ${nowMs} - $1::text::bigint
        AND resource IN (${resourcesOf(operations, isOld)})),
      removed AS (DELETE FROM ${operations} WHERE ${isOld} RETURNING 1),
      shortened AS (UPDATE ${operations} SET body = NULL
        WHERE body IS NOT NULL AND finished_at <= ${nowMs} - $2::text::bigint
          AND (state = 'needs_review' OR finished_at > ${nowMs} - $1::text::bigint) RETURNING 1)
      SELECT ((SELECT count(*) FROM removed) + (SELECT count(*) FROM shortened))::text AS changed`,
  }
}

/** Returns the SQL statements with which a migration begins. They also create the schema. */
export function postgresSchemaStatements(schema = 'public'): string[] {
  return [
    // One migration at a time: IF NOT EXISTS alone fails when two run concurrently.
    "SELECT pg_advisory_xact_lock(hashtextextended('payments-client:migrate', 0))::text",
    `DO $$ BEGIN
  IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF;
END $$`,
  ]
}

/**
 * Returns the SQL statements that create the tables of a journal, and add the columns that older tables lack. Existing
 * indexes and columns are skipped, because a statement with `IF NOT EXISTS` would still lock the table.
 */
export function postgresJournalStatements(names: Names): string[] {
  const { schema = 'public', tablePrefix = 'payments_client_' } = names
  const dialect = { integer: 'bigint' }
  const table = tableOf(names)
  const created = journalTables(table, (suffix) => `"${tablePrefix}${suffix}"`, dialect)
  const added = addedColumns(dialect).map(
    ({ suffix, name, definition }) => `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = '${table(suffix)}'::regclass AND attname = '${name}') THEN
    ALTER TABLE ${table(suffix)} ADD COLUMN ${definition};
  END IF;
END $$`,
  )
  return [...created.map((sql) => missingIndexesOnly(sql, schema)), ...added]
}

/**
 * Returns SQL that creates only the indexes that do not exist. `CREATE INDEX IF NOT EXISTS` locks the table even if the
 * index exists: it would wait for running transactions, and all later transactions would wait for it.
 */
export function missingIndexesOnly(sql: string, schema = 'public'): string {
  return sql.replace(
    /^CREATE INDEX IF NOT EXISTS (\S+) .*?;?$/gm,
    (statement, index) => `DO $$ BEGIN
  IF to_regclass('"${schema}".${index}') IS NULL THEN ${statement.replace(/;$/, '')}; END IF;
END $$${statement.endsWith(';') ? ';' : ''}`,
  )
}
