import { creationSql, type Dialect, type Table } from '../tables.js'

/** The schema and the prefix of all table names. */
export interface Names {
  readonly schema?: string | undefined
  readonly tablePrefix?: string | undefined
}

export const dialect: Dialect = {
  types: {
    text: 'text',
    json: 'text',
    flag: 'smallint',
    boolean: 'boolean',
    integer: 'integer',
    bigint: 'bigint',
    double: 'double precision',
    time: 'timestamptz',
  },
  nowMs: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  now: 'clock_timestamp()',
  after: (ms) => `clock_timestamp() + CAST(${ms} AS float8) * interval '1 millisecond'`,
  jsonObject: 'json_build_object',
  elements: (json) => `SELECT json_array_elements_text(${json}::json)`,
  forUpdate: 'FOR UPDATE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  activity: `SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del), 0)::text
    AS activity FROM pg_stat_xact_user_tables`,
}

/** Returns a function that converts the suffix of a table to its full, quoted name. */
export const tableOf =
  ({ schema = 'public', tablePrefix = 'payments_client_' }: Names) =>
  (suffix: string) =>
    `"${schema}"."${tablePrefix}${suffix}"`

/**
 * Returns two statements that lock a resource until the transaction ends. `lock` waits for the lock. `tryLock` does
 * not wait, and returns whether it got the lock.
 *
 * Both also make COMMIT wait until the data is on disk, even with `synchronous_commit = off`. The record of a sent
 * request therefore survives a crash of the database server.
 */
export function lockStatements(names: Names) {
  const lockKey = `hashtextextended($1::text, hashtextextended('${tableOf(names)('operations')}', 0))`
  const durable = `set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)`
  return {
    lock: `SELECT pg_advisory_xact_lock(${lockKey})::text AS locked, ${durable} AS durability`,
    tryLock: `SELECT pg_try_advisory_xact_lock(${lockKey})::text AS locked, ${durable} AS durability`,
  }
}

/** Returns the SQL that creates or upgrades tables and their schema. */
export function migrationOf(tables: readonly Table[], names: Names): string {
  const { schema = 'public', tablePrefix = 'payments_client_' } = names
  const table = tableOf(names)
  const begin = `-- One migration at a time: IF NOT EXISTS alone fails when two run concurrently.
SELECT pg_advisory_xact_lock(hashtextextended('payments-client:migrate', 0))::text;
DO $$ BEGIN
  IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF;
END $$;
`
  return begin + creationSql(tables, dialect, { table, createIndex, addColumns })

  /**
   * Avoids `IF NOT EXISTS`, which locks the table even if the index exists: the statement would wait for running
   * transactions, and all later transactions would wait for the statement.
   */
  function createIndex(suffix: string, definition: string): string {
    return `DO $$ BEGIN
  IF to_regclass('${table(suffix)}') IS NULL THEN CREATE INDEX "${tablePrefix}${suffix}" ${definition}; END IF;
END $$;
`
  }
}

/** Skips existing columns, because a statement with `IF NOT EXISTS` would still lock the table. */
function addColumns(table: string, definitions: ReadonlyMap<string, string>): string {
  const values = [...definitions].map(([name, definition]) => `('${name}', '${definition}')`)
  return `DO $$ DECLARE definition text; BEGIN
  FOR definition IN SELECT columns.definition FROM (VALUES ${values.join(', ')}) AS columns (name, definition)
    WHERE name NOT IN (SELECT attname FROM pg_attribute WHERE attrelid = '${table}'::regclass)
  LOOP EXECUTE 'ALTER TABLE ${table} ADD COLUMN ' || definition; END LOOP;
END $$;
`
}
