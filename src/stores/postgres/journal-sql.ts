import { claimTtlMs, crashedBeforeMs, endFields, newFields } from '../../operations/journal.js'
import { comparedOperations } from '../../operations/record.js'
import { isOpen, journalColumns, journalSql, openStatesSql, resourcesOf, sqlTypeOf } from '../journal-columns.js'

// The tables and statements of a journal in PostgreSQL.

export interface JournalNames {
  schema?: string | undefined
  tablePrefix?: string | undefined
}

/** Returns the SQL that creates the tables of a journal. */
export function postgresJournalTables(names: JournalNames): string {
  const { schema, tablePrefix = 'payments_client_' } = names
  return missingIndexesOnly(
    journalSql(tableOf(names), (suffix) => `"${tablePrefix}${suffix}"`, { integer: 'bigint' }),
    schema,
  )
}

const tableOf =
  ({ schema = 'public', tablePrefix = 'payments_client_' }: JournalNames) =>
  (suffix: string) =>
    `"${schema}"."${tablePrefix}${suffix}"`

/** Returns the SQL with which a migration begins. It also creates the schema. */
export function postgresSchemaSql(schema = 'public'): string {
  return `-- One migration at a time: IF NOT EXISTS alone fails when two run concurrently.
SELECT pg_advisory_xact_lock(hashtextextended('payments-client:migrate', 0))::text;
DO $$ BEGIN
  IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF;
END $$;
`
}

/**
 * Returns SQL that creates only the indexes that do not exist. `CREATE INDEX IF NOT EXISTS` locks the table even if the
 * index exists: it would wait for running transactions, and all later transactions would wait for it.
 */
export function missingIndexesOnly(sql: string, schema = 'public'): string {
  return sql.replace(
    /^CREATE INDEX IF NOT EXISTS (\S+) .*;$/gm,
    (statement, index) => `DO $$ BEGIN
  IF to_regclass('"${schema}".${index}') IS NULL THEN ${statement} END IF;
END $$;`,
  )
}

type Field = (typeof journalColumns)[number][0]

const columnOf = Object.fromEntries(journalColumns) as Readonly<Record<Field, string>>

/** Returns the SQL parameters for fields, with their types. */
const parameters = (fields: readonly Field[], first: number) =>
  fields.map((field, index) => `$${first + index}::${sqlTypeOf(field)}`)

const isOld = "state <> 'needs_review' AND finished_at <= now - $1::bigint"

const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/**
 * SQL condition that is always true. As a side effect, COMMIT waits until the transaction is on disk, even with
 * `synchronous_commit = off`. So the record of a request that was sent survives a crash of the database server.
 */
const isDurable = `set_config('synchronous_commit',
  replace(current_setting('synchronous_commit'), 'off', 'on'), true) IS NOT NULL`

const clock = `clock AS MATERIALIZED (SELECT ${nowMs} AS now WHERE ${isDurable})`

