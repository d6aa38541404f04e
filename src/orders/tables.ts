import { storableText } from '../operations/rules.js'
import { factTables, type Known, type Observation, valuesOf } from './facts.js'
import type { ChangeCause, Order } from './types.js'

export interface Statement {
  readonly sql: string
  readonly values: readonly (string | null)[]
}

/** One step of a transaction: a statement, or a function that receives the transaction. */
export type Step = Statement | ((transaction: unknown) => unknown)

/**
 * A piece of a transaction. Yields its steps instead of performing them, so that the same code runs on the asynchronous
 * drivers of PostgreSQL and on the synchronous drivers of SQLite.
 */
export type Work<T> = Generator<Step, T, unknown>

/** Performs the steps of a piece of work one after another. Returns a promise only if a step returns one. */
export function run<T>(work: Work<T>, perform: (step: Step) => unknown): T | Promise<T> {
  const proceed = (result?: unknown): T | Promise<T> => {
    let step = work.next(result)
    while (!step.done) {
      const performed = perform(step.value)
      if (performed instanceof Promise) return performed.then(proceed)
      step = work.next(performed)
    }
    return step.value
  }
  return proceed()
}

/** The columns of each table, by the properties that they store. The first column is the primary key. */
const columns = {
  orders: {
    ...{ id: 'text', state: 'text', amount: 'bigint', currencyCode: 'text', captured: 'bigint', refunded: 'bigint' },
    ...{ mayShip: 'boolean', needsReview: 'boolean', disputed: 'boolean', paymentId: 'text' },
    // The time of the latest change in milliseconds since 1970, and the cause of a change that `onChange` has not seen.
    ...{ changedAt: 'bigint', unseenCause: 'text', facts: 'text' },
  },
  payments: {
    ...{ id: 'text', orderId: 'text', status: 'text', amount: 'bigint', currencyCode: 'text', captured: 'bigint' },
    // Times of the service: as text, and in milliseconds since 1970.
    ...{ dateUpdated: 'text', createdAt: 'bigint', updatedAt: 'bigint', facts: 'text' },
  },
  refunds: {
    ...{ id: 'text', orderId: 'text', paymentId: 'text', transactionId: 'text', amount: 'bigint', status: 'text' },
    facts: 'text',
  },
  disputes: {
    ...{ id: 'text', orderId: 'text', paymentId: 'text', disputeId: 'text', type: 'text', status: 'text' },
    ...{ amount: 'bigint', challengeRequiredBy: 'text', receivedAt: 'text', facts: 'text' },
  },
  decisions: {
    ...{ key: 'text', orderId: 'text', kind: 'text', id: 'text', number: 'bigint', amount: 'bigint', state: 'text' },
    ...{ status: 'text', paymentId: 'text', transactionId: 'text', errorId: 'text', reason: 'text', facts: 'text' },
  },
  // The time of the service up to which `sync` has read its list.
  watermarks: { name: 'text', value: 'text' },
} as const satisfies Record<string, Record<string, 'text' | 'bigint' | 'boolean'>>

export type TableName = keyof typeof columns

const indexes = [
  ['orders', 'changed_at'],
  ['payments', 'order_id'],
  ['payments', 'updated_at'],
  ['refunds', 'payment_id'],
  ['disputes', 'order_id'],
  ['disputes', 'payment_id'],
  ['disputes', 'dispute_id'],
  ['decisions', 'order_id'],
] as const

const toColumn = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** SQL for a parameter. The cast is necessary because some libraries number and type parameters themselves. */
export const parameter = (number: number, type = 'text') =>
  type === 'text' ? `CAST($${number} AS text)` : `CAST(CAST($${number} AS text) AS ${type})`

/** Everything that the tables contain about an order. */
export interface Loaded {
  readonly known: Known
  readonly order: Order | undefined
  /** The cause of the first change that `onChange` has not received. */
  readonly unseenCause?: ChangeCause | undefined
}

/** The tables of one shop. The SQL is the same for PostgreSQL and SQLite. */
export class Tables {
  /** @param name Returns the quoted name of a table. */
  constructor(readonly name: (table: string) => string) {}

