import { DamagedRecord } from '../operations/journal.js'
import {
  finalStates,
  journaledOperations,
  type OperationState,
  openStates,
  type StoredOperation,
} from '../operations/record.js'
import { type Claim, unfinishedStates } from '../operations/rules.js'

type Field = keyof StoredOperation

type ColumnType = 'text' | 'json' | 'flag' | 'integer' | 'bigint'

interface Column {
  readonly name: string
  readonly type: ColumnType
  readonly constraint?: string
  readonly comment?: string
  /** The number of the migration that adds the column to an older table. */
  readonly migration?: number
}

const text = (name: string, more?: Partial<Column>): Column => ({ name, type: 'text', ...more })
const bigint = (name: string, more?: Partial<Column>): Column => ({ name, type: 'bigint', ...more })
const constraint = 'NOT NULL'
const migration = 2

/** The column of each field of a stored operation. */
const columns: Readonly<Record<Field, Column>> = {
  key: text('key', { constraint: 'NOT NULL PRIMARY KEY', comment: 'The idempotency key.' }),
  operation: text('operation', { constraint }),
  resource: text('resource', {
    constraint,
    comment: 'The claim: one per payment, and one per order for payments.create.',
  }),
  id: text('id', { comment: 'The payment that the operation changes.' }),
  orderId: text('order_id'),
  body: text('body', { comment: 'The request body as JSON, exactly as it is sent.' }),
  fingerprint: text('fingerprint', { constraint }),
  state: text('state', {
    constraint,
    comment: 'planned, sent, unknown, succeeded, rejected, not_executed or needs_review.',
  }),
  inFlight: {
    name: 'in_flight',
    type: 'flag',
    constraint,
    comment: '1 while a call is running, or after its process died.',
  },
  createdAt: bigint('created_at', { constraint, comment: 'Milliseconds since 1970, as in every column of a time.' }),
  firstSentAt: bigint('first_sent_at'),
  lastSentAt: bigint('last_sent_at'),
  attempts: { name: 'attempts', type: 'integer', constraint },
  lastClaimedAt: bigint('claimed_at', {
    constraint: 'NOT NULL DEFAULT 0',
    comment: 'The time of the latest claim, or 0.',
  }),
  resendFor: bigint('resend_for', { constraint }),
  paymentId: text('payment_id', { comment: 'The payment that the operation created or changed.' }),
  transactionId: text('transaction_id'),
  status: text('status'),
  errorId: text('error_id'),
  reason: text('reason'),
  before: { name: 'payment_before', type: 'json', comment: 'JSON: the payment before the first request.' },
  details: { name: 'details', type: 'json', constraint, comment: 'JSON: further details.' },
  finishedAt: bigint('finished_at'),
  acknowledgedAt: bigint('acknowledged_at'),
  baseUrl: text('base_url', { migration, comment: 'The service that the operation belongs to.' }),
  apiVersion: text('api_version', { migration }),
  notBefore: bigint('not_before', { migration, comment: 'The time until which recover waits.' }),
}

const claimColumns: readonly Column[] = [
  text('resource', { constraint: 'NOT NULL PRIMARY KEY' }),
  text('owner', { comment: 'NULL if no process has the claim.' }),
  bigint('expires_at', { constraint }),
  text('known', { comment: 'JSON: a snapshot of the payment after its latest operation.' }),
  text('key', { migration, comment: 'The operation for which the resource is claimed.' }),
]

export const operationNames = Object.values(columns).map(({ name }) => name)
export const claimNames = claimColumns.map(({ name }) => name)

type Values = Record<string, string | number | null>

/** Converts a record to the values of its columns. */
export function toColumns(row: StoredOperation): Values {
  const values = Object.entries(columns).map(([field, { name, type }]) => {
    const value = row[field as Field]
    if (value === undefined) return [name, null]
    return [name, type === 'json' ? JSON.stringify(value) : type === 'flag' ? Number(value) : value]
  })
  return Object.fromEntries(values)
}

/** Creates a record from the JSON object of its columns. */
export function fromColumns(json: string): StoredOperation {
  const row = JSON.parse(json) as Record<string, unknown>
  const damaged = (problem: string) => new DamagedRecord(String(row['key']), problem)
  const operation: Partial<Record<Field, unknown>> = {}
  for (const [field, { name, type, constraint }] of Object.entries(columns)) {
    const value = row[name] ?? undefined
    if (value !== undefined) operation[field as Field] = readColumn(value, type, () => damaged(`${name} is not valid`))
    else if (constraint) throw damaged(`${name} is missing`)
  }
  const { state, operation: name, body } = operation as unknown as StoredOperation
  if (![...openStates, ...finalStates].includes(state)) throw damaged('its state is unknown')
  if (!journaledOperations.includes(name)) throw damaged('its operation is unknown')
  if (body !== undefined) parseJson(body, () => damaged('body is not JSON'))
  return operation as unknown as StoredOperation
}

