import { ConfigurationError } from '../../core/errors.js'
import { optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import { type Engine, type JournalOptions, journalRules, type Place } from '../../operations/journal.js'
import { toJournal } from '../../operations/operations.js'
import { type StoredOperation, toOpenCounts } from '../../operations/record.js'
import type { Change, Held } from '../../operations/rules.js'
import {
  addedColumns,
  claimNames,
  fromClaimColumns,
  fromColumns,
  fromColumnsOrDamaged,
  isOpen,
  isOpenPayment,
  journalTables,
  operationNames,
  resourcesOf,
  toClaimColumns,
  toColumns,
} from '../journal-columns.js'
import { identifier } from '../store-options.js'
import {
  currentMs,
  firstRow,
  prepare,
  prepareDatabase,
  type SqliteDatabase,
  type SqliteStatement,
} from './connection.js'

/** Options for `createJournal` with SQLite. */
export interface SqliteJournalOptions extends JournalOptions {
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

/**
 * Creates a journal in an SQLite database, for the client's option `journal`. Processes on the same machine can share it.
 *
 * Statements wait up to 5 seconds for other processes, unless you have set another `busy_timeout`.
 *
 * @param database An open database. The journal never closes it.
 * @throws {ConfigurationError} An option or the database is invalid.
 * @example
 * const database = new DatabaseSync('shop.db')
 * const journal = createJournal(database)
 * await journal.migrate()
 * const client = new PaymentsClient({ journal })
 */
export function createJournal<Connection extends SqliteDatabase>(
  database: Connection,
  options?: SqliteJournalOptions,
): Journal<Connection> {
  prepareDatabase(database)
  const schema = optionsOf<SqliteJournalOptions>({ ...journalRules, tablePrefix: identifier })
  const { tablePrefix, ...others } = requireOptions(options, schema)
  return toJournal(createEngine(database, tablePrefix), others)
}

const dialect = { integer: 'INTEGER', claims: ' WITHOUT ROWID' }
const defaultPrefix = 'payments_client_'
const tableOf = (prefix: string) => (suffix: string) => `"${prefix}${suffix}"`

/** Returns the SQL that creates the tables of a journal. */
export function sqliteJournalSql(prefix = defaultPrefix): string {
  return journalTables(tableOf(prefix), tableOf(prefix), dialect)
}

/** Returns the SQL that adds the columns that the tables of earlier versions lack. */
function missingColumnsSql(database: SqliteDatabase, prefix: string): string {
  return addedColumns(dialect)
    .filter(({ suffix, name }) => {
      const sql = `SELECT count(*) FROM pragma_table_info('${prefix}${suffix}') WHERE name = '${name}'`
      return Number(valueIn(firstRow(prepare(database, sql)))) === 0
    })
    .map(({ suffix, definition }) => `ALTER TABLE "${prefix}${suffix}" ADD COLUMN ${definition};\n`)
    .join('')
}

/** Returns the value of a row with one column. */
const valueIn = (row: unknown): unknown => Object.values(Object(row))[0]

type Value = string | number | null

function createEngine(database: SqliteDatabase, prefix = defaultPrefix): Engine {
  const operations = tableOf(prefix)('operations')
  const claims = tableOf(prefix)('claims')

  /** Statements are prepared on first use, because the tables may be created later. */
  const prepared = new Map<string, SqliteStatement>()
  const statement = (sql: string): SqliteStatement => {
    const found = prepared.get(sql) ?? prepare(database, sql)
    prepared.set(sql, found)
    return found
  }
  const one = (sql: string, ...values: Value[]) => valueIn(firstRow(statement(sql), ...values)) ?? undefined
  const many = (sql: string, ...values: Value[]) =>
    statement(sql)
      .all(...values)
      .map((row) => String(valueIn(row)))
  const run = (sql: string, ...values: Value[]) => Number(statement(sql).run(...values).changes)

  /** SQL for a JSON object with the given columns, because the drivers read other types differently. */
  const json = (columns: readonly string[]) => `json_object(${columns.map((name) => `'${name}', ${name}`)})`
  const select = `SELECT ${json(operationNames)} FROM ${operations}`
  const insert = (table: string, values: object, onConflict = '') =>
    `INSERT INTO ${table} (${Object.keys(values)}) VALUES (${Object.keys(values).map(() => '?')}) ${onConflict}`
  const replacing = `UPDATE SET ${claimNames.map((name) => `${name} = excluded.${name}`)}`
  const now = () => Number(one(`SELECT ${currentMs}`))

  function read({ resource, key, orderId }: Place): Held {
    const claim = one(`SELECT ${json(claimNames)} FROM ${claims} WHERE resource = ?`, resource)
    const row = key === undefined ? undefined : one(`${select} WHERE key = ?`, key)
    const creates = `${select} WHERE order_id = ? AND key <> ? AND ${isOpenPayment} ORDER BY created_at, rowid`
    return {
      now: now(),
      claim: claim === undefined ? undefined : fromClaimColumns(String(claim)),
      row: row === undefined ? undefined : fromColumns(String(row)),
      creates: orderId === undefined ? [] : many(creates, orderId, key ?? null).map(fromColumns),
    }
  }

  function put(row: StoredOperation, stored: StoredOperation | undefined): void {
    const values = toColumns(row)
    if (stored === undefined) return void run(insert(operations, values), ...Object.values(values))
    const before = toColumns(stored)
    const changes = Object.entries(values).filter(([name, value]) => value !== before[name])
    const assignments = changes.map(([name]) => `${name} = ?`)
    if (changes.length === 0) return
    run(`UPDATE ${operations} SET ${assignments} WHERE key = ?`, ...changes.map(([, value]) => value), row.key)
  }

  function apply<T>(place: Place, work: (held: Held) => Change<T>, transaction?: unknown): T {
    const held = read(place)
    const { result, row, claim, learned, hook } = work(held)
    if (row) put(row, held.row)
    const store = (onConflict: string, values: ReturnType<typeof toClaimColumns>) =>
      run(insert(claims, values, `ON CONFLICT (resource) DO ${onConflict}`), ...Object.values(values))
    if (claim) store(replacing, toClaimColumns(place.resource, claim))
    if (learned) store('NOTHING', toClaimColumns(learned.resource, learned.claim))
    if (hook) {
      const changes = () => Number(one('SELECT total_changes()'))
      const before = changes()
      hook.call(transaction)
      if (changes() === before) hook.onIdle()
    }
    return result
  }

  const transaction = <T>(work: () => T): T => {
    run('BEGIN IMMEDIATE')
    try {
      const result = work()
      run('COMMIT')
      return result
    } catch (error) {
      // Ignores an error from ROLLBACK, because a failed COMMIT may already have rolled back.
      try {
        database.exec('ROLLBACK')
      } catch {}
      throw error
    }
  }

  /** Throws unless the value is the journal's database, and a transaction is open. */
  function requireTransaction(given: unknown): void {
    const facts = { operation: 'operations.plan' }
    if (given !== database) {
      throw new ConfigurationError(
        'The transaction must be the database that was passed to createJournal, so that it also contains the operation',
        facts,
      )
    }
    const { isTransaction, inTransaction = isTransaction } = Object(given)
    if (inTransaction === false) {
      throw new ConfigurationError('No transaction is open: run BEGIN IMMEDIATE on the database first', facts)
    }
  }

  const updateInSync: NonNullable<Engine['updateInSync']> = (given, place, work) => {
    requireTransaction(given)
    return apply(place, work)
  }

  const belongs = '(base_url IS NULL OR base_url = ?)'
  const excluded = 'key NOT IN (SELECT value FROM json_each(?))'

  return {
    name: operations,
    isSynchronous: true,
    update: async (place, work) => transaction(() => apply(place, work, database)),
    updateIn: async (given, place, work) => updateInSync(given, place, work),
    updateInSync,
    async next({ baseUrl, except, unacknowledged }) {
      const mayContinue = `${isOpen} AND ${belongs} AND coalesce(not_before, 0) <= ${currentMs}`
      const isWanted = unacknowledged ? `acknowledged_at IS NULL AND (NOT ${isOpen} OR ${mayContinue})` : mayContinue
      const place = one(
        `SELECT json_object('key', key, 'resource', resource,
           'orderId', CASE WHEN operation = 'payments.create' THEN order_id END) FROM ${operations} AS o
         WHERE ${isWanted} AND ${excluded} AND NOT EXISTS (SELECT 1 FROM ${claims} AS c
           WHERE c.resource = o.resource AND c.owner IS NOT NULL AND c.expires_at > ${currentMs})
         ORDER BY claimed_at, created_at, rowid LIMIT 1`,
        baseUrl,
        JSON.stringify(except),
      )
      if (place === undefined) return undefined
      const { orderId, ...others } = JSON.parse(String(place))
      return { ...others, orderId: orderId ?? undefined }
    },
    async countSkipped({ baseUrl, except }) {
      const counts = one(
        `SELECT json_object('waiting', count(*) FILTER (WHERE ${belongs}), 'foreign', count(*) FILTER (WHERE NOT ${belongs}))
         FROM ${operations} WHERE ${isOpen} AND ${excluded} AND (NOT ${belongs} OR not_before > ${currentMs})`,
        baseUrl,
        baseUrl,
        JSON.stringify(except),
        baseUrl,
      )
      const first = one(
        `SELECT key FROM ${operations} WHERE ${isOpen} AND NOT ${belongs} ORDER BY created_at, rowid LIMIT 1`,
        baseUrl,
      )
      return { ...JSON.parse(String(counts)), firstForeign: first }
    },
    async find(key) {
      const row = one(`${select} WHERE key = ?`, key)
      return row === undefined ? undefined : fromColumns(String(row))
    },
    related: async ({ paymentId, orderId }) =>
      (paymentId !== undefined
        ? many(`${select} WHERE id = ? OR payment_id = ?`, paymentId, paymentId)
        : many(`${select} WHERE order_id = ?`, String(orderId))
      ).map(fromColumns),
    async list({ state = null, paymentId = null, before = null }) {
      const [states, payments, times] = [
        [state, state],
        [paymentId, paymentId, paymentId],
        [before, before],
      ]
      const isWanted =
        '(? IS NULL OR state = ?) AND (? IS NULL OR id = ? OR payment_id = ?) AND (? IS NULL OR created_at < ?)'
      const sql = `${select} WHERE ${isWanted} ORDER BY created_at, rowid`
      return many(sql, ...states, ...payments, ...times).map(fromColumnsOrDamaged)
    },
    async countOpen() {
      const counts = many(`SELECT json_array(state, count(*)) FROM ${operations} WHERE ${isOpen} GROUP BY state`)
      return toOpenCounts(counts.map((pair) => JSON.parse(pair)))
    },
    async migrate() {
      database.exec(sqliteJournalSql(prefix))
      database.exec(missingColumnsSql(database, prefix))
    },
    prune: async ({ recordsMs, bodiesMs }) =>
      transaction(() => {
        const time = now()
        const isOld = "state <> 'needs_review' AND finished_at <= ?"
        const oldest = time - recordsMs
        const isUnused = `owner IS NULL AND resource IN (${resourcesOf(operations, isOld)}) AND expires_at <= ?`
        run(`DELETE FROM ${claims} WHERE ${isUnused}`, oldest, oldest, oldest)
        return (
          run(`DELETE FROM ${operations} WHERE ${isOld}`, oldest) +
          run(`UPDATE ${operations} SET body = NULL WHERE body IS NOT NULL AND finished_at <= ?`, time - bodiesMs)
        )
      }),
  }
}
