import { storableText } from '../operations/rules.js'
import { storeTables } from '../stores/journal-columns.js'
import { query, type SqlDatabase, type Steps } from '../stores/steps.js'
import { type Column, insertSql, parameter, type Table } from '../stores/tables.js'
import { factTables, type Known, type Observation, valuesOf } from './facts.js'
import type { ChangeCause, Order, OrderFilter } from './types.js'

/** The columns of each table, keyed by the property that they store. The first column is the primary key. */
const columns = {
  orders: {
    ...{ id: 'text', state: 'text', amount: 'bigint', currencyCode: 'text', captured: 'bigint', refunded: 'bigint' },
    ...{ mayShip: 'boolean', needsReview: 'boolean', disputed: 'boolean', paymentId: 'text' },
    // `changedAt` is in milliseconds since 1970. `unseenCause` is set until `onChange` has received the change.
    ...{ changedAt: 'bigint', unseenCause: 'text', facts: 'text' },
  },
  payments: {
    ...{ id: 'text', orderId: 'text', status: 'text', amount: 'bigint', currencyCode: 'text', captured: 'bigint' },
    // The service's times. `dateUpdated` is the string as received, the others are in milliseconds since 1970.
    ...{ dateUpdated: 'text', createdAt: 'bigint', updatedAt: 'bigint', facts: 'text' },
  },
  refunds: {
    ...{ id: 'text', orderId: 'text', paymentId: 'text', transactionId: 'text', amount: 'bigint', status: 'text' },
    facts: 'text',
  },
  disputes: {
    ...{ id: 'text', orderId: 'text', paymentId: 'text', disputeId: 'text', disputeKey: 'text', type: 'text' },
    ...{ status: 'text', amount: 'bigint', challengeRequiredBy: 'text', receivedAt: 'text', facts: 'text' },
  },
  decisions: {
    ...{ key: 'text', orderId: 'text', kind: 'text', id: 'text', number: 'bigint', amount: 'bigint', state: 'text' },
    ...{ status: 'text', paymentId: 'text', transactionId: 'text', errorId: 'text', reason: 'text', facts: 'text' },
  },
  // The service whose payment list `sync` reads, and the time on its clock up to which `sync` has read the list.
  watermarks: { name: 'text', value: 'text' },
} as const satisfies Record<string, Record<string, 'text' | 'bigint' | 'boolean'>>

const indexes: Readonly<Record<string, readonly string[]>> = {
  orders: ['changed_at', 'unseen_cause', 'needs_review'],
  payments: ['order_id', 'updated_at'],
  refunds: ['payment_id'],
  disputes: ['order_id', 'payment_id', 'dispute_key'],
  decisions: ['order_id'],
}

/** Conditions of partial indexes. They contain only the few orders that `recover` and `review` read. */
const conditions: Readonly<Record<string, string>> = {
  unseen_cause: 'unseen_cause IS NOT NULL',
  needs_review: 'needs_review',
}

const toColumn = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const columnsOf = (table: keyof typeof columns): Column[] =>
  Object.entries(columns[table]).map(([property, type], index) => {
    return { name: toColumn(property), type, ...(index === 0 && { constraint: 'PRIMARY KEY' }) }
  })

const orderTables: readonly Table[] = (Object.keys(columns) as (keyof typeof columns)[]).map((name) => ({
  name,
  columns: columnsOf(name),
  indexes: (indexes[name] ?? []).map((column) => {
    const condition = conditions[column]
    return { name: `${name}_${column}`, columns: column, ...(condition && { condition }) }
  }),
}))

/** The tables of the orders, the journal and the webhook store. */
export const allTables = [...orderTables, ...storeTables]

/** Everything that is stored about an order. */
export interface Loaded {
  readonly known: Known
  readonly order: Order | undefined
  /** The cause of the first change that `onChange` has not received. */
  readonly unseenCause?: ChangeCause | undefined
}

interface StoredOrder {
  readonly order: Order
  /** The time of the latest change, in milliseconds since 1970. */
  readonly changedAt: string
}

/** The IDs that can identify an order: its own ID, the key of a decision, or a payment or dispute. */
export interface Source {
  readonly orderId?: string | undefined
  readonly key?: string | undefined
  readonly paymentId?: string | undefined
  readonly disputeKey?: string | undefined
}

/** The tables of one shop. The SQL is the same for PostgreSQL and SQLite. */
export class Tables {
  constructor(private readonly database: SqlDatabase) {}

  /** Returns rows as arrays of strings in column order, because libraries rename columns and convert values. */
  *select(sql: string, ...values: (string | number | null | undefined)[]): Steps<string[][]> {
    const texts = values.map((value) => toText(value))
    return (yield* query(sql, ...texts)).map((row) => Object.values(row).map(String))
  }

  /** Loads an order, and the disputes that may belong to it. */
  *load({ orderId, paymentId, disputeKey }: Source): Steps<Loaded> {
    const ofOrder = `order_id = ${parameter(1)}`
    const ofPayments = `${ofOrder} OR payment_id IN (SELECT id FROM ${this.database.table('payments')} WHERE ${ofOrder})`
    const mayBelong = `${ofPayments} OR payment_id = ${parameter(2)} OR dispute_key = ${parameter(3)}`
    const disputes = `SELECT dispute_key FROM ${this.database.table('disputes')} WHERE ${mayBelong}`
    const conditions = {
      orders: `id = ${parameter(1)}`,
      payments: ofOrder,
      refunds: ofPayments,
      disputes: `${mayBelong} OR dispute_key IN (${disputes})`,
      decisions: ofOrder,
    }
    const parts = Object.entries(conditions).map(([table, condition]) => {
      const key = table === 'decisions' ? 'key' : 'id'
      return `SELECT '${table}' AS kind, ${key} AS name, facts FROM ${this.database.table(table)} WHERE ${condition}`
    })
    const rows = yield* this.select(parts.join(' UNION ALL '), orderId, paymentId, disputeKey)
    const known = Object.fromEntries(factTables.map((table) => [table, new Map()])) as unknown as Known
    let stored: Omit<Loaded, 'known'> = { order: undefined }
    for (const [table, id = '', facts = ''] of rows) {
      if (table === 'orders') stored = JSON.parse(facts)
      else known[table as keyof Known].set(id, JSON.parse(facts))
    }
    return { known, ...stored }
  }

