import { identifier, rememberFor, type StoreOptions, storeOptions } from '../store-options.js'
import { missingIndexesOnly, postgresJournalTables, postgresSchemaSql } from './journal-sql.js'

/** Options for the PostgreSQL stores. */
export interface PostgresStoreOptions extends StoreOptions {
  /** Schema of the tables. @default 'public' */
  schema?: string
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

export const storeRules = { rememberFor, schema: identifier, tablePrefix: identifier }

/** Returns the quoted names of the tables. */
export function tables({ schema = 'public', tablePrefix = 'payments_client_' }: PostgresStoreOptions) {
  const table = (name: string) => `"${schema}"."${tablePrefix}${name}"`
  return { schema, webhooks: table('webhooks'), resources: table('resources') }
}

const indexOf = (table: string) => `${table.split('.')[1]?.slice(0, -1)}_expiry"`

/**
 * Returns the SQL that creates the schema and the tables. Use it if you run migrations with another tool.
 *
 * @throws {ConfigurationError} An option is invalid.
 */
export function migrationSql(options?: PostgresStoreOptions): string {
  const { schema, webhooks, resources } = tables(storeOptions(options, storeRules))
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
`
  return postgresSchemaSql(schema) + missingIndexesOnly(ownTables, schema) + postgresJournalTables(options ?? {})
}