  /** Returns the SQL that creates the tables and their indexes, unless they exist. */
  migration(): string {
    const tables = Object.entries(columns).map(([table, types]) => {
      const definitions = Object.entries(types).map(([property, type]) => `${toColumn(property)} ${type}`)
      const [key, ...others] = definitions
      return `CREATE TABLE IF NOT EXISTS ${this.name(table)} (\n  ${[`${key} PRIMARY KEY`, ...others].join(',\n  ')}\n);\n`
    })
    const created = indexes.map(([table, column]) => {
      const name = `${this.name(table).split('.').at(-1)?.slice(0, -1)}_${column}"`
      return `CREATE INDEX IF NOT EXISTS ${name} ON ${this.name(table)} (${column});\n`
    })
    return [...tables, ...created].join('')
  }

  /** Returns rows of strings, in the order of the statement's columns. Libraries rename columns and convert values. */
  *select(sql: string, ...values: (string | number | null)[]): Work<string[][]> {
    const texts = values.map((value) => (value === null ? null : storableText(String(value))))
    const rows = (yield { sql, values: texts }) as object[]
    return rows.map((row) => Object.values(row).map(String))
  }

  /** Loads an order, and the disputes that may belong to it. */
  *load(orderId: string | undefined, paymentId?: string, disputeId?: string): Work<Loaded> {
    const payments = `SELECT id FROM ${this.name('payments')} WHERE order_id = ${parameter(1)}`
    const ofOrder = `order_id = ${parameter(1)} OR payment_id IN (${payments})`
    const mayBelong = `${ofOrder} OR payment_id = ${parameter(2)} OR dispute_id = ${parameter(3)}`
    const disputes = `SELECT dispute_id FROM ${this.name('disputes')} WHERE ${mayBelong}`
    const conditions = {
      orders: `id = ${parameter(1)}`,
      payments: `order_id = ${parameter(1)}`,
      refunds: ofOrder,
      disputes: `${mayBelong} OR dispute_id IN (${disputes})`,
      decisions: `order_id = ${parameter(1)}`,
    }
    const parts = Object.entries(conditions).map(([table, condition]) => {
      const key = table === 'decisions' ? 'key' : 'id'
      return `SELECT '${table}' AS kind, ${key} AS name, facts FROM ${this.name(table)} WHERE ${condition}`
    })
    const keys = [orderId ?? null, paymentId ?? null, disputeId ?? null]
    const rows = yield* this.select(parts.join(' UNION ALL '), ...keys)
    const known = Object.fromEntries(factTables.map((table) => [table, new Map()])) as unknown as Known
    let stored: Omit<Loaded, 'known'> = { order: undefined }
    for (const [table, id = '', facts = ''] of rows) {
      if (table === 'orders') stored = JSON.parse(facts)
      else known[table as keyof Known].set(id, JSON.parse(facts))
    }
    return { known, ...stored }
  }

  /** Stores changed rows, and deletes those without facts. */
  *saveAll(changed: readonly Observation[]): Work<void> {
    for (const row of changed) {
      const isReplaced = Object.keys(row.facts).length === 0
      if (isReplaced) yield { sql: `DELETE FROM ${this.name(row.table)} WHERE id = ${parameter(1)}`, values: [row.id] }
      else yield* this.save(row.table, { ...valuesOf(row), facts: JSON.stringify(row.facts) })
    }
  }

  /** Stores an order. `unseenCause` is the cause of a change that `onChange` has not seen. */
  *saveOrder(order: Order, changedAt: number, unseenCause?: ChangeCause): Work<void> {
    const facts = JSON.stringify({ order, unseenCause })
    yield* this.save('orders', { ...order, paymentId: order.payment?.id, changedAt, unseenCause, facts })
  }

  /** Inserts or replaces a row. */
  *save(table: TableName, row: Readonly<Record<string, unknown>>): Work<void> {
    const types = Object.entries(columns[table])
    const names = types.map(([property]) => toColumn(property))
    const places = types.map(([, type], index) => parameter(index + 1, type))
    const updates = names.slice(1).map((name) => `${name} = excluded.${name}`)
    const values = types.map(([property]) => toText(row[property], property === 'facts'))
    const insert = `INSERT INTO ${this.name(table)} (${names.join(', ')}) VALUES (${places.join(', ')})`
    yield { sql: `${insert} ON CONFLICT (${names[0]}) DO UPDATE SET ${updates.join(', ')}`, values }
  }
}

/** Both databases convert strings to the type of a column, but their drivers treat other types differently. */
function toText(value: unknown, isJson: boolean): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? '1' : '0'
  return isJson ? String(value) : storableText(String(value))
}
