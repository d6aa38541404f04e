import { ConfigurationError } from '../../core/errors.js'
import { optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import type { JournalOptions } from '../../operations/journal.js'
import { journalRules, keepBodiesForMs, toJournal } from '../../operations/journal-options.js'
import { toOpenCounts } from '../../operations/record.js'
import { type Table, tableJournal } from '../../operations/table-journal.js'
import { fromColumns, isOpen, journalColumns, journalSql, resourcesOf, toColumn } from '../journal-columns.js'
import { identifier } from '../store-options.js'
import { currentMs, prepareDatabase, type SqliteDatabase, type SqliteStatement } from './connection.js'

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
export function createJournal(database: SqliteDatabase, options?: SqliteJournalOptions): Journal {
  prepareDatabase(database)
  const schema = optionsOf<SqliteJournalOptions>({ ...journalRules, tablePrefix: identifier })
  const { tablePrefix, ...others } = requireOptions(options, schema)
  return toJournal(others, (rememberFor) => tableJournal(createTable(database, tablePrefix, rememberFor)))
}

/** Returns the SQL that creates the tables of a journal. */
export function sqliteJournalSql(prefix = 'payments_client_'): string {
  const name = (suffix: string) => `"${prefix}${suffix}"`
  return journalSql(name, name, { integer: 'INTEGER', claims: ' WITHOUT ROWID' })
}

function createTable(database: SqliteDatabase, prefix = 'payments_client_', rememberFor: number): Table {
  const operations = `"${prefix}operations"`
  const claims = `"${prefix}claims"`

  /** Statements are prepared on first use, because the tables may be created later. */
  const prepared = new Map<string, SqliteStatement>()
  const statement = (sql: string): SqliteStatement => {
    const found = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, found)
    return found
  }
  type Value = string | number | null
  const one = (sql: string, ...values: Value[]) => statement(sql).get(...values) as Record<string, unknown> | undefined
  const many = (sql: string, ...values: Value[]) =>
    (statement(sql).all(...values) as Record<string, unknown>[]).map(fromColumns)
  const run = (sql: string, ...values: Value[]) => Number(statement(sql).run(...values).changes)

  const now = () => Number(one(`SELECT ${currentMs} AS now`)?.['now'])

  const transaction = <T>(work: (now: number) => T): T => {
    run('BEGIN IMMEDIATE')
    try {
      const result = work(now())
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

  return {
    name: operations,
    isSynchronous: true,
    now,
    transaction,
    async settle(compute, onSettled, write) {
      return transaction((now) => {
        const computed = compute(now)
        const written = computed && write(computed, now)
        if (computed) onSettled?.(computed.row, database)
        return written
      })
    },
    find(key) {
      const row = one(`SELECT * FROM ${operations} WHERE key = ?`, key)
      return row && fromColumns(row)
    },
    put(row, stored) {
      // Omits unchanged columns, because writing a column also writes its indexes.
      const changes = journalColumns.filter(([field]) => stored === undefined || row[field] !== stored[field])
      const names = changes.map(([, column]) => column)
      const values = changes.map(([field]) => toColumn(row[field]))
      if (stored === undefined) {
        run(`INSERT INTO ${operations} (${names}) VALUES (${names.map(() => '?')})`, ...values)
      } else if (names.length > 0) {
        run(`UPDATE ${operations} SET ${names.map((name) => `${name} = ?`)} WHERE key = ?`, ...values, row.key)
      }
    },
    findClaim(resource) {
      const row = one(`SELECT owner, expires_at, known FROM ${claims} WHERE resource = ?`, resource)
      if (row === undefined) return undefined
      const { owner, known } = row as { owner: string | null; known: string | null }
      const expiresAt = Number(row['expires_at'])
      return { owner: owner ?? undefined, expiresAt, known: known === null ? undefined : JSON.parse(known) }
    },
    putClaim(resource, { owner = null, expiresAt, known }) {
      const json = known === undefined ? null : JSON.stringify(known)
      run(
        `INSERT INTO ${claims} VALUES (?, ?, ?, ?) ON CONFLICT (resource) DO UPDATE
         SET owner = excluded.owner, expires_at = excluded.expires_at, known = excluded.known`,
        resource,
        owner,
        expiresAt,
        json,
      )
    },
    next(time, except, unacknowledged) {
      const row = one(
        `SELECT o.* FROM ${operations} o LEFT JOIN ${claims} c ON c.resource = o.resource
         WHERE o.${unacknowledged ? 'acknowledged_at IS NULL' : isOpen}
           AND (c.owner IS NULL OR c.expires_at <= ?) AND o.key NOT IN (SELECT value FROM json_each(?))
         ORDER BY o.claimed_at, o.created_at, o.rowid LIMIT 1`,
        time,
        JSON.stringify(except),
      )
      return row && fromColumns(row)
    },
    related: ({ paymentId, orderId }) =>
      paymentId !== undefined
        ? many(`SELECT * FROM ${operations} WHERE id = ? OR payment_id = ?`, paymentId, paymentId)
        : many(`SELECT * FROM ${operations} WHERE order_id = ?`, orderId ?? null),
    list({ state = null, paymentId = null, before = null }) {
      const [states, payments, times] = [
        [state, state],
        [paymentId, paymentId, paymentId],
        [before, before],
      ]
      return many(
        `SELECT * FROM ${operations} WHERE (? IS NULL OR state = ?) AND (? IS NULL OR id = ? OR payment_id = ?)
           AND (? IS NULL OR created_at < ?) ORDER BY created_at, rowid`,
        ...states,
        ...payments,
        ...times,
      )
    },
    countOpen: () =>
      toOpenCounts(
        statement(
          `SELECT state, count(*) AS count FROM ${operations} WHERE ${isOpen} GROUP BY state`,
        ).all() as object[],
      ),
    migrate: () => void database.exec(sqliteJournalSql(prefix)),
    prune(time) {
      const isOld = "state <> 'needs_review' AND finished_at <= ?"
      const oldest = time - rememberFor
      const resources = resourcesOf(operations, isOld)
      const isUnused = `owner IS NULL AND resource IN (${resources}) AND expires_at <= ?`
      run(`DELETE FROM ${claims} WHERE ${isUnused}`, oldest, oldest, oldest)
      return (
        run(`DELETE FROM ${operations} WHERE ${isOld}`, oldest) +
        run(`UPDATE ${operations} SET body = NULL WHERE body IS NOT NULL AND finished_at <= ?`, time - keepBodiesForMs)
      )
    },
    checkTransaction(transaction) {
      if (transaction === database) return
      throw new ConfigurationError(
        'The transaction must be the database that was passed to createJournal, so that it also contains the operation',
        { operation: 'operations.plan' },
      )
    },
  }
}
