import { ConfigurationError } from '../core/errors.js'
import { awaitQueries } from '../core/internal/queries.js'
import type { Journal } from '../core/options.js'
import type { OperationIntent } from '../operations/intent.js'
import type { Operations } from '../operations/operations.js'
import type { WebhookStore } from '../stores/contract.js'
import * as postgres from '../stores/postgres/index.js'
import { lockStatements, missingIndexesOnly, postgresSchemaSql, tableOf } from '../stores/postgres/journal-sql.js'
import { toDatabase } from '../stores/postgres/to-database.js'
import { isolated, repeated, runScript, slotsOf } from '../stores/postgres/transactions.js'
import type { Connection } from '../stores/postgres/types.js'
import { prepare, type SqliteDatabase, type SqliteStatement } from '../stores/sqlite/connection.js'
import * as sqlite from '../stores/sqlite/index.js'
import type { SqlMaintenance } from '../stores/store-options.js'
import { run, type Statement, type Step, Tables, type Work } from './tables.js'

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
  /** Runs statements outside a transaction. */
  read<T>(work: Work<T>): Promise<T>
  /**
   * Runs work in a transaction of its own, while no other transaction changes the order.
   *
   * @param wait Called between two attempts to lock the order. No connection is in use then. If it rejects, nothing runs.
   */
  transaction<T>(work: () => Work<T>, orderId: string | undefined, wait: () => Promise<void>): Promise<T>
  /** Runs work in an open transaction. Returns a promise only if the database is asynchronous. */
  within<T>(transaction: unknown, work: Work<T>): T | Promise<T>
  /** Waits until no other transaction changes the order. */
  lock(orderId: string): Work<void>
  plan(operations: Operations, intent: OperationIntent): Step
  migrate(): Promise<void>
}

export const postgresTables = (names: Names) => new Tables(tableOf(names))
export const sqliteTables = ({ tablePrefix = 'payments_client_' }: Names) =>
  new Tables((table) => `"${tablePrefix}${table}"`)

/** Returns the SQL that creates the tables of the orders in PostgreSQL. */
export const postgresSql = (names: Names) =>
  postgresSchemaSql(names.schema) + missingIndexesOnly(postgresTables(names).migration(), names.schema)

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
  const perform = (transaction: unknown) => async (step: Step) =>
    typeof step === 'function'
      ? awaitQueries(await step(transaction))
      : database.queryIn(transaction, step.sql, step.values)
  return {
    tables: postgresTables(names),
    journal: postgres.createJournal(database, names),
    webhookStore: postgres.createWebhookStore(connection, names),
    isSynchronous: false,
    read: async (work) =>
      run(work, async (step) => database.query((step as Statement).sql, (step as Statement).values)),
    async transaction<T>(work: () => Work<T>, orderId: string | undefined, wait: () => Promise<void>) {
      const attempt = () =>
        isolated(database, async (query, transaction) => {
          const [row] = orderId === undefined ? [] : await query(tryLock, [toResource(orderId)])
          const isLocked = orderId === undefined || Object.values(Object(row))[0] === 'true'
          return isLocked ? { value: await run(work(), perform(transaction)) } : undefined
        })
      for (;;) {
        // A transaction that calls `onChange` is not repeated, and leaves connections for `onChange`.
        if (hasHook) await slots.take()
        const done = await (hasHook ? attempt().finally(() => slots.release()) : repeated(attempt))
        if (done) return done.value
        await wait()
      }
    },
    within: (transaction, work) => run(work, perform(transaction)),
    *lock(orderId) {
      yield { sql: lock, values: [toResource(orderId)] }
    },
    plan: (operations, intent) => (transaction) => operations.plan(transaction, intent),
    migrate: () => runScript(database, postgresSql(names)),
  }
}

export function sqliteEngine(database: SqliteDatabase, names: Names): Engine {
  const tables = sqliteTables(names)
  const prepared = new Map<string, SqliteStatement>()

  function query({ sql, values }: Statement): unknown {
    // The drivers differ in how they pass numbered parameters, so each occurrence gets a value of its own.
    const ordered: (string | null)[] = []
    const text = sql.replaceAll(/\$(\d+)/g, (_, number) => {
      ordered.push(values[number - 1] ?? null)
      return '?'
    })
    const statement = prepared.get(text) ?? prepare(database, text)
    prepared.set(text, statement)
    return text.startsWith('SELECT') ? statement.all(...ordered) : statement.run(...ordered)
  }

  const perform = (step: Step) => (typeof step === 'function' ? requireSynchronous(step(database)) : query(step))
  const within = <T>(_: unknown, work: Work<T>) => run(work, perform)
  return {
    tables,
    journal: sqlite.createJournal(database, names),
    webhookStore: sqlite.createWebhookStore(database, names),
    isSynchronous: true,
    read: async (work) => within(database, work),
    async transaction(work) {
      database.exec('BEGIN IMMEDIATE')
      try {
        const result = within(database, work())
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
    within,
    // Only one transaction at a time can write to the database.
    *lock() {},
    plan: (operations, intent) => (transaction) => operations.planSync(transaction, intent),
    migrate: async () => void database.exec(tables.migration()),
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
