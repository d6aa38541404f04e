import { ConfigurationError } from '../errors.js'
import {
  type Begun,
  claimTtlMs,
  type Ending,
  type JournalOptions,
  type JournalStore,
  type NewOperation,
} from '../operations/journal.js'
import { checkJournalOptions, journalRules, keepBodiesForMs, toJournal } from '../operations/journal-options.js'
import { comparedOperations, isOpenState, type StoredOperation, toOpenCounts } from '../operations/record.js'
import type { Journal } from '../options.js'
import { columnNames, fromColumns, journalSql, toColumns } from './journal-columns.js'
import { type Connection, openConnection } from './postgres-connection.js'
import type { PgPool, PostgresSql } from './postgres-types.js'
import { identifier } from './store-options.js'

/** Options for `createJournal` with PostgreSQL. */
export interface PostgresJournalOptions extends JournalOptions {
  /** Schema of the tables. @default 'public' */
  schema?: string
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

/**
 * Creates a journal in PostgreSQL, for the client's option `journal`. Processes on many machines can share it.
 *
 * The journal uses a connection only while a statement runs, never during a request to the service.
 *
 * @param connection A `Pool` from `pg`, or a `postgres` instance. The journal never closes it.
 * @throws {ConfigurationError} An option or the connection is invalid.
 * @example
 * const journal = createJournal(new Pool())
 * await journal.migrate()
 * const client = new PaymentsClient({ journal })
 */
export function createJournal(connection: PgPool | PostgresSql, options?: PostgresJournalOptions): Journal {
  const rules = { ...journalRules, schema: identifier, tablePrefix: identifier }
  const { schema, tablePrefix, rememberFor, ...others } = checkJournalOptions<PostgresJournalOptions>(options, rules)
  const db = openConnection(connection)
  if (db === undefined) throw new ConfigurationError('The connection must be a Pool from pg or an instance of postgres')
  return toJournal(postgresJournal(db, { schema, tablePrefix }, rememberFor), others)
}

interface Names {
  schema?: string | undefined
  tablePrefix?: string | undefined
}

/** Returns the SQL that creates the tables of a journal. */
export function postgresJournalTables({ schema = 'public', tablePrefix = 'payments_client_' }: Names): string {
  const table = (suffix: string) => `"${schema}"."${tablePrefix}${suffix}"`
  return missingIndexesOnly(
    journalSql(table, (suffix) => `"${tablePrefix}${suffix}"`, 'bigint'),
    schema,
  )
}

/** Returns the SQL that begins a migration, and creates the schema. */
export function postgresSchemaSql(schema = 'public'): string {
  return `-- One migration at a time: IF NOT EXISTS alone fails when two run concurrently.
SELECT pg_advisory_xact_lock(hashtextextended('payments-client:migrate', 0));
DO $$ BEGIN
  IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF;
END $$;
`
}

/**
 * Returns SQL that creates only the indexes that do not exist. `CREATE INDEX IF NOT EXISTS` locks the table even if the
 * index exists: it would wait for running transactions, and every later one would wait for it.
 */
export function missingIndexesOnly(sql: string, schema = 'public'): string {
  return sql.replace(
    /^CREATE INDEX IF NOT EXISTS (\S+) .*;$/gm,
    (statement, index) => `DO $$ BEGIN
  IF to_regclass('"${schema}".${index}') IS NULL THEN ${statement} END IF;
END $$;`,
  )
}

const isOpen = "state IN ('planned', 'sent', 'unknown')"

/** The type of each column's parameter. */
const types: Readonly<Record<string, string>> = {
  in_flight: 'smallint',
  created_at: 'bigint',
  first_sent_at: 'bigint',
  last_sent_at: 'bigint',
  attempts: 'integer',
  claimed_at: 'bigint',
  resend_for: 'bigint',
  finished_at: 'bigint',
  acknowledged_at: 'bigint',
}

/** The columns that the end of a call changes, without the times. */
const changedColumns = [
  'state',
  'first_sent_at',
  'attempts',
  'order_id',
  'payment_id',
  'transaction_id',
  'status',
  'error_id',
  'reason',
  'payment_before',
  'details',
] as const

type Row = Record<string, unknown>

function postgresJournal(db: Connection, names: Names, rememberFor: number): JournalStore {
  const { schema = 'public', tablePrefix = 'payments_client_' } = names
  const operations = `"${schema}"."${tablePrefix}operations"`
  const claims = `"${schema}"."${tablePrefix}claims"`
  const rowsOf = async (sql: string, values: readonly unknown[]) => (await db.query(sql, values)).map(fromColumns)

  /** Identifies the table among the databases of a server. */
  const identity = `(SELECT oid FROM pg_database WHERE datname = current_database()) || '.' || '${operations}'::regclass::oid`
  let knownIdentity: string | null = null

  const clock = 'clock AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)'

  /**
   * Claims the resource of `source` for the owner `$1`. After a crash, the payment may have changed. `sent_at` is later
   * than the end of the previous operation of the payment, so that their times show their order.
   */
  const claimed = (source: string) => `claimed AS (
    INSERT INTO ${claims} AS c (resource, owner, expires_at) SELECT resource, $1::text, now + ${claimTtlMs} FROM clock, ${source}
    ON CONFLICT (resource) DO UPDATE SET owner = excluded.owner,
      expires_at = greatest(excluded.expires_at, CASE WHEN c.owner IS NULL THEN c.expires_at + 1 + ${claimTtlMs} END),
      known = CASE WHEN c.owner IS NULL THEN c.known END
    WHERE c.owner IS NULL OR c.owner = excluded.owner OR c.expires_at <= excluded.expires_at - ${claimTtlMs}
    RETURNING known, expires_at - ${claimTtlMs} AS sent_at)`

  /** Whether no request was sent: before the first request of a capture or refund, its payment is stored. */
  const isUnsent = `(o.operation IN (${comparedOperations.map((name) => `'${name}'`).join(', ')})
    AND o.payment_before IS NULL AND o.state <> 'unknown')`
  const isAmbiguous = `(o.state = 'unknown' OR o.in_flight = 1 AND NOT ${isUnsent})`

  /** Whether the previous claim permitted a request. After `resendFor`, a payment is only looked up. */
  const mayHaveSent = `(o.operation <> 'payments.create' OR o.claimed_at <= o.first_sent_at + o.resend_for)`

  /** Marks an operation as in flight, and counts a request. */
  const mark = (now: string, known: string) => `
    state = CASE WHEN ${isAmbiguous} THEN 'unknown' ELSE 'sent' END, in_flight = 1, claimed_at = ${now},
    attempts = CASE WHEN ${isUnsent} THEN 1 ELSE o.attempts + 1 END,
    first_sent_at = CASE WHEN ${isUnsent} THEN ${now} ELSE coalesce(o.first_sent_at, ${now}) END,
    last_sent_at = CASE WHEN o.in_flight = 1 AND ${mayHaveSent} THEN ${now} ELSE o.last_sent_at END,
    payment_before = coalesce(o.payment_before, CASE WHEN NOT ${isAmbiguous} THEN ${known} END)`

  const result = (found: string) => `
    SELECT now, (SELECT count(*) FROM claimed) AS claimed, (SELECT known FROM claimed) AS known,
      (SELECT count(*) FROM begun) AS begun, ${identity} AS identity, r.*
    FROM clock LEFT JOIN (SELECT * FROM begun UNION ALL ${found} AND NOT EXISTS (SELECT 1 FROM begun)) r ON true`

  // Every statement locks an operation before its claim. In another order, two of them could wait for each other.
  const beginSql = `
    WITH ${clock},
    existing AS (SELECT fingerprint, state FROM ${operations} WHERE key = $3 FOR UPDATE),
    usable AS (SELECT $2::text AS resource WHERE NOT EXISTS (
      SELECT 1 FROM existing WHERE fingerprint <> $4 OR NOT ${isOpen})),
    ${claimed('usable')},
    begun AS (
      INSERT INTO ${operations} AS o (key, fingerprint, resource, operation, id, order_id, body, resend_for, details,
        state, in_flight, attempts, created_at, claimed_at, first_sent_at, payment_before)
      SELECT $3::text, $4::text, $2, $5::text, $6::text, $7::text, $8::text, $9::bigint, $10::text, 'sent', 1, 1, now, now, sent_at, known
      FROM clock, claimed
      ON CONFLICT (key) DO UPDATE SET ${mark('excluded.first_sent_at', 'excluded.payment_before')}
      WHERE o.fingerprint = excluded.fingerprint AND o.${isOpen}
      RETURNING *)
    ${result(`SELECT * FROM ${operations} WHERE key = $3`)}`

  const claimSql = (candidate: string) => `
    WITH ${clock}, candidate AS (${candidate}),
    ${claimed('candidate')},
    begun AS (
      UPDATE ${operations} AS o SET ${mark('claimed.sent_at', 'claimed.known')}
      FROM claimed, candidate WHERE o.key = candidate.key AND o.${isOpen} RETURNING o.*),
    claimed_final AS (
      UPDATE ${operations} AS o SET claimed_at = claimed.sent_at
      FROM claimed, candidate WHERE o.key = candidate.key AND NOT o.${isOpen})
    ${result(`SELECT * FROM ${operations} WHERE key = (SELECT key FROM candidate)`)}`

  const resumeSql = claimSql(`SELECT key, resource FROM ${operations} WHERE key = $2 FOR UPDATE`)

  const nextSql = (states: string) =>
    claimSql(`
      SELECT key, resource FROM ${operations} AS o
      WHERE ${states} AND key <> ALL ($2::text[]) AND NOT EXISTS (
        SELECT 1 FROM ${claims} AS c, clock WHERE c.resource = o.resource AND c.owner IS NOT NULL AND c.expires_at > now)
      ORDER BY claimed_at, created_at, key LIMIT 1 FOR UPDATE SKIP LOCKED`)
  const nextOpenSql = nextSql(isOpen)
  const nextUnacknowledgedSql = nextSql(`(${isOpen} OR acknowledged_at IS NULL)`)

  const changes = changedColumns
    .map((column, index) => `${column} = $${index + 6}::${types[column] ?? 'text'}`)
    .join(', ')
  const finishSql = `
    WITH ${clock},
    ended AS (
      SELECT resource, greatest(now, expires_at - ${claimTtlMs}) AS at FROM ${claims}, clock
      WHERE resource = (SELECT resource FROM ${operations} WHERE key = $1) AND owner = $2),
    finished AS (
      UPDATE ${operations} SET ${changes}, in_flight = 0,
        last_sent_at = CASE WHEN $4::boolean THEN now ELSE last_sent_at END,
        finished_at = CASE WHEN $6::text NOT IN ('planned', 'sent', 'unknown') THEN coalesce(finished_at, ended.at) END,
        acknowledged_at = CASE WHEN $5::boolean THEN now ELSE acknowledged_at END
      FROM clock, ended WHERE key = $1 AND ${operations}.resource = ended.resource
      RETURNING ${operations}.*),
    released AS (
      UPDATE ${claims} AS c SET owner = NULL, expires_at = ended.at,
        known = CASE WHEN $4 THEN $3::text ELSE coalesce($3, c.known) END
      FROM ended, finished WHERE c.resource = finished.resource AND c.owner = $2),
    learned AS (
      INSERT INTO ${claims} (resource, expires_at, known) SELECT 'payment:' || payment_id, now, $3 FROM clock, finished
      WHERE payment_id IS NOT NULL AND resource <> 'payment:' || payment_id
      ON CONFLICT (resource) DO NOTHING)
    SELECT * FROM finished`

  async function release(resource: string, owner: string): Promise<void> {
    await db.query(
      `UPDATE ${claims} SET owner = NULL,
         expires_at = greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint, expires_at - ${claimTtlMs})
       WHERE resource = $1 AND owner = $2`,
      [resource, owner],
    )
  }

  /** Reads the result of a claim. */
  async function begun([row = {}]: Row[], owner: string): Promise<Begun> {
    const now = Number(row['now'])
    knownIdentity = row['identity'] as string
    if (row['key'] === null) return { isClaimed: Number(row['claimed']) > 0, now }
    const operation = fromColumns(row)
    const known = typeof row['known'] === 'string' ? JSON.parse(row['known']) : undefined
    let isClaimed = Number(row['claimed']) > 0
    if (isClaimed && Number(row['begun']) === 0 && isOpenState(operation.state)) {
      // The operation was finished after this statement had started, and `operation` is out of date.
      await release(operation.resource, owner)
      isClaimed = false
    }
    return { row: operation, isClaimed, known, now }
  }

  const planColumns = columnNames.filter((name) => name !== 'created_at')
  const planSql = `
    WITH ${clock},
    planned AS (
      INSERT INTO ${operations} (created_at, ${planColumns.join(', ')})
      SELECT now, ${planColumns.map((name, index) => `$${index + 2}::${types[name] ?? 'text'}`).join(', ')} FROM clock
      WHERE $1::text IS NULL OR $1 = ${identity}
      ON CONFLICT (key) DO NOTHING RETURNING fingerprint)
    SELECT ${identity} AS identity, (SELECT fingerprint FROM planned) AS fingerprint`

  return {
    name: operations,
    async plan(transaction, row) {
      const query = queryOf(transaction)
      const values = columnsOf(row)
      const expected = knownIdentity
      let planned: Row | undefined
      try {
        planned = (await query(planSql, [expected, ...planColumns.map((name) => values[name])]))[0]
      } catch (error) {
        // A missing table means another database, which is reported below.
        if (expected === null || Object(error).code !== '42P01') throw error
      }
      if (expected !== null && planned?.['identity'] !== expected) {
        throw problem(
          'belongs to another database than the journal: use a transaction of the pool that was passed to createJournal',
        )
      }
      const [stored] = planned?.['fingerprint']
        ? [planned]
        : await query(`SELECT fingerprint FROM ${operations} WHERE key = $1`, [row.key])
      return stored?.['fingerprint'] as string
    },
    async begin(row, owner) {
      const { key, fingerprint, resource, operation, id, orderId, body, resendFor, details } = row
      const values = [
        owner,
        resource,
        key,
        fingerprint,
        operation,
        id,
        orderId,
        body,
        resendFor,
        JSON.stringify(details),
      ]
      return begun(await db.query(beginSql, values.map(orNull)), owner)
    },
    async resume(key, owner) {
      const found = await begun(await db.query(resumeSql, [owner, key]), owner)
      return found.row && found
    },
    async next(owner, except, unacknowledged) {
      const sql = unacknowledged ? nextUnacknowledgedSql : nextOpenSql
      const found = await begun(await db.query(sql, [owner, [...except]]), owner)
      return found.row && found
    },
    async renew(resource, owner) {
      const renewed = await db.query(
        `UPDATE ${claims} SET expires_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${claimTtlMs}
         WHERE resource = $1 AND owner = $2 RETURNING 1`,
        [resource, owner],
      )
      return renewed.length > 0
    },
    async note(key, before) {
      await db.query(`UPDATE ${operations} SET payment_before = $2 WHERE key = $1`, [key, JSON.stringify(before)])
    },
    async finish(row, owner, ending) {
      const { isSent, known, onSettled } = ending
      const changed = columnsOf({ ...row, ...ending.row })
      const values = [
        row.key,
        owner,
        known === undefined ? null : JSON.stringify(known),
        isSent,
        onSettled !== undefined,
        ...changedColumns.map((column) => changed[column]),
      ]
      if (onSettled === undefined) return (await rowsOf(finishSql, values))[0]
      return db.begin({ text: finishSql, values }, async ({ given }, rows) => {
        const [stored] = rows.map(fromColumns)
        if (stored) await onSettled({ ...stored, acknowledgedAt: undefined }, given)
        return stored
      })
    },
    release,
    related: ({ paymentId, orderId }) =>
      paymentId === undefined
        ? rowsOf(`SELECT * FROM ${operations} WHERE order_id = $1`, [orderId])
        : rowsOf(`SELECT * FROM ${operations} WHERE id = $1 OR payment_id = $1`, [paymentId]),
    get: async (key) => (await rowsOf(`SELECT * FROM ${operations} WHERE key = $1`, [key]))[0],
    list: ({ state, paymentId, before }) =>
      rowsOf(
        `SELECT * FROM ${operations} WHERE ($1::text IS NULL OR state = $1)
           AND ($2::text IS NULL OR id = $2 OR payment_id = $2) AND ($3::bigint IS NULL OR created_at < $3)
         ORDER BY created_at, key`,
        [state, paymentId, before].map(orNull),
      ),
    async countOpen() {
      return toOpenCounts(
        await db.query(`SELECT state, count(*) AS count FROM ${operations} WHERE ${isOpen} GROUP BY state`, []),
      )
    },
    async migrate() {
      await db.script(postgresSchemaSql(schema) + postgresJournalTables(names))
      const [row] = await db.query(`SELECT ${identity} AS identity`, [])
      knownIdentity = row?.['identity'] as string
    },
    async prune() {
      const [row] = await db.query(
        `WITH ${clock},
         claims AS (DELETE FROM ${claims} USING clock WHERE owner IS NULL AND expires_at <= now - $1::bigint),
         removed AS (DELETE FROM ${operations} USING clock
           WHERE state <> 'needs_review' AND finished_at <= now - $1 RETURNING 1),
         shortened AS (UPDATE ${operations} SET body = NULL FROM clock
           WHERE body IS NOT NULL AND finished_at <= now - $2::bigint
             AND (state = 'needs_review' OR finished_at > now - $1) RETURNING 1)
         SELECT (SELECT count(*) FROM removed) + (SELECT count(*) FROM shortened) AS rows`,
        [rememberFor, keepBodiesForMs],
      )
      return Number(row?.['rows'])
    },
  }
}

const orNull = (value: unknown) => value ?? null

function columnsOf(row: NewOperation | (StoredOperation & Ending['row'])): Row {
  const complete: StoredOperation = {
    state: 'planned',
    inFlight: false,
    createdAt: 0,
    attempts: 0,
    lastClaimedAt: 0,
    ...row,
  }
  const values = toColumns(complete)
  return Object.fromEntries(columnNames.map((name, index) => [name, values[index]]))
}

/** Returns a function that runs a statement in the caller's transaction. */
function queryOf(transaction: unknown): (sql: string, values: readonly unknown[]) => Promise<Row[]> {
  const { query, totalCount, unsafe, begin } = Object(transaction)
  if (typeof transaction === 'function' && typeof unsafe === 'function') {
    if (typeof begin === 'function') {
      throw problem(
        'must be the sql of a transaction, which sql.begin passes to its function, instead of the pool itself',
      )
    }
    return async (sql, values) => [...(await unsafe.call(transaction, sql, [...values]))]
  }
  if (typeof query !== 'function') throw problem('must be a client of pg, or the sql of a postgres transaction')
  if (totalCount !== undefined) {
    throw problem('must be a client that pool.connect returned and that has run BEGIN, instead of the pool itself')
  }
  return async (sql, values) => (await query.call(transaction, sql, [...values])).rows
}

function problem(text: string): ConfigurationError {
  return new ConfigurationError(`The transaction ${text}`, { operation: 'operations.plan' })
}
