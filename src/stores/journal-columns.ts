import * as z from 'zod'
import { journaled } from '../operations/effects.js'
import { DamagedRecord } from '../operations/journal.js'
import {
  finalStates,
  type JournaledOperation,
  type OperationState,
  openStates,
  type StoredOperation,
} from '../operations/record.js'
import { type Claim, unfinishedStates } from '../operations/rules.js'
import type { Value } from './steps.js'
import { type Column, type ColumnType, type Table, webhookTables } from './tables.js'

type Field = keyof StoredOperation

type Details = Omit<Column, 'name' | 'type'>

const text = (name: string, more?: Details) => ({ name, type: 'text', ...more }) as const
const bigint = (name: string, more?: Details) => ({ name, type: 'bigint', ...more }) as const
const constraint = 'NOT NULL'

/** The column of each field of a stored operation. */
const columns: Readonly<Record<Field, Column & { readonly type: keyof typeof types }>> = {
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
  baseUrl: text('base_url', { comment: 'The service that the operation belongs to.' }),
  apiVersion: text('api_version'),
  notBefore: bigint('not_before', { comment: 'The time until which recover waits.' }),
}

const claimColumns: readonly Column[] = [
  text('resource', { constraint: 'NOT NULL PRIMARY KEY' }),
  text('owner', { comment: 'NULL if no process has the claim.' }),
  bigint('expires_at', { constraint }),
  text('known', { comment: 'JSON: a snapshot of the payment after its latest operation.' }),
  text('key', { comment: 'The operation for which the resource is claimed.' }),
]

const isJson = (text: string) => JSON.parse(text) !== undefined

/** The schema for the values of each column type. */
const types = {
  text: z.string(),
  json: z.string().transform((text) => z.looseObject({}).parse(JSON.parse(text))),
  flag: z.number().transform((value) => value === 1),
  integer: z.number(),
  bigint: z.number(),
} satisfies Partial<Record<ColumnType, z.ZodType>>

/** Stricter schemas for the values of some fields. */
const strictFields: Partial<Record<Field, z.ZodType>> = {
  state: z.enum([...openStates, ...finalStates]),
  operation: z.enum(Object.keys(journaled) as JournaledOperation[]),
  body: z.string().refine(isJson),
}

/** Converts a record to the values of its columns. */
export function toColumns(row: StoredOperation): Value[] {
  return Object.entries(columns).map(([field, { type }]) => {
    const value = row[field as Field] ?? null
    if (value === null) return null
    return type === 'json' ? JSON.stringify(value) : String(type === 'flag' ? Number(value) : value)
  })
}

/**
 * Creates a record from the JSON object of its columns.
 *
 * @throws {DamagedRecord} A column is missing or invalid.
 */
export function fromColumns(json: string): StoredOperation {
  const row = JSON.parse(json)
  const operation: Partial<Record<Field, unknown>> = {}
  for (const [name, { name: column, type, constraint }] of Object.entries(columns)) {
    const [field, value] = [name as Field, row[column] ?? undefined]
    try {
      if (value !== undefined || constraint) operation[field] = (strictFields[field] ?? types[type]).parse(value)
    } catch {
      throw new DamagedRecord(String(row.key), `the column ${column} is missing or invalid`)
    }
  }
  return operation as unknown as StoredOperation
}

/** Reads a record for a list. If the record is damaged, returns the error instead of throwing it. */
export function fromColumnsOrDamaged(json: string): StoredOperation | DamagedRecord {
  try {
    return fromColumns(json)
  } catch (error) {
    if (error instanceof DamagedRecord) return error
    throw error
  }
}

/** Converts a claim to the values of its columns. */
export function toClaimColumns(resource: string, { owner, expiresAt, known, key }: Claim): Value[] {
  return [resource, owner ?? null, String(expiresAt), known ? JSON.stringify(known) : null, key ?? null]
}

/** Creates a claim from the JSON object of its columns. */
export function fromClaimColumns(json: string): Claim {
  const { owner, key, expires_at: expiresAt, known } = JSON.parse(json)
  return { owner: owner ?? undefined, key: key ?? undefined, expiresAt, known: known ? JSON.parse(known) : undefined }
}

const listOf = (states: readonly OperationState[]) => `(${states.map((state) => `'${state}'`).join(', ')})`

/** SQL condition for open operations. A damaged state counts as open, so that `recover` reports the record. */
export const isOpen = `state NOT IN ${listOf(finalStates)}`

/** SQL condition for a `payments.create` that blocks another one for the same order. */
export const isOpenPayment = `operation = 'payments.create' AND state IN ${listOf(unfinishedStates)}`

export const journalTables: readonly Table[] = [
  {
    name: 'operations',
    columns: Object.values(columns),
    indexes: [
      { name: 'operations_open', columns: 'claimed_at, created_at, key', condition: isOpen },
      { name: 'operations_new', columns: 'claimed_at, created_at, key', condition: 'acknowledged_at IS NULL' },
      { name: 'operations_id', columns: 'id', condition: 'id IS NOT NULL' },
      { name: 'operations_payment', columns: 'payment_id', condition: 'payment_id IS NOT NULL' },
      { name: 'operations_order', columns: 'order_id', condition: 'order_id IS NOT NULL' },
      { name: 'operations_finished', columns: 'finished_at', condition: 'finished_at IS NOT NULL' },
    ],
  },
  { name: 'claims', columns: claimColumns, indexes: [] },
]

/** The tables of a webhook store and of a journal. */
export const storeTables: readonly Table[] = [...webhookTables, ...journalTables]
