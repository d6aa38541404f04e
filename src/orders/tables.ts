import type { Row } from '../stores/database.js'
import { type Facts, isContradictory, mergeFacts, type Observation, plainValues, stateOf } from './facts.js'
import type { Known } from './order.js'
import { query, type Work } from './work.js'

/**
 * The columns of each table, by the names of the properties. In SQL, the names are in lower case, because some drivers
 * rename columns with underscores or capitals. The first column is the primary key.
 */
const columns = {
  orders: {
    id: 'text',
    // The amount of the latest attempt. NULL if `pay` never started one.
    attemptAmount: 'bigint',
    attemptCurrency: 'text',
    state: 'text',
    amount: 'bigint',
    currencyCode: 'text',
    captured: 'bigint',
    refunded: 'bigint',
    mayShip: 'boolean',
    needsReview: 'boolean',
    disputed: 'boolean',
    paymentId: 'text',
    // Milliseconds since 1970.
    changedAt: 'bigint',
    // The cause of the first change that `onChange` has not received.
    unseenCause: 'text',
  },
  payments: {
    id: 'text',
    orderId: 'text',
    status: 'text',
    amount: 'bigint',
    currencyCode: 'text',
    captured: 'bigint',
    dateUpdated: 'text',
    facts: 'text',
  },
  refunds: {
    id: 'text',
    paymentId: 'text',
    transactionId: 'text',
    amount: 'bigint',
    status: 'text',
    facts: 'text',
  },
  disputes: {
    id: 'text',
    orderId: 'text',
    paymentId: 'text',
    disputeId: 'text',
    type: 'text',
    status: 'text',
    amount: 'bigint',
    challengeRequiredBy: 'text',
    receivedAt: 'text',
    facts: 'text',
  },
  decisions: {
    key: 'text',
    orderId: 'text',
    kind: 'text',
    id: 'text',
    number: 'bigint',
    amount: 'bigint',
    state: 'text',
    status: 'text',
    paymentId: 'text',
    transactionId: 'text',
    errorId: 'text',
    reason: 'text',
  },
  // The time up to which `sync` has read the service's list.
  watermarks: { name: 'text', value: 'text' },
} as const satisfies Record<string, Record<string, 'text' | 'bigint' | 'boolean'>>

export type TableName = keyof typeof columns

const indexes: readonly [TableName, string][] = [
  ['orders', 'changedat'],
  ['payments', 'orderid'],
  ['refunds', 'paymentid'],
  ['disputes', 'orderid'],
  ['disputes', 'paymentid'],
  ['decisions', 'orderid'],
]

/** The tables of one shop. The SQL is the same for PostgreSQL and SQLite. */
export class OrderTables {
  readonly #prefix: string
  readonly #schema: string

  constructor(tablePrefix: string, schema?: string) {
    this.#prefix = tablePrefix
    this.#schema = schema === undefined ? '' : `"${schema}".`
  }

  /** Returns the quoted name of a table. */
  name(table: TableName): string {
    return `${this.#schema}"${this.#prefix}${table}"`
  }

  /** Returns the statements that create the tables and their indexes, unless they exist. */
  migrations(): string[] {
    const tables = Object.keys(columns) as TableName[]
    const types = (table: TableName) =>
      Object.entries(columns[table]).map(([name, type], index) => `${name} ${type}${index === 0 ? ' PRIMARY KEY' : ''}`)
    return [
      ...tables.map((table) => `CREATE TABLE IF NOT EXISTS ${this.name(table)} (${types(table).join(', ')})`),
      ...indexes.map(
        ([table, column]) =>
          `CREATE INDEX IF NOT EXISTS "${this.#prefix}${table}_${column}" ON ${this.name(table)} (${column})`,
      ),
    ]
  }

  /** Returns the rows that fulfil a condition, without the columns that are NULL. */
  *select(table: TableName, condition: string, ...values: unknown[]): Work<Row[]> {
    const rows = yield* query(`SELECT * FROM ${this.name(table)} WHERE ${condition}`, ...values)
    return rows.map((row) => {
      const entries = Object.entries(columns[table]).map(([name, type]) => [name, read(row[name.toLowerCase()], type)])
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
    })
  }

