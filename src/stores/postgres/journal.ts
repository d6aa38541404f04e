import { ConfigurationError } from '../../core/errors.js'
import { Deadline, Interrupted } from '../../core/internal/deadline.js'
import { optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import { type Engine, type JournalOptions, journalRules, type Place } from '../../operations/journal.js'
import { toJournal } from '../../operations/operations.js'
import { toOpenCounts } from '../../operations/record.js'
import type { Change, Held, Hook } from '../../operations/rules.js'
import type { Database, Row } from '../database.js'
import { fromClaimColumns, fromColumns, fromColumnsOrDamaged, toClaimColumns, toColumns } from '../journal-columns.js'
import { identifier } from '../store-options.js'
import {
  type JournalNames,
  journalStatements,
  postgresJournalTables,
  postgresSchemaSql,
  tableOf,
} from './journal-sql.js'
import { openTransaction, toDatabase } from './to-database.js'
import { isolated, type Query, repeated, runScript } from './transactions.js'
import type { Connection, TransactionOf } from './types.js'

/** Options for `createJournal` with PostgreSQL. */
export interface PostgresJournalOptions extends JournalOptions {
  /** Schema of the tables. @default 'public' */
  schema?: string
  /** Prefix of the table names. @default 'payments_client_' */
  tablePrefix?: string
}

/**
 * Creates a journal in PostgreSQL, for the client's option `journal`. Processes on many machines can share it.
 *
 * The journal uses a connection only while a transaction runs, never during a request to the service.
 *
 * @param connection A `Pool` from `pg`, a `postgres` instance, or a `Database`, for example from `fromPrisma`. The
 * journal never closes it.
 * @throws {ConfigurationError} An option or the connection is invalid.
 * @example
 * const journal = createJournal(new Pool())
 * await journal.migrate()
 * const client = new PaymentsClient({ journal })
 */
export function createJournal<Pool extends Connection>(
  connection: Pool,
  options?: PostgresJournalOptions,
): Journal<TransactionOf<Pool>> {
  const shape = { ...journalRules, schema: identifier, tablePrefix: identifier }
  const { schema, tablePrefix, ...others } = requireOptions(options, optionsOf<PostgresJournalOptions>(shape))
  return toJournal(new PostgresEngine(toDatabase(connection), { schema, tablePrefix }), others)
}

class PostgresEngine implements Engine {
  readonly name: string
  readonly #database: Database
  readonly #names: JournalNames
  readonly #sql: ReturnType<typeof journalStatements>
  #identity: Promise<string> | undefined

  constructor(database: Database, names: JournalNames) {
    this.#database = database
    this.#names = names
    this.#sql = journalStatements(names)
    this.name = tableOf(names)('operations')
  }

  async update<T>(place: Place, work: (held: Held) => Change<T>, hasHook = false): Promise<T> {
    const start = Date.now()
    for (;;) {
      const run = () =>
        isolated(this.#database, async (query, transaction) => {
          const lock = hasHook ? this.#sql.tryLock : this.#sql.lock
          const [locked] = await query(lock, [place.resource])
          if (hasHook && textOf(locked, 'locked') !== 'true') return undefined
          const { result, hook } = await this.#apply(query, place, work, this.#sql.readForUpdate)
          if (hook) await callHook(query, transaction, hook)
          return { result }
        })
      // A transaction that calls a function of the merchant is not repeated.
      const done = await (hasHook ? run() : repeated(run))
      if (done) return done.result
      if (Date.now() - start > lockWithinMs) throw new Error(`The resource ${place.resource} is locked`)
      await new Promise((resolve) => setTimeout(resolve, lockRetryMs))
    }
  }

  async updateIn<T>(transaction: unknown, place: Place, work: (held: Held) => Change<T>): Promise<T> {
    const query = await openTransaction(this.#database, transaction)
    await this.#requireSameDatabase(query)
    // Only the payments of an order depend on each other. A lock on a payment would delay its running operations.
    if (place.orderId !== undefined) await query(this.#sql.lock, [place.resource])
    return (await this.#apply(query, place, work, this.#sql.read)).result
  }

  /** Reads the state, and stores the change that `work` returns for it. */
  async #apply<T>(query: Query, place: Place, work: (held: Held) => Change<T>, read: string): Promise<Change<T>> {
    for (;;) {
      const { resource, key = null, orderId = null } = place
      const held = heldIn((await query(read, [resource, key, orderId]))[0])
      const change = work(held)
      const { row, claim, learned } = change
      if (row === undefined && claim === undefined) return change
      const [written] = await query(this.#sql.write, [
        row ? JSON.stringify(toColumns(row)) : null,
        held.row === undefined ? 'false' : 'true',
        claim ? JSON.stringify(toClaimColumns(resource, claim)) : null,
        learned ? JSON.stringify(toClaimColumns(learned.resource, learned.claim)) : null,
      ])
      // Another transaction has stored a record with this key since it was read.
      if (row === undefined || textOf(written, 'records') === '1') return change
    }
  }

  /** Throws if the caller's transaction is on another database. */
  async #requireSameDatabase(query: Query): Promise<void> {
    // Skips the check if it takes longer than 1 second. The caller's transaction may hold the pool's only connection.
    const expected = await this.#identityWithin(1_000)
    if (expected === undefined) return
    const [row] = await query(this.#sql.identity, [])
    if (textOf(row, 'identity') === expected) return
    throw new ConfigurationError(
      'The transaction belongs to another database than the journal: use a transaction of the database that was passed to createJournal',
      { operation: 'operations.plan' },
    )
  }

  /** Reads the identity of the journal's table, and caches it. Resolves to undefined if the query takes too long. */
  async #identityWithin(ms: number): Promise<string | undefined> {
    this.#identity ??= this.#database
      .query(this.#sql.identity, [])
      .then(([row]) => textOf(row, 'identity'))
      .then((identity) => {
        // A missing table is reported by the next statement. It may exist later.
        if (identity.endsWith('.')) this.#identity = undefined
        return identity
      })
    const identity = this.#identity
    identity.catch(() => {
      this.#identity = undefined
    })
    try {
      return await new Deadline(ms, undefined).run(() => identity)
    } catch (error) {
      if (error instanceof Interrupted) return undefined
      throw error
    }
  }

  async next({ baseUrl, except, unacknowledged }: Parameters<Engine['next']>[0]): Promise<Place | undefined> {
    const sql = unacknowledged ? this.#sql.nextUnacknowledged : this.#sql.nextOpen
    const [row] = await this.#database.query(sql, [baseUrl, JSON.stringify(except)])
    if (row === undefined) return undefined
    const { key, resource, order_id: orderId } = JSON.parse(textOf(row, 'place'))
    return { key, resource, orderId: orderId ?? undefined }
  }

  async countSkipped({ baseUrl, except }: Parameters<Engine['countSkipped']>[0]) {
    const [row] = await this.#database.query(this.#sql.countSkipped, [baseUrl, JSON.stringify(except)])
    const first = textOf(row, 'first')
    return {
      waiting: Number(textOf(row, 'waiting')),
      foreign: Number(textOf(row, 'foreign')),
      firstForeign: first === '' ? undefined : first,
    }
  }

  async find(key: string) {
    const [row] = await this.#database.query(this.#sql.find, [key])
    return row && fromColumns(textOf(row, 'record'))
  }

  async related({ paymentId, orderId }: Parameters<Engine['related']>[0]) {
    const sql = paymentId === undefined ? this.#sql.relatedToOrder : this.#sql.relatedToPayment
    const rows = await this.#database.query(sql, [paymentId ?? orderId ?? null])
    return rows.map((row) => fromColumns(textOf(row, 'record')))
  }

  async list({ state, paymentId, before }: Parameters<Engine['list']>[0]) {
    const values = [state ?? null, paymentId ?? null, before === undefined ? null : String(before)]
    const rows = await this.#database.query(this.#sql.list, values)
    return rows.map((row) => fromColumnsOrDamaged(textOf(row, 'record')))
  }

  async countOpen() {
    const rows = await this.#database.query(this.#sql.countOpen, [])
    return toOpenCounts(rows.map((row) => [textOf(row, 'state'), Number(textOf(row, 'number'))]))
  }

  migrate() {
    return runScript(this.#database, postgresSchemaSql(this.#names.schema) + postgresJournalTables(this.#names))
  }

  async prune({ recordsMs, bodiesMs }: Parameters<Engine['prune']>[0]) {
    const [row] = await this.#database.query(this.#sql.prune, [String(recordsMs), String(bodiesMs)])
    return Number(textOf(row, 'changed'))
  }
}

/** The longest time to wait for a lock without a connection, and the time between two attempts, in milliseconds. */
const lockWithinMs = 60_000
const lockRetryMs = 25

async function callHook(query: Query, transaction: unknown, hook: Hook): Promise<void> {
  const activity = async () => textOf((await query(activitySql, []))[0], 'activity')
  const before = await activity()
  await hook.call(transaction)
  if ((await activity()) === before) hook.onIdle()
}

/** Reads a column that is always text. A missing value must never look like an absent record. */
function textOf(row: Row | undefined, column: string): string {
  const value = row?.[column]
  if (typeof value === 'string') return value
  throw new ConfigurationError(`The journal cannot read the column ${column} of a result, because it is not a string`)
}

function heldIn(row: Row | undefined): Held {
  const [claim, record, creates] = ['claim', 'record', 'creates'].map((column) => textOf(row, column))
  return {
    now: Number(textOf(row, 'now')),
    claim: claim ? fromClaimColumns(claim) : undefined,
    row: record ? fromColumns(record) : undefined,
    creates: creates ? (JSON.parse(creates) as object[]).map((create) => fromColumns(JSON.stringify(create))) : [],
  }
}

/** The number of rows that the current transaction has read or written, for any library. */
const activitySql = `SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del), 0)::text
  AS activity FROM pg_stat_xact_user_tables`
