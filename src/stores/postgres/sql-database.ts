import { ConfigurationError } from '../../core/errors.js'
import { Deadline, Interrupted } from '../../core/internal/deadline.js'
import { awaitQueries } from '../../core/internal/queries.js'
import { type Runtime, systemRuntime } from '../../core/internal/runtime.js'
import type { Database } from '../database.js'
import { query, run, type SqlDatabase, type Steps } from '../steps.js'
import { columnOf } from '../store-options.js'
import { dialect, lockStatements, migrationOf, type Names, tableOf } from './sql.js'
import { openTransaction, toDatabase } from './to-database.js'
import { attempts, isolated, type Query, ResourceLocked, retried, runScript, slotsOf } from './transactions.js'
import type { Connection } from './types.js'

/** The default limit for waiting for a lock, in milliseconds. No connection is in use during the wait. */
const lockWithinMs = 60_000

/** @param runtime Returns the timers for waits. */
export function sqlDatabase(connection: Connection, names: Names, runtime = (): Runtime => systemRuntime): SqlDatabase {
  const database = toDatabase(connection)
  const statements = lockStatements(names)
  const table = tableOf(names)
  const slots = slotsOf(database)
  const requireSameDatabase = sameDatabaseCheck(database, table('operations'))
  const runIn = <T>(steps: Steps<T>, transaction?: unknown) =>
    run(steps, async (step) => {
      if (typeof step === 'function') return awaitQueries(step(transaction))
      const { sql, values } = step
      return transaction === undefined ? database.query(sql, values) : database.queryIn(transaction, sql, values)
    })
  function* lock(resource: string): Steps<void> {
    yield* query(statements.lock, resource)
  }
  function* tryLock(resource: string): Steps<void> {
    const [row] = yield* query(statements.tryLock, resource)
    if (columnOf(row, 'locked') === 'false') throw new ResourceLocked()
  }
  return {
    dialect,
    isSynchronous: false,
    table,
    query: database.query,
    run: runIn,
    async runWithin(transaction, steps) {
      await requireSameDatabase(await openTransaction(database, transaction))
      return runIn(steps, transaction)
    },
    async transaction<T>(
      resource: string | undefined,
      work: () => Steps<T>,
      hasHook: boolean,
      deadline = hasHook ? new Deadline(lockWithinMs, undefined, runtime()) : undefined,
    ): Promise<T> {
      const attempt = (lockOrThrow: SqlDatabase['lock']) =>
        isolated(database, async (_, transaction) => {
          if (resource !== undefined) await runIn(lockOrThrow(resource), transaction)
          return runIn(work(), transaction)
        })
      // Waits in the database, which keeps a connection busy, only if `work` calls no function of the application.
      if (deadline === undefined) return retried(() => attempt(lock))
      // A transaction with a hook is not retried. The slots ensure that connections remain for the hook's own queries.
      return hasHook
        ? attempts(() => attempt(tryLock), deadline, slots)
        : attempts(() => retried(() => attempt(tryLock)), deadline)
    },
    lock,
    tryLock,
    migrate: (tables) => runScript(database, migrationOf(tables, names)),
  }
}

/** Returns a function that throws if the caller's transaction is not in the same database as the journal. */
function sameDatabaseCheck(database: Database, table: string): (query: Query) => Promise<void> {
  const identitySql = `SELECT current_database() || '.' || coalesce(to_regclass('${table}')::oid::text, '') AS identity`
  const read = async (query: Query) => columnOf((await query(identitySql, []))[0], 'identity')
  let known: Promise<string> | undefined
  const ownIdentity = async () => {
    known ??= read(database.query)
    try {
      const identity = await known
      // Forgets the result for a missing table, because the table may be created later.
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
      'The transaction belongs to another database than the journal: use a transaction of the database that was passed to createJournal or createOrders',
      { operation: 'operations.plan' },
    )
  }
}