  /** Inserts a row, or replaces the given columns of the row with this key. */
  *save(table: TableName, row: Row): Work<void> {
    const names = Object.keys(row).map((name) => name.toLowerCase())
    const places = names.map((_, index) => `$${index + 1}`)
    const updates = names.map((name) => `${name} = excluded.${name}`)
    const insert = `INSERT INTO ${this.name(table)} (${names.join(', ')}) VALUES (${places.join(', ')})`
    const values = Object.values(row).map((value) => value ?? null)
    yield* query(`${insert} ON CONFLICT (${names[0]}) DO UPDATE SET ${updates.join(', ')}`, ...values)
  }

  /** Merges observations into their rows. */
  *observe(observations: readonly Observation[]): Work<void> {
    for (const { table, id, facts } of observations) {
      const [stored] = yield* this.select(table, 'id = $1', id)
      const merged = mergeFacts(factsOf(stored), facts)
      const row = { id, ...plainValues(table, merged), facts: JSON.stringify(merged) }
      if (row.facts !== stored?.['facts']) yield* this.save(table, row)
    }
    // A refund that was stored by its position is replaced when its transaction ID is known.
    for (const { table, id } of observations) {
      if (table !== 'payments') continue
      const [payment] = yield* this.select(table, 'id = $1', id)
      const positions = Object.keys(factsOf(payment)).filter((name) => name.startsWith('refund '))
      for (const name of positions) {
        yield* query(`DELETE FROM ${this.name('refunds')} WHERE id = $1`, name.replace('refund ', `${id}#`))
      }
    }
  }

  /** Returns everything that the tables contain about an order, or undefined if they contain nothing. */
  *load(id: string): Work<Known | undefined> {
    const [order] = yield* this.select('orders', 'id = $1', id)
    const payments = yield* this.select('payments', 'orderid = $1 ORDER BY id', id)
    const isOfOrder = `paymentid IN (SELECT id FROM ${this.name('payments')} WHERE orderid = $1)`
    const refunds = yield* this.select('refunds', `${isOfOrder} ORDER BY id`, id)
    const disputes = yield* this.select('disputes', `orderid = $1 OR ${isOfOrder} ORDER BY id`, id)
    const decisions = yield* this.select('decisions', 'orderid = $1 ORDER BY kind, id, number', id)
    if (order === undefined && payments.length === 0) return undefined
    const known: Row = {
      id,
      amount: order?.['attemptAmount'],
      currencyCode: order?.['attemptCurrency'],
      payments: payments.map((row) => {
        const { statusReason, requiredAction, captured } = stateOf(factsOf(row))
        const date = factsOf(row)['date']?.value
        const rest = defined({ statusReason, requiredAction, date })
        return { ...omit(row, 'orderId', 'facts'), ...rest, isCapturedKnown: captured !== undefined }
      }),
      refunds: refunds.map((row) => ({ ...omit(row, 'id', 'facts'), isContradictory: isContradictory(factsOf(row)) })),
      disputes: disputes.map((row) => ({
        ...omit(row, 'orderId', 'paymentId', 'disputeId', 'facts'),
        id: row['disputeId'] ?? row['id'],
      })),
      decisions: decisions.map((row) => omit(row, 'orderId', 'number', 'paymentId', 'transactionId')),
    }
    return known as unknown as Known
  }
}

function factsOf(row: Row | undefined): Facts {
  return row === undefined ? {} : JSON.parse(String(row['facts']))
}

/** Converts a value from the database's type. Drivers differ in how they return integers and booleans. */
function read(value: unknown, type: 'text' | 'bigint' | 'boolean'): unknown {
  if (value === null || value === undefined) return undefined
  if (type === 'bigint') return Number(value)
  return type === 'boolean' ? Boolean(Number(value)) : value
}

export function omit(row: Row, ...names: string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
}

export function defined(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))
}
