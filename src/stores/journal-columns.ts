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

export const columnNames = Object.values(columns)

type Field = keyof StoredOperation

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

/** Returns the values of a record's columns, in the order of `columnNames`. */
export function toColumns(row: StoredOperation): (string | number | null)[] {
  return (Object.keys(columns) as Field[]).map((field) => {
    const value = row[field] ?? null
    if (typeof value === 'object') return value && JSON.stringify(value)
    return typeof value === 'boolean' ? Number(value) : value
  })
}

/** Creates a record from a row of a database. Its numbers may be strings or bigints. */
export function fromColumns(row: Readonly<Record<string, unknown>>): StoredOperation {
  const fields = (Object.entries(columns) as [Field, string][]).flatMap(([field, column]): [Field, unknown][] => {
    const value = row[column]
    if (value === null || value === undefined) return []
    if (jsonFields.has(field)) return [[field, JSON.parse(String(value))]]
    if (field === 'inFlight') return [[field, Number(value) === 1]]
    return [[field, numberFields.has(field) ? Number(value) : value]]
  })
  return Object.fromEntries(fields) as unknown as StoredOperation
}

/**
 * Returns the SQL that creates the tables of a journal, for SQLite and PostgreSQL.
 *
 * @param table Returns the quoted name of a table or index from its suffix.
 * @param big The type of integers with 64 bits.
 */
export function journalSql(table: (suffix: string) => string, index: (suffix: string) => string, big: string): string {
  const operations = table('operations')
  const claims = table('claims')
  const states = "state IN ('planned', 'sent', 'unknown')"
  return `CREATE TABLE IF NOT EXISTS ${operations} (
  -- The idempotency key.
  key text NOT NULL PRIMARY KEY,
  operation text NOT NULL,
  -- The name of the claim: one per payment.
  resource text NOT NULL,
  -- The payment that the operation changes.
  id text,
  order_id text,
  -- The request body as JSON, exactly as it is sent.
  body text,
  fingerprint text NOT NULL,
  -- planned, sent, unknown, succeeded, rejected, not_executed or needs_review.
  state text NOT NULL,
  -- 1 while a call is running, or after its process died.
  in_flight smallint NOT NULL,
  -- Milliseconds since 1970, as in every column of a time.
  created_at ${big} NOT NULL,
  first_sent_at ${big},
  last_sent_at ${big},
  attempts integer NOT NULL,
  -- The time of the latest claim, or 0.
  claimed_at ${big} NOT NULL DEFAULT 0,
  resend_for ${big} NOT NULL,
  -- The payment that the operation created or changed.
  payment_id text,
  transaction_id text,
  status text,
  error_id text,
  reason text,
  -- JSON: the payment before the first request, and further details.
  payment_before text,
  details text NOT NULL,
  finished_at ${big},
  acknowledged_at ${big}
);
CREATE INDEX IF NOT EXISTS ${index('operations_open')} ON ${operations} (claimed_at, created_at, key) WHERE ${states};
CREATE INDEX IF NOT EXISTS ${index('operations_new')} ON ${operations} (claimed_at, created_at, key) WHERE ${states} OR acknowledged_at IS NULL;
CREATE INDEX IF NOT EXISTS ${index('operations_id')} ON ${operations} (id);
CREATE INDEX IF NOT EXISTS ${index('operations_payment')} ON ${operations} (payment_id);
CREATE INDEX IF NOT EXISTS ${index('operations_order')} ON ${operations} (order_id);
CREATE INDEX IF NOT EXISTS ${index('operations_finished')} ON ${operations} (finished_at);
CREATE TABLE IF NOT EXISTS ${claims} (
  resource text NOT NULL PRIMARY KEY,
  -- NULL if no process has the claim.
  owner text,
  expires_at ${big} NOT NULL,
  -- JSON: the payment after its latest operation.
  known text
);
CREATE INDEX IF NOT EXISTS ${index('claims_expiry')} ON ${claims} (expires_at);
`
}
