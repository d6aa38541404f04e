import type { StoredOperation } from '../operations/record.js'

/** The column of each field of a stored operation. */
const columns = {
  key: 'key',
  operation: 'operation',
  resource: 'resource',
  id: 'id',
  orderId: 'order_id',
  body: 'body',
  fingerprint: 'fingerprint',
  state: 'state',
  inFlight: 'in_flight',
  createdAt: 'created_at',
  firstSentAt: 'first_sent_at',
  lastSentAt: 'last_sent_at',
  attempts: 'attempts',
  lastClaimedAt: 'claimed_at',
  resendFor: 'resend_for',
  paymentId: 'payment_id',
  transactionId: 'transaction_id',
  status: 'status',
  errorId: 'error_id',
  reason: 'reason',
  before: 'payment_before',
  details: 'details',
  finishedAt: 'finished_at',
  acknowledgedAt: 'acknowledged_at',
} as const satisfies Record<keyof StoredOperation, string>

type Field = keyof StoredOperation

/** The fields of a stored operation, with their columns. */
export const journalColumns = Object.entries(columns) as readonly [Field, string][]

const jsonFields: ReadonlySet<Field> = new Set<Field>(['before', 'details'])
const numberFields: ReadonlySet<Field> = new Set<Field>([
  'createdAt',
  'firstSentAt',
  'lastSentAt',
  'attempts',
  'lastClaimedAt',
  'resendFor',
  'finishedAt',
  'acknowledgedAt',
])

/** Returns the type of a field's parameter in PostgreSQL. */
export const sqlTypeOf = (field: Field): string => (numberFields.has(field) ? 'bigint' : 'text')

/** Converts a field to a value for its column. */
export function toColumn(value: StoredOperation[Field]): string | number | null {
  if (value === undefined) return null
  if (typeof value === 'object') return JSON.stringify(value)
  return typeof value === 'boolean' ? Number(value) : value
}

/** Creates a record from a database row. The row's numbers may be strings or bigints. */
export function fromColumns(row: Readonly<Record<string, unknown>>): StoredOperation {
  const operation: Partial<Record<Field, unknown>> = {}
  for (const [field, column] of journalColumns) {
    const value = row[column]
    if (value === null || value === undefined) continue
    if (jsonFields.has(field)) operation[field] = JSON.parse(String(value))
    else if (field === 'inFlight') operation[field] = Number(value) === 1
    else operation[field] = numberFields.has(field) ? Number(value) : value
  }
  return operation as StoredOperation
}

/** Returns a query for the names of the claims that belong to old operations. `isOld` is an SQL condition. */
export const resourcesOf = (operations: string, isOld: string): string =>
  `SELECT resource FROM ${operations} WHERE ${isOld} UNION SELECT 'payment:' || payment_id FROM ${operations} WHERE ${isOld}`

/**
 * Returns the SQL that creates the tables of a journal, for SQLite and PostgreSQL.
 *
 * @param table Returns the quoted name of a table or index from its suffix.
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
  const states = "state IN ('planned', 'sent', 'unknown')"
  return `CREATE TABLE IF NOT EXISTS ${operations} (
  -- The idempotency key.
  key text NOT NULL PRIMARY KEY,
  operation text NOT NULL,
  -- The name of the claim that a process needs to send the operation.
  resource text NOT NULL,
  -- The payment that the operation changes.
  id text,
  order_id text,
  -- The request body as JSON, exactly as it is sent.
  body text,
  fingerprint text NOT NULL,
  -- planned, sent, unknown, succeeded, rejected, not_executed or needs_review.
  state text NOT NULL,
  -- 1 while a call is running. Stays 1 if its process crashes.
  in_flight smallint NOT NULL,
  -- All times are in milliseconds since 1970.
  created_at ${integer} NOT NULL,
  first_sent_at ${integer},
  last_sent_at ${integer},
  attempts integer NOT NULL,
  -- The time of the latest claim, or 0.
  claimed_at ${integer} NOT NULL DEFAULT 0,
  resend_for ${integer} NOT NULL,
  -- The payment that the operation created or changed.
  payment_id text,
  transaction_id text,
  status text,
  error_id text,
  reason text,
  -- JSON: a snapshot of the payment before the first request, and further details.
  payment_before text,
  details text NOT NULL,
  finished_at ${integer},
  acknowledged_at ${integer}
);
CREATE INDEX IF NOT EXISTS ${index('operations_open')} ON ${operations} (claimed_at, created_at, key) WHERE ${states};
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
