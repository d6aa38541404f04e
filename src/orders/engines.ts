import { ConfigurationError } from '../core/errors.js'
import type { Deadline } from '../core/internal/deadline.js'
import { awaitQueries } from '../core/internal/queries.js'
import type { Journal } from '../core/options.js'
import type { WebhookStore } from '../stores/contract.js'
import * as postgres from '../stores/postgres/index.js'
import { lockStatements, missingIndexesOnly, postgresSchemaSql, tableOf } from '../stores/postgres/journal-sql.js'
import { toDatabase } from '../stores/postgres/to-database.js'
import { isolated, repeated, runScript, slotsOf } from '../stores/postgres/transactions.js'
import type { Connection } from '../stores/postgres/types.js'
import { prepare, type SqliteDatabase, type SqliteStatement } from '../stores/sqlite/connection.js'
import * as sqlite from '../stores/sqlite/index.js'
import { run, type Statement, type Step, type Steps } from '../stores/steps.js'
import type { SqlMaintenance } from '../stores/store-options.js'
import { Tables } from './tables.js'

/** The names of the tables. */
export interface Names {
  readonly tablePrefix?: string
  readonly schema?: string
}

/** The database of the orders, of their journal and of their webhook store. */
export interface Engine {
  readonly tables: Tables
  readonly journal: Journal
  readonly webhookStore: WebhookStore & SqlMaintenance
  /** Whether the functions of the merchant must be synchronous. */
  readonly isSynchronous: boolean
  /** Runs steps in an open transaction, or outside one. Returns a promise only if the database is asynchronous. */
  run<T>(steps: Steps<T>, transaction?: unknown): T | Promise<T>
  /**
   * Runs steps in a transaction of its own, while no other transaction changes the order. No connection is in use while
   * the transaction waits for others.
   *
   * @throws {Interrupted} The deadline passed before the transaction began.
   */
  transaction<T>(orderId: string | undefined, work: () => Steps<T>, deadline: Deadline): Promise<T>
  /** Waits in an open transaction until no other transaction changes the order. */
  lock(orderId: string): Steps<void>
  migrate(): Promise<void>
}

const lockRetryMs = 25

/** Returns the SQL that creates or upgrades the tables of the orders in PostgreSQL. */
export function postgresSql(names: Names): string {
  const tables = new Tables(tableOf(names)).migration((table, columns) => {
    const definitions = columns.map((column) => `('${column.join(' ')}')`).join(', ')
    return `DO $$ DECLARE definition text; BEGIN
  FOR definition IN SELECT * FROM (VALUES ${definitions}) AS columns (definition)
    WHERE split_part(columns.definition, ' ', 1) NOT IN (SELECT attname FROM pg_attribute WHERE attrelid = '${table}'::regclass)
  LOOP EXECUTE 'ALTER TABLE ${table} ADD COLUMN ' || definition; END LOOP;
END $$;
`
  })
  return postgresSchemaSql(names.schema) + missingIndexesOnly(tables, names.schema)
}

/** @param toResource Returns the name by which the journal locks an order. */
export function postgresEngine(
  connection: Connection,
  names: Names,
  toResource: (orderId: string) => string,
  hasHook: boolean,
): Engine {
  const database = toDatabase(connection)
  const { lock, tryLock } = lockStatements(names)
  const slots = slotsOf(database)
  const runIn = <T>(steps: Steps<T>, transaction: unknown) =>
    run(steps, async (step) => {
      if (typeof step === 'function') return awaitQueries(await step(transaction))
      const { sql, values } = step
      return transaction === undefined ? database.query(sql, values) : database.queryIn(transaction, sql, values)
    })
  return {
    tables: new Tables(tableOf(names)),
    journal: postgres.createJournal(database, names),
    webhookStore: postgres.createWebhookStore(connection, names),
    isSynchronous: false,
    run: runIn,
    async transaction<T>(orderId: string | undefined, work: () => Steps<T>, deadline: Deadline) {
      const attempt = () =>
        isolated(database, async (query, transaction) => {
          const [row] = orderId === undefined ? [{ locked: 'true' }] : await query(tryLock, [toResource(orderId)])
          return Object.values(Object(row))[0] === 'true' ? { value: await runIn(work(), transaction) } : undefined
        })
      for (;;) {
        await deadline.run(async (cutoff) => {
          if (hasHook && !slots.takeFree()) await slots.wait(cutoff)
        })
        // A transaction that calls `onChange` is not repeated, and leaves connections for `onChange`.
        const done = await (hasHook ? attempt().finally(() => slots.release()) : repeated(attempt))
        if (done) return done.value
        await deadline.sleep(lockRetryMs)
      }
    },
    *lock(orderId) {
      yield { sql: lock, values: [toResource(orderId)] }
    },
    migrate: () => runScript(database, postgresSql(names)),
  }
}

const sqliteTables = ({ tablePrefix = 'payments_client_' }: Names) => new Tables((table) => `"${tablePrefix}${table}"`)

/** Returns the SQL that creates the tables of the orders in SQLite. */
export const sqliteSql = (names: Names): string => sqliteTables(names).migration(() => '')

export function sqliteEngine(database: SqliteDatabase, names: Names): Engine {
  const tables = sqliteTables(names)
  const prepared = new Map<string, SqliteStatement>()

  function query({ sql, values }: Statement): unknown {
    // The drivers differ in how they pass numbered parameters, so each occurrence gets a value of its own.
    const ordered: Statement['values'][number][] = []
    const text = sql.replaceAll(/\$(\d+)/g, (_, number) => {
      ordered.push(values[number - 1] ?? null)
      return '?'
    })
    const statement = prepared.get(text) ?? prepare(database, text)
    prepared.set(text, statement)
    return text.startsWith('SELECT') ? statement.all(...ordered) : statement.run(...ordered)
  }

  const perform = (step: Step) => (typeof step === 'function' ? requireSynchronous(step(database)) : query(step))
  /** Returns the SQL that adds the columns that an older table lacks. */
  const addColumns = (table: string, columns: readonly string[][]) => {
    const rows = prepare(database, `SELECT name FROM pragma_table_info(${table.replaceAll('"', "'")})`).all()
    const existing = rows.map((row) => Object(row).name)
    const missing = columns.filter(([name]) => existing.length > 0 && !existing.includes(name))
    return missing.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column.join(' ')};\n`).join('')
  }
  return {
    tables,
    journal: sqlite.createJournal(database, names),
    webhookStore: sqlite.createWebhookStore(database, names),
    isSynchronous: true,
    run: (steps) => run(steps, perform),
    async transaction(_, work, deadline) {
      await deadline.run(async () => {})
      database.exec('BEGIN IMMEDIATE')
      try {
        const result = run(work(), perform)
        database.exec('COMMIT')
        return result
      } catch (error) {
        // Ignores an error from ROLLBACK, because a failed COMMIT may already have rolled back.
        try {
          database.exec('ROLLBACK')
        } catch {}
        throw error
      }
    },
    // Only one transaction at a time can write to the database.
    *lock() {},
    migrate: async () => void database.exec(tables.migration(addColumns)),
  }
}

/** Throws if a function of the merchant continues after its transaction. */
function requireSynchronous(returned: unknown): unknown {
  const pending = [returned].flat().filter((value) => typeof Object(value).then === 'function')
  for (const value of pending) Promise.resolve(value).catch(() => {})
  if (pending.length === 0) return returned
  throw new ConfigurationError(
    'The functions onChange and on must be synchronous with SQLite, because other statements share the connection',
  )
}
