import { ConfigurationError } from '../../core/errors.js'
import { Deadline, Interrupted } from '../../core/internal/deadline.js'
import { awaitQueries } from '../../core/internal/queries.js'
import { optionsOf, requireOptions } from '../../core/internal/validation.js'
import type { Journal } from '../../core/options.js'
import { type JournalOptions, journalRules } from '../../operations/journal.js'
import { toJournal } from '../../operations/recorder.js'
import type { Database } from '../database.js'
import { type JournalDatabase, sqlEngine } from '../sql-journal.js'
import { run, type Step } from '../steps.js'
import { columnOf, identifier } from '../store-options.js'
import { dialect, journalSql, lockStatements, type Names, tableOf } from './journal-sql.js'
import { openTransaction, toDatabase } from './to-database.js'
import { attempts, isolated, type Query, retried, runScript, slotsOf } from './transactions.js'
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
  return toJournal(sqlEngine(journalDatabase(toDatabase(connection), { schema, tablePrefix })), others)
}

/** The longest time to wait for a lock without a connection, in milliseconds. */
const lockWithinMs = 60_000

function journalDatabase(database: ReturnType<typeof toDatabase>, names: Names): JournalDatabase {
  const { lock, tryLock } = lockStatements(names)
  const table = tableOf(names)
  const slots = slotsOf(database)
  const requireSameDatabase = sameDatabaseCheck(database, table('operations'))
  const perform = (query: Query, transaction: unknown) => async (step: Step) =>
    typeof step === 'function' ? awaitQueries(step(transaction)) : query(step.sql, step.values)
  return {
    dialect,
    table,
    query: database.query,
    async transaction(resource, work, hasHook) {
      const attempt = () =>
        isolated(database, async (query, transaction) => {
          const [row] = await query(hasHook ? tryLock : lock, [resource])
          if (hasHook && columnOf(row, 'locked') !== 'true') return undefined
          return { result: await run(work(), perform(query, transaction)) }
        })
      // A transaction that calls a function of the merchant is not retried, and leaves connections for this function.
      const done = hasHook ? await attempts(slots, lockWithinMs, attempt) : await retried(attempt)
      if (done) return done.result
      throw new Error(`The resource ${resource} is locked`)
    },
    async within(transaction, { resource, orderId }, work) {
      const query = await openTransaction(database, transaction)
      await requireSameDatabase(query)
      // Only the payments of an order depend on each other. A lock on a payment would delay its running operations.
      if (orderId !== undefined) await query(lock, [resource])
      return run(work(), perform(query, transaction))
    },
    migrate: () => runScript(database, journalSql(names)),
  }
}

/** Returns a function that throws if the caller's transaction is on another database than the journal's table. */
function sameDatabaseCheck(database: Database, table: string): (query: Query) => Promise<void> {
  const identitySql = `SELECT current_database() || '.' || coalesce(to_regclass('${table}')::oid::text, '') AS identity`
  const read = async (query: Query) => columnOf((await query(identitySql, []))[0], 'identity')
  let known: Promise<string> | undefined
  const ownIdentity = async () => {
    known ??= read(database.query)
    try {
      const identity = await known
      // A missing table may exist later.
      if (identity.endsWith('.')) known = undefined
      return identity
    } catch (error) {
      known = undefined
      throw error
    }
  }
  return async (query) => {
    // Skips the check if it takes longer than 1 second. The caller's transaction may hold the pool's only connection.
    const expected = await new Deadline(1_000, undefined).run(ownIdentity).catch((error) => {
      if (!(error instanceof Interrupted)) throw error
    })
    if (expected === undefined || expected === (await read(query))) return
    throw new ConfigurationError(
      'The transaction belongs to another database than the journal: use a transaction of the database that was passed to createJournal',
      { operation: 'operations.plan' },
    )
  }
}
