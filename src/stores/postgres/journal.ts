import { ConfigurationError } from '../../core/errors.js'
import { Deadline, Interrupted } from '../../core/internal/deadline.js'
import { optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import { type Begun, endFields, type JournalOptions, type JournalStore, newFields } from '../../operations/journal.js'
import { journalRules, keepBodiesForMs, toJournal } from '../../operations/journal-options.js'
import { isOpenState, toOpenCounts } from '../../operations/record.js'
import type { Database } from '../database.js'
import { fromColumns, toColumn } from '../journal-columns.js'
import { identifier } from '../store-options.js'
import { type JournalNames, journalStatements, postgresJournalTables, postgresSchemaSql } from './journal-sql.js'
import { toDatabase } from './to-database.js'
import { isolated, runScript } from './transactions.js'
import type { Connection } from './types.js'

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
 * The journal uses a connection only while a statement runs, never during a request to the service.
 *
 * @param connection A `Pool` from `pg`, or a `postgres` instance. The journal never closes it.
 * @throws {ConfigurationError} An option or the connection is invalid.
 * @example
 * const journal = createJournal(new Pool())
 * await journal.migrate()
 * const client = new PaymentsClient({ journal })
 */
export function createJournal(connection: Connection, options?: PostgresJournalOptions): Journal {
  const { schema, tablePrefix, ...others } = requireOptions(
    options,
    optionsOf<PostgresJournalOptions>({ ...journalRules, schema: identifier, tablePrefix: identifier }),
  )
  const db = toDatabase(connection)
  return toJournal(others, (rememberFor) => postgresJournal(db, { schema, tablePrefix }, rememberFor))
}

type Row = Record<string, unknown>

function postgresJournal(db: Database, names: JournalNames, rememberFor: number): JournalStore {
  const sql = journalStatements(names)
  const run = (text: string, ...values: unknown[]) => db.query(text, values)
  const rowsOf = async (text: string, ...values: unknown[]) => (await run(text, ...values)).map(fromColumns)

  const release = async (resource: string, owner: string) => void (await run(sql.release, resource, owner))

  /** Runs a statement that claims an operation. */
  async function begun(text: string, owner: string, ...values: unknown[]): Promise<Begun> {
    const [row = {}] = await run(text, owner, ...values)
    const now = Number(row['now'])
    const isClaimed = Number(row['claimed']) > 0
    if (row['key'] === null) return { isClaimed, now }
    const operation = fromColumns(row)
    const known = typeof row['known'] === 'string' ? JSON.parse(row['known']) : undefined
    // Another process finished the operation while this statement ran.
    const isOutdated = isClaimed && Number(row['begun']) === 0 && isOpenState(operation.state)
    if (isOutdated) await release(operation.resource, owner)
    return { row: operation, isClaimed: isClaimed && !isOutdated, known, now }
  }

  const begunIfFound = async (...parameters: Parameters<typeof begun>) => {
    const found = await begun(...parameters)
    return found.row && found
  }

  let ownIdentity: Promise<string> | undefined

  /** Reads the identity of the journal's table, and caches the result. Resolves to null if the query takes too long. */
  async function identityWithin(ms: number): Promise<string | null> {
    ownIdentity ??= run(sql.identity).then(([row]) => row?.['identity'] as string)
    const identity = ownIdentity
    identity.catch(() => {
      ownIdentity = undefined
    })
    return new Deadline(ms, undefined)
      .run(() => identity)
      .catch((error) => {
        if (error instanceof Interrupted) return null
        throw error
      })
  }

  return {
    name: sql.name,
    async plan(transaction, row) {
      const query = queryOf(transaction)
      // Skips the check if it takes longer than 1 second. If `transaction` has the pool's last free connection, the
      // check's query cannot run before `transaction` ends.
      const expected = await identityWithin(1_000)
      let planned: Row | undefined
      try {
        planned = (await query(sql.plan, [expected, ...newFields.map((field) => toColumn(row[field]))]))[0]
      } catch (error) {
        // If the table is missing, the transaction belongs to another database. The next statement reports this.
        if (expected === null || Object(error).code !== '42P01') throw error
      }
      if (expected !== null && planned?.['identity'] !== expected) {
        throw problem(
          'belongs to another database than the journal: use a transaction of the pool that was passed to createJournal',
        )
      }
      const [stored] = planned?.['fingerprint'] ? [planned] : await query(sql.get, [row.key])
      return stored?.['fingerprint'] as string
    },
    begin: (row, owner) => begun(sql.begin, owner, ...newFields.map((field) => toColumn(row[field]))),
    resume: (key, owner) => begunIfFound(sql.resume, owner, key),
    next: (owner, except, unacknowledged) =>
      begunIfFound(unacknowledged ? sql.nextUnacknowledged : sql.nextOpen, owner, [...except]),
    renew: async (resource, owner) => (await run(sql.renew, resource, owner)).length > 0,
    note: async (key, before) => void (await run(sql.note, key, toColumn(before))),
    async finish({ key }, owner, { row, isSent, known, onSettled }) {
      const changes = endFields.map((field) => toColumn(row[field]))
      const values = [key, owner, toColumn(known), isSent, onSettled !== undefined, ...changes]
      if (onSettled === undefined) return (await rowsOf(sql.finish, ...values))[0]
      return isolated(db, async (query, transaction) => {
        const [stored] = (await query(sql.finish, values)).map(fromColumns)
        if (stored) await onSettled({ ...stored, acknowledgedAt: undefined }, transaction)
        return stored
      })
    },
    release,
    related: ({ paymentId, orderId }) =>
      paymentId === undefined ? rowsOf(sql.relatedToOrder, orderId) : rowsOf(sql.relatedToPayment, paymentId),
    get: async (key) => (await rowsOf(sql.get, key))[0],
    list: ({ state, paymentId, before }) => rowsOf(sql.list, state, paymentId, before),
    countOpen: async () => toOpenCounts(await run(sql.countOpen)),
    migrate: () => runScript(db, postgresSchemaSql(names.schema) + postgresJournalTables(names)),
    prune: async () => Number((await run(sql.prune, rememberFor, keepBodiesForMs))[0]?.['rows']),
  }
}

/** Returns a function that runs statements in the caller's transaction. */
function queryOf(transaction: unknown): (sql: string, values: readonly unknown[]) => Promise<Row[]> {
  const { query, totalCount, unsafe, begin } = Object(transaction)
  if (typeof transaction === 'function' && typeof unsafe === 'function') {
    if (typeof begin === 'function') {
      throw problem(
        'must be the sql of a transaction, which sql.begin passes to its function, instead of the pool itself',
      )
    }
    return async (sql, values) => [...(await unsafe.call(transaction, sql, [...values]))]
  }
  if (typeof query !== 'function') throw problem('must be a client of pg, or the sql of a postgres transaction')
  if (totalCount !== undefined) {
    throw problem('must be a client that pool.connect returned and that has run BEGIN, instead of the pool itself')
  }
  return async (sql, values) => (await query.call(transaction, sql, [...values])).rows
}

function problem(text: string): ConfigurationError {
  return new ConfigurationError(`The transaction ${text}`, { operation: 'operations.plan' })
}