  /** Returns the ID of the order to which a decision, payment or dispute belongs. */
  *find({ key, paymentId, disputeKey }: Source): Steps<string | undefined> {
    const [[orderId] = []] = yield* this.select(
      `SELECT order_id FROM ${this.database.table('decisions')} WHERE key = ${parameter(1)}
      UNION ALL SELECT order_id FROM ${this.database.table('payments')} WHERE id = ${parameter(2)}
      UNION ALL SELECT order_id FROM ${this.database.table('disputes')} WHERE order_id IS NOT NULL
        AND (payment_id = ${parameter(2)} OR dispute_key = ${parameter(3)})`,
      ...[key, paymentId, disputeKey],
    )
    return orderId
  }

  /** Returns the orders that follow a position in the list, oldest change first. */
  list(after: readonly [changedAt: number, id: string], { state, updatedSince }: OrderFilter, limit: number) {
    const time = parameter(1, 'bigint')
    const isLater = `(changed_at > ${time} OR (changed_at = ${time} AND id > ${parameter(2)}))`
    const isWanted = `changed_at >= ${parameter(3, 'bigint')} AND (${parameter(4)} IS NULL OR state = ${parameter(4)})`
    return this.orders(`${isLater} AND ${isWanted}`, limit, ...after, updatedSince?.getTime() ?? 0, state)
  }

  /** Returns orders whose latest change `onChange` has not received. */
  unseen(limit: number): Steps<StoredOrder[]> {
    return this.orders('unseen_cause IS NOT NULL', limit)
  }

  /** Returns orders that need a review. */
  reviewed(): Steps<StoredOrder[]> {
    return this.orders('needs_review')
  }

  *countReviews(): Steps<number> {
    const [[count] = []] = yield* this.select(
      `SELECT count(*) FROM ${this.database.table('orders')} WHERE needs_review`,
    )
    return Number(count)
  }

  /** Returns the orders that match an SQL condition, oldest change first. */
  *orders(condition: string, limit?: number, ...values: (string | number | undefined)[]): Steps<StoredOrder[]> {
    const rows = yield* this.select(
      `SELECT CAST(changed_at AS text) AS changed, facts FROM ${this.database.table('orders')} WHERE ${condition}
      ORDER BY changed_at, id ${limit === undefined ? '' : `LIMIT ${limit}`}`,
      ...values,
    )
    return rows.map(([changedAt = '', facts = '']) => ({ changedAt, order: JSON.parse(facts).order }))
  }

  /**
   * Returns the IDs of payments that may still change, have an unfinished refund or one without an amount, or were created
   * or changed since a time.
   */
  unfinished(since: number): Steps<string[][]> {
    const isFinal = "status IN ('SETTLED', 'DECLINED', 'FAILED', 'CANCELLED')"
    const open = `SELECT payment_id FROM ${this.database.table('refunds')}
      WHERE status IS NULL OR NOT ${isFinal} OR amount IS NULL`
    const isRecent = `updated_at >= ${parameter(1, 'bigint')} OR created_at >= ${parameter(1, 'bigint')}`
    return this.select(
      `SELECT id FROM ${this.database.table('payments')} WHERE NOT ${isFinal} OR ${isRecent} OR id IN (${open})`,
      since,
    )
  }

  /** Returns the service of the orders, or the time, on its clock, up to which `sync` has read the payment list. */
  *watermark(name: 'service' | 'list'): Steps<string | undefined> {
    const [[value] = []] = yield* this.select(
      `SELECT value FROM ${this.database.table('watermarks')} WHERE name = ${parameter(1)}`,
      name,
    )
    return value
  }

  saveWatermark(name: 'service' | 'list', value: string | number): Steps<void> {
    return this.save('watermarks', { name, value })
  }

  /** Stores changed rows and deletes those without facts. */
  *saveAll(changed: readonly Observation[]): Steps<void> {
    for (const row of changed) {
      const isReplaced = Object.keys(row.facts).length === 0
      if (isReplaced) yield* query(`DELETE FROM ${this.database.table(row.table)} WHERE id = ${parameter(1)}`, row.id)
      else yield* this.save(row.table, { ...valuesOf(row), facts: JSON.stringify(row.facts) })
    }
  }

  /** Stores an order. `unseenCause` is the cause of a change that `onChange` has not received. */
  *saveOrder(order: Order, changedAt: number, unseenCause?: ChangeCause): Steps<void> {
    const facts = JSON.stringify({ order, unseenCause })
    yield* this.save('orders', { ...order, paymentId: order.payment?.id, changedAt, unseenCause, facts })
  }

  /** Inserts or replaces a row. */
  *save(table: keyof typeof columns, row: Readonly<Record<string, unknown>>): Steps<void> {
    const properties = Object.keys(columns[table])
    const values = properties.map((property) => (property === 'facts' ? String(row[property]) : toText(row[property])))
    yield* query(insertSql(this.database.dialect, this.database.table(table), columnsOf(table)), ...values)
  }
}

/**
 * Returns a value as a string. Both databases convert strings to the column's type, but drivers vary for other types.
 */
function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'boolean' ? String(Number(value)) : storableText(String(value))
}