function readColumn(value: unknown, type: ColumnType, invalid: () => Error): unknown {
  if (type === 'text' || type === 'json') {
    if (typeof value !== 'string') throw invalid()
    const read = type === 'text' ? value : parseJson(value, invalid)
    if (type === 'json' && Object(read) !== read) throw invalid()
    return read
  }
  if (typeof value !== 'number') throw invalid()
  return type === 'flag' ? value === 1 : value
}

function parseJson(text: string, invalid: () => Error): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid()
  }
}

/** Reads a record for a list, which contains the problem instead of a record that cannot be read. */
export function fromColumnsOrDamaged(json: string): StoredOperation | DamagedRecord {
  try {
    return fromColumns(json)
  } catch (error) {
    if (error instanceof DamagedRecord) return error
    throw error
  }
}

export function toClaimColumns(resource: string, { owner, key, expiresAt, known }: Claim): Values {
  const json = known === undefined ? null : JSON.stringify(known)
  return { resource, owner: owner ?? null, expires_at: expiresAt, known: json, key: key ?? null }
}

export function fromClaimColumns(json: string): Claim {
  const { owner, key, expires_at: expiresAt, known } = JSON.parse(json)
  return { owner: owner ?? undefined, key: key ?? undefined, expiresAt, known: known ? JSON.parse(known) : undefined }
}

const listOf = (states: readonly OperationState[]) => `(${states.map((state) => `'${state}'`).join(', ')})`

/** SQL condition for open operations. */
export const isOpen = `state IN ${listOf(openStates)}`

/** SQL condition for a `payments.create` that prevents another one of the same order. */
export const isOpenPayment = `operation = 'payments.create' AND state IN ${listOf(unfinishedStates)}`

/** Returns an SQL query for the resources (keys of claims) of old operations. `isOld` is an SQL condition. */
export const resourcesOf = (operations: string, isOld: string): string =>
  `SELECT resource FROM ${operations} WHERE ${isOld} UNION SELECT 'payment:' || payment_id FROM ${operations} WHERE ${isOld}`

interface Dialect {
  /** The database's type for 64-bit integers. */
  readonly integer: string
  /** SQL options for the table of claims. */
  readonly claims?: string
}

const typeIn = (type: ColumnType, { integer }: Dialect) =>
  ({ text: 'text', json: 'text', flag: 'smallint', integer: 'integer', bigint: integer })[type]

const definitionOf = ({ name, type, constraint }: Column, dialect: Dialect) =>
  [name, typeIn(type, dialect), constraint].filter(Boolean).join(' ')

/**
 * Returns the SQL that creates the tables of a journal, for SQLite and PostgreSQL.
 *
 * @param table Returns the quoted name of a table from its suffix.
 * @param index Returns the quoted name of an index from its suffix.
 */
export function journalTables(
  table: (suffix: string) => string,
  index: (suffix: string) => string,
  dialect: Dialect,
): string {
  const operations = table('operations')
  const create = (name: string, definitions: readonly Column[], options = '') => {
    const lines = definitions.map((column) => {
      const definition = `  ${definitionOf(column, dialect)}`
      return column.comment ? `  -- ${column.comment}\n${definition}` : definition
    })
    return `CREATE TABLE IF NOT EXISTS ${name} (\n${lines.join(',\n')}\n)${options};\n`
  }
  const createIndex = (suffix: string, indexed: string, condition: string) =>
    `CREATE INDEX IF NOT EXISTS ${index(suffix)} ON ${operations} (${indexed}) WHERE ${condition};\n`
  return [
    create(operations, Object.values(columns)),
    createIndex('operations_open', 'claimed_at, created_at, key', isOpen),
    createIndex('operations_new', 'claimed_at, created_at, key', 'acknowledged_at IS NULL'),
    createIndex('operations_id', 'id', 'id IS NOT NULL'),
    createIndex('operations_payment', 'payment_id', 'payment_id IS NOT NULL'),
    createIndex('operations_order', 'order_id', 'order_id IS NOT NULL'),
    createIndex('operations_finished', 'finished_at', 'finished_at IS NOT NULL'),
    create(table('claims'), claimColumns, dialect.claims),
  ].join('')
}

/** Returns the columns that older tables lack, in the order of their migrations, and their definitions. */
export function addedColumns(dialect: Dialect): { suffix: string; name: string; definition: string }[] {
  const all = [
    ...Object.values(columns).map((column) => ({ suffix: 'operations', column })),
    ...claimColumns.map((column) => ({ suffix: 'claims', column })),
  ]
  return all
    .filter(({ column }) => column.migration !== undefined)
    .sort((a, b) => Number(a.column.migration) - Number(b.column.migration))
    .map(({ suffix, column }) => ({ suffix, name: column.name, definition: definitionOf(column, dialect) }))
}
