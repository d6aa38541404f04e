import { ConfigurationError } from '../core/errors.js'
import { awaitQueries } from '../core/internal/queries.js'
import type { Journal } from '../core/options.js'
import type { OperationIntent } from '../operations/intent.js'
import type { Operations } from '../operations/operations.js'
import type { WebhookStore } from '../stores/contract.js'
import type { Database } from '../stores/database.js'
import { createWebhookStore } from '../stores/postgres/index.js'
import {
  createJournal,
  lockStatements,
  missingIndexesOnly,
  postgresSchemaStatements,
} from '../stores/postgres/journal.js'
import { toDatabase } from '../stores/postgres/to-database.js'
import type { PgPool } from '../stores/postgres/types.js'
import type { SqliteDatabase, SqliteStatement } from '../stores/sqlite/connection.js'
import * as sqlite from '../stores/sqlite/index.js'
import type { SqlMaintenance } from '../stores/store-options.js'
import { run, type Step, Tables, type Work } from './tables.js'

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
  /** Runs one statement outside a transaction. */
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

const defaultPrefix = 'payments_client_'

export function postgresTables({ tablePrefix = defaultPrefix, schema = 'public' }: Names): Tables {
  return new Tables((table) => `"${schema}"."${tablePrefix}${table}"`)
}

/** Returns the statements that create the tables of the orders in PostgreSQL. */
export function postgresStatements(names: Names): string[] {
  const statements = postgresTables(names).migrations()
  return [...postgresSchemaStatements(names.schema), ...statements.map((sql) => missingIndexesOnly(sql, names.schema))]
}

/** @param toResource Returns the name by which the journal locks an order. */
export function postgresEngine(connection: unknown, names: Names, toResource: (orderId: string) => string): Engine {
  const database = toDatabase(connection as Database)
  const { lock, tryLock } = lockStatements(names)
  const perform = (transaction: unknown) => (step: Step) =>
    typeof step === 'function'
      ? awaitQueries(step(transaction))
      : Promise.resolve(database.queryIn(transaction, step.sql, step.values))
  return {
    tables: postgresTables(names),
    journal: createJournal(database, names),
    webhookStore: createWebhookStore(connection as PgPool, names),
    isSynchronous: false,
    read: async (work) =>
      run(work, (step) => Promise.resolve(database.query((step as Statement).sql, (step as Statement).values))),
    async transaction<T>(work: () => Work<T>, orderId: string | undefined, wait: () => Promise<void>) {
      for (;;) {
        const done = await database.transaction(async (transaction) => {
          await database.queryIn(transaction, 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED', [])
          if (orderId !== undefined) {
            const [row] = await database.queryIn(transaction, tryLock, [toResource(orderId)])
            if (Object.values(Object(row))[0] !== 'true') return undefined
          }
          return { value: await run(work(), perform(transaction)) }
        })
        if (done) return done.value
        await wait()
      }
    },
    within: (transaction, work) => run(work, perform(transaction)),
    *lock(orderId) {
      yield { sql: lock, values: [toResource(orderId)] }
    },
    plan: (operations, intent) => (transaction) => operations.plan(transaction, intent),
    migrate: () =>
      database.transaction(async (transaction) => {
        for (const sql of postgresStatements(names)) await database.queryIn(transaction, sql, [])
      }),
  }
}

type Statement = Exclude<Step, (transaction: unknown) => unknown>

export function sqliteTables({ tablePrefix = defaultPrefix }: Names): Tables {
  return new Tables((table) => `"${tablePrefix}${table}"`)
}

export function sqliteEngine(database: SqliteDatabase, names: Names): Engine {
  const tables = sqliteTables(names)
  const prepared = new Map<string, SqliteStatement>()

  function query({ sql, values }: Statement): unknown {
    const ordered: (string | null)[] = []
    const text = sql.replaceAll(/\$(\d+)/g, (_, number) => {
      ordered.push(values[number - 1] ?? null)
      return '?'
    })
    const statement = prepared.get(text) ?? database.prepare(text)
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
        database.exec('ROLLBACK')
        throw error
      }
    },
    within,
    // Only one transaction at a time can write to the database.
    *lock() {},
    plan: (operations, intent) => (transaction) => operations.planSync(transaction, intent),
    async migrate() {
      for (const sql of tables.migrations()) database.exec(sql)
    },
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