/** Returns the statements of a journal. */
export function journalStatements(names: JournalNames) {
  const table = tableOf(names)
  const operations = table('operations')
  const claims = table('claims')
  // Lists every column, because with `*`, prepared statements would fail after a migration that adds a column.
  const columns = journalColumns.map(([, column]) => column)
  const select = `SELECT ${columns} FROM ${operations}`
  const newColumns = newFields.map((field) => columnOf[field])

  /** SQL for a string that identifies the journal's table among all databases on a server. */
  const identity = `current_database() || '.' || '${operations}'::regclass::oid`

  /**
   * Claims the resource of the row in `source` for the owner `$1`. Clears `known` if the previous owner crashed,
   * because that owner's request may have changed the payment. `sent_at` is later than the end of the payment's
   * previous operation, so that the times show the order.
   */
  const claimed = (source: string) => `claimed AS (
    INSERT INTO ${claims} AS c (resource, owner, expires_at) SELECT resource, $1::text, now + ${claimTtlMs} FROM clock, ${source}
    ON CONFLICT (resource) DO UPDATE SET owner = excluded.owner,
      expires_at = greatest(excluded.expires_at, CASE WHEN c.owner IS NULL THEN c.expires_at + 1 + ${claimTtlMs} END),
      known = CASE WHEN c.owner IS NULL THEN c.known END
    WHERE c.owner IS NULL OR c.owner = excluded.owner OR c.expires_at <= excluded.expires_at - ${claimTtlMs}
    RETURNING known, expires_at - ${claimTtlMs} AS sent_at)`

  /** SQL condition: no request was sent. A capture or refund is sent only after `payment_before` is stored. */
  const isUnsent = `(o.operation IN (${comparedOperations.map((name) => `'${name}'`).join(', ')})
    AND o.payment_before IS NULL AND o.state <> 'unknown')`
  const isAmbiguous = `(o.state = 'unknown' OR o.in_flight = 1 AND NOT ${isUnsent})`

  /**
   * SQL condition: the owner of the previous claim may have sent a request. After `resendFor` has passed, a
   * `payments.create` is only looked up, and no longer sent.
   */
  const mayHaveSent = `(o.operation <> 'payments.create' OR o.claimed_at <= o.first_sent_at + o.resend_for)`

  /** SQL that marks an operation as in flight, and counts a request. */
  const mark = (now: string, known: string) => `
    state = CASE WHEN ${isAmbiguous} THEN 'unknown' ELSE 'sent' END, in_flight = 1, claimed_at = ${now},
    attempts = CASE WHEN ${isUnsent} THEN 1 ELSE o.attempts + 1 END,
    first_sent_at = CASE WHEN ${isUnsent} THEN ${now} ELSE coalesce(o.first_sent_at, ${now}) END,
    last_sent_at = CASE WHEN o.in_flight = 1 AND ${mayHaveSent} THEN ${now} - ${crashedBeforeMs} ELSE o.last_sent_at END,
    payment_before = coalesce(o.payment_before, CASE WHEN NOT ${isAmbiguous} THEN ${known} END)`

  const result = (condition: string) => `
    SELECT now, (SELECT count(*) FROM claimed) AS claimed, (SELECT known FROM claimed) AS known,
      (SELECT count(*) FROM begun) AS begun, r.*
    FROM clock LEFT JOIN (
      SELECT ${columns} FROM begun UNION ALL ${select} WHERE ${condition} AND NOT EXISTS (SELECT 1 FROM begun)) r ON true`

  // Every statement locks the operation's row before the claim's row, because statements that lock rows in different
  // orders could deadlock.
  const begin = `
    WITH ${clock},
    given (${newColumns}) AS (SELECT ${parameters(newFields, 2)}),
    existing AS (SELECT fingerprint, state FROM ${operations} WHERE key = $2 FOR UPDATE),
    usable AS (SELECT resource FROM given WHERE NOT EXISTS (
      SELECT 1 FROM existing WHERE fingerprint <> $3 OR NOT ${isOpen})),
    ${claimed('usable')},
    begun AS (
      INSERT INTO ${operations} AS o
        (${newColumns}, state, in_flight, attempts, created_at, claimed_at, first_sent_at, payment_before)
      SELECT given.*, 'sent', 1, 1, now, now, sent_at, known FROM given, clock, claimed
      ON CONFLICT (key) DO UPDATE SET ${mark('excluded.first_sent_at', 'excluded.payment_before')}
      WHERE o.fingerprint = excluded.fingerprint AND o.${isOpen}
      RETURNING *)
    ${result('key = $2')}`

  const claim = (candidate: string) => `
    WITH ${clock}, candidate AS (${candidate}),
    ${claimed('candidate')},
    begun AS (
      UPDATE ${operations} AS o SET ${mark('claimed.sent_at', 'claimed.known')}
      FROM claimed, candidate WHERE o.key = candidate.key AND o.${isOpen} RETURNING o.*),
    claimed_final AS (
      UPDATE ${operations} AS o SET claimed_at = claimed.sent_at
      FROM claimed, candidate WHERE o.key = candidate.key AND NOT o.${isOpen})
    ${result('key = (SELECT key FROM candidate)')}`

  const next = (isWanted: string) =>
    claim(`
      SELECT key, resource FROM ${operations} AS o
      WHERE ${isWanted} AND key <> ALL ($2::text[]) AND NOT EXISTS (
        SELECT 1 FROM ${claims} AS c, clock WHERE c.resource = o.resource AND c.owner IS NOT NULL AND c.expires_at > now)
      ORDER BY claimed_at, created_at, key LIMIT 1 FOR UPDATE SKIP LOCKED`)

  const endValues = parameters(endFields, 6)
  const finish = `
    WITH ${clock},
    ended AS (
      SELECT resource, greatest(now, expires_at - ${claimTtlMs}) AS at FROM ${claims}, clock
      WHERE resource = (SELECT resource FROM ${operations} WHERE key = $1) AND owner = $2),
    finished AS (
      UPDATE ${operations} SET ${endFields.map((field, index) => `${columnOf[field]} = ${endValues[index]}`)}, in_flight = 0,
        last_sent_at = CASE WHEN $4::boolean THEN now ELSE last_sent_at END,
        finished_at = CASE WHEN $6::text NOT IN ${openStatesSql} THEN coalesce(finished_at, ended.at) END,
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
    SELECT ${columns} FROM finished`

  return {
    name: operations,
    begin,
    resume: claim(`SELECT key, resource FROM ${operations} WHERE key = $2 FOR UPDATE`),
    nextOpen: next(isOpen),
    nextUnacknowledged: next('acknowledged_at IS NULL'),
    finish,
    release: `UPDATE ${claims} SET owner = NULL, expires_at = greatest(${nowMs}, expires_at - ${claimTtlMs})
      WHERE resource = $1 AND owner = $2`,
    renew: `UPDATE ${claims} SET expires_at = ${nowMs} + ${claimTtlMs} WHERE resource = $1 AND owner = $2 RETURNING 1`,
    note: `UPDATE ${operations} SET payment_before = $2 WHERE key = $1 AND ${isDurable}`,
    /** Stores a new operation, unless `$1` is the identity of a different table. */
    plan: `
      WITH planned AS (
        INSERT INTO ${operations} (${newColumns}, state, in_flight, attempts, created_at)
        SELECT ${parameters(newFields, 2)}, 'planned', 0, 0, ${nowMs} WHERE $1::text IS NULL OR $1 = ${identity}
        ON CONFLICT (key) DO NOTHING RETURNING fingerprint)
      SELECT ${identity} AS identity, (SELECT fingerprint FROM planned) AS fingerprint`,
    identity: `SELECT ${identity} AS identity`,
    relatedToOrder: `${select} WHERE order_id = $1`,
    relatedToPayment: `${select} WHERE id = $1 OR payment_id = $1`,
    get: `${select} WHERE key = $1`,
    list: `${select} WHERE ($1::text IS NULL OR state = $1)
        AND ($2::text IS NULL OR id = $2 OR payment_id = $2) AND ($3::bigint IS NULL OR created_at < $3)
      ORDER BY created_at, key`,
    countOpen: `SELECT state, count(*) AS count FROM ${operations} WHERE ${isOpen} GROUP BY state`,
    prune: `
      WITH ${clock},
      claims AS (DELETE FROM ${claims} USING clock WHERE owner IS NULL AND expires_at <= now - $1::bigint
        AND resource IN (${resourcesOf(`${operations}, clock`, isOld)})),
      removed AS (DELETE FROM ${operations} USING clock WHERE ${isOld} RETURNING 1),
      shortened AS (UPDATE ${operations} SET body = NULL FROM clock
        WHERE body IS NOT NULL AND finished_at <= now - $2::bigint
          AND (state = 'needs_review' OR finished_at > now - $1) RETURNING 1)
      SELECT (SELECT count(*) FROM removed) + (SELECT count(*) FROM shortened) AS rows`,
  }
}
