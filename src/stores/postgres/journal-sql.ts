import {
  addedColumns,
  claimNames,
  isOpen,
  isOpenPayment,
  journalTables,
  operationNames,
  resourcesOf,
} from '../journal-columns.js'

// The tables and statements of a journal in PostgreSQL.

export interface JournalNames {
  schema?: string | undefined
  tablePrefix?: string | undefined
}

const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

export const tableOf =
  ({ schema = 'public', tablePrefix = 'payments_client_' }: JournalNames) =>
  (suffix: string) =>
    `"${schema}"."${tablePrefix}${suffix}"`

/**
 * Returns the statements that lock a resource until the end of the transaction: `lock` waits, and `tryLock` returns
 * whether it has the lock.
 */
export function lockStatements(names: JournalNames) {
  const lockKey = `hashtextextended($1::text, hashtextextended('${tableOf(names)('operations')}', 0))`
  return {
    lock: `SELECT pg_advisory_xact_lock(${lockKey})::text AS locked`,
    tryLock: `SELECT pg_try_advisory_xact_lock(${lockKey})::text AS locked`,
  }
}

/** Returns the statements of a journal. All results are strings, because libraries read other types differently. */
export function journalStatements(names: JournalNames) {
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
 * Returns the SQL that creates the tables of a journal, and adds the columns that older tables lack. Existing indexes and
 * columns are skipped, because a statement with `IF NOT EXISTS` would still lock the table.
 */
export function postgresJournalTables(names: JournalNames): string {
  const { schema, tablePrefix = 'payments_client_' } = names
  const dialect = { integer: 'bigint' }
  const table = tableOf(names)
  const created = journalTables(table, (suffix) => `"${tablePrefix}${suffix}"`, dialect)
  const added = addedColumns(dialect).map(
    ({ suffix, name, definition }) => `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = '${table(suffix)}'::regclass AND attname = '${name}')
  THEN ALTER TABLE ${table(suffix)} ADD COLUMN ${definition}; END IF;
END $$;
`,
  )
  return missingIndexesOnly(created, schema) + added.join('')
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
