import { openStates, type StoredOperation } from '../operations/record.js'

type Field = keyof StoredOperation

type ColumnType = 'text' | 'json' | 'flag' | 'integer' | 'bigint'

type Column = readonly [name: string, type: ColumnType, constraint?: string, comment?: string]

/** The column of each field of a stored operation. */
const columns: Readonly<Record<Field, Column>> = {
  key: ['key', 'text', 'NOT NULL PRIMARY KEY', 'The idempotency key.'],
  operation: ['operation', 'text', 'NOT NULL'],
  resource: ['resource', 'text', 'NOT NULL', 'The name of the claim: one per payment.'],
  id: ['id', 'text', '', 'The payment that the operation changes.'],
  orderId: ['order_id', 'text'],
  body: ['body', 'text', '', 'The request body as JSON, exactly as it is sent.'],
  fingerprint: ['fingerprint', 'text', 'NOT NULL'],
  state: ['state', 'text', 'NOT NULL', 'planned, sent, unknown, succeeded, rejected, not_executed or needs_review.'],
  inFlight: ['in_flight', 'flag', 'NOT NULL', '1 while a call is running, or after its process died.'],
  createdAt: ['created_at', 'bigint', 'NOT NULL', 'Milliseconds since 1970, as in every column of a time.'],
  firstSentAt: ['first_sent_at', 'bigint'],
  lastSentAt: ['last_sent_at', 'bigint'],
  attempts: ['attempts', 'integer', 'NOT NULL'],
  lastClaimedAt: ['claimed_at', 'bigint', 'NOT NULL DEFAULT 0', 'The time of the latest claim, or 0.'],
  resendFor: ['resend_for', 'bigint', 'NOT NULL'],
  paymentId: ['payment_id', 'text', '', 'The payment that the operation created or changed.'],
  transactionId: ['transaction_id', 'text'],
  status: ['status', 'text'],
  errorId: ['error_id', 'text'],
  reason: ['reason', 'text'],
  before: ['payment_before', 'json', '', 'JSON: the payment before the first request, and further details.'],
  details: ['details', 'json', 'NOT NULL'],
  finishedAt: ['finished_at', 'bigint'],
  acknowledgedAt: ['acknowledged_at', 'bigint'],
}

/** The fields of a stored operation, with the names and types of their columns. */
export const journalColumns = Object.entries(columns).map(
  ([field, [name, type]]) => [field as Field, name, type] as const,
)

/** Returns the type of a field's parameter in PostgreSQL. */
export const sqlTypeOf = (field: Field): string => (fromType[columns[field][1]] === Number ? 'bigint' : 'text')

/** Converts a field to a value for its column. */
export function toColumn(value: StoredOperation[Field]): string | number | null {
  if (value === undefined) return null
  if (typeof value === 'object') return JSON.stringify(value)
  return typeof value === 'boolean' ? Number(value) : value
}

/** For each column type, converts the value that the driver returned. Numbers may be strings or bigints. */
const fromType: Readonly<Record<ColumnType, (value: unknown) => unknown>> = {
  text: (value) => value,
  json: (value) => JSON.parse(String(value)),
  flag: (value) => Number(value) === 1,
  integer: Number,
  bigint: Number,
}

/** Creates a record from a database row. */
export function fromColumns(row: Readonly<Record<string, unknown>>): StoredOperation {
  const operation: Partial<Record<Field, unknown>> = {}
  for (const [field, name, type] of journalColumns) {
    const value = row[name] ?? undefined
    if (value !== undefined) operation[field] = fromType[type](value)
  }
  return operation as StoredOperation
}

/** Returns an SQL query for the resources (keys of claims) of old operations. `isOld` is an SQL condition. */
export const resourcesOf = (operations: string, isOld: string): string =>
  `SELECT resource FROM ${operations} WHERE ${isOld} UNION SELECT 'payment:' || payment_id FROM ${operations} WHERE ${isOld}`

/** The open states as a list in SQL. */
export const openStatesSql = `(${openStates.map((state) => `'${state}'`).join(', ')})`

/** SQL condition for open operations. */
export const isOpen = `state IN ${openStatesSql}`

/**
 * Returns the SQL that creates the tables of a journal, for SQLite and PostgreSQL.
 *
 * @param table Returns the quoted name of a table from its suffix.
 * @param index Returns the quoted name of an index from its suffix.
 * @param dialect.integer The database's type for 64-bit integers.
 * @param dialect.claims SQL options for the table of claims.
 */
export function journalSql(
  table: (suffix: string) => string,
  index: (suffix: string) => string,
  { integer, claims: claimsOptions = '' }: { integer: string; claims?: string },
): string {
  const operations = table('operations')
  const claims = table('claims')
  const types: Readonly<Record<ColumnType, string>> = {
    text: 'text',
    json: 'text',
    flag: 'smallint',
    integer: 'integer',
    bigint: integer,
  }
  const definitions = Object.values(columns).map(([name, type, constraint, comment]) => {
    const definition = `  ${[name, types[type], constraint].filter(Boolean).join(' ')}`
    return comment ? `  -- ${comment}\n${definition}` : definition
  })
  return `CREATE TABLE IF NOT EXISTS ${operations} (
${definitions.join(',\n')}
);
CREATE INDEX IF NOT EXISTS ${index('operations_open')} ON ${operations} (claimed_at, created_at, key) WHERE ${isOpen};
CREATE INDEX IF NOT EXISTS ${index('operations_new')} ON ${operations} (claimed_at, created_at, key) WHERE acknowledged_at IS NULL;
CREATE INDEX IF NOT EXISTS ${index('operations_id')} ON ${operations} (id) WHERE id IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${index('operations_payment')} ON ${operations} (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${index('operations_order')} ON ${operations} (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${index('operations_finished')} ON ${operations} (finished_at) WHERE finished_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS ${claims} (
  resource text NOT NULL PRIMARY KEY,
  -- NULL if no process has the claim.
  owner text,
  expires_at ${integer} NOT NULL,
  -- JSON: a snapshot of the payment after its latest operation.
  known text
)${claimsOptions};
`
}
