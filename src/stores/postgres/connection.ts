import { ConfigurationError } from '../../core/errors.js'
import { findNodeCrypto, sha256Sync } from '../../core/internal/bytes.js'
import { Slots } from '../../core/internal/slots.js'
import { ignoreConnectionErrors } from '../store-options.js'
import { EndedError, TransactionGuard } from './transaction-guard.js'
import type { PgClient, PgPool, PgResult, PgTransaction, PostgresSql } from './types.js'

export type Rows = Record<string, unknown>[]
type Query = (sql: string, values: readonly unknown[]) => Promise<Rows>

/** An open transaction on one connection. */
export interface Transaction {
  /** The value that the webhook function receives as `context.transaction`. */
  readonly given: unknown
  readonly query: Query
  /** Aborts if the connection is lost while the function runs. */
  readonly lost: AbortSignal
}

/** A statement to prepare, because PostgreSQL takes longer to plan it than to execute it. */
interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** A function that runs in a transaction. `rows` contains the result of the transaction's first statement. */
type Work<T> = (transaction: Transaction, rows: Rows) => Promise<T>

export interface Connection {
  readonly query: Query
  /**
   * Runs a statement as a prepared statement, if the connection supports this. Rejects if another transaction is open
   * on the connection, because its ROLLBACK would undo the statement.
   */
  prepared(statement: Statement): Promise<Rows>
  /** Returns true only if a transaction certainly belongs to this pool. */
  owns(transaction: unknown): boolean
  /** Runs several statements in one transaction. */
  script(sql: string): Promise<void>
  /**
   * Runs a statement and then `work` in a transaction, on one connection. Rejects unless this transaction was committed.
   *
   * Two of the pool's connections remain free for queries that `work` sends outside the transaction. So if the pool has
   * `max` connections, at most `max - 2` transactions (but at least one) run at the same time. Further transactions
   * wait without a connection.
   *
   * @param waitMs Milliseconds to wait for other transactions. After that, resolves to undefined. @default no limit
   */
  begin<T>(first: Statement, work: Work<T>, waitMs?: number): Promise<T | undefined>
}

/** Thrown if a webhook function ended its own transaction. The statements that it sent before may be committed. */
export class TransactionEndedError extends Error {
  constructor() {
    super(
      'The webhook function ended the transaction: throw an error instead of running ROLLBACK, and do not run COMMIT',
    )
  }
}

/** Thrown if other code returned a connection to the pool without ending its transaction. */
class TransactionOpenError extends Error {
  constructor() {
    super('The connection is already within a transaction')
  }
}

const connections = new WeakMap<object, Connection>()

/**
 * Returns a `Connection`, which has the same functions for both drivers. All stores on a pool share one `Connection`,
 * and with it the limit for concurrent transactions.
 *
 * @throws {ConfigurationError} The value is of another type.
 */
export function openConnection(pool: PgPool | PostgresSql): Connection {
  const opened = connections.get(Object(pool)) ?? create(pool)
  connections.set(pool, opened)
  return opened
}

function create(pool: PgPool | PostgresSql): Connection {
  const driver = isPostgres(pool) ? postgresDriver(pool) : isPg(pool) ? pgDriver(pool) : undefined
  if (driver === undefined) {
    throw new ConfigurationError('The connection must be a Pool from pg or an instance of postgres')
  }
  const { max = 10 } = pool.options ?? {}
  const slots = new Slots(Math.max(1, max - 2))
  return {
    ...driver,
    async begin(first, work, waitMs) {
      if (!(await slots.take(waitMs))) return undefined
      try {
        return await driver.begin(first, work)
      } finally {
        slots.release()
      }
    },
  }
}

function isPostgres(pool: unknown): pool is PostgresSql {
  const { unsafe, begin } = Object(pool) as Partial<PostgresSql>
  return typeof pool === 'function' && typeof unsafe === 'function' && typeof begin === 'function'
}

function isPg(pool: unknown): pool is PgPool {
  const { connect, query, totalCount } = Object(pool) as Partial<PgPool>
  return typeof connect === 'function' && typeof query === 'function' && typeof totalCount === 'number'
}

interface Driver extends Connection {
  begin<T>(first: Statement, work: Work<T>): Promise<T>
}

// Stricter isolation would hide rows that were committed while the transaction waited for its advisory locks.
const isolation = 'isolation level read committed'

// The savepoint exists only in the transaction that `begin` started. If `work` ended this transaction, releasing the
// savepoint fails.
const savepoint = 'SAVEPOINT payments_client'
const undo = `ROLLBACK TO ${savepoint}`

/** Converts an error of `RELEASE SAVEPOINT` to an error that explains the problem in the caller's function. */
function failedCheck(error: unknown): unknown {
  const { code } = Object(error)
  if (code === '25P02') return new Error('The transaction was rolled back: one of its statements failed')
  return /^(25P01|3B001)$/.test(code) ? new TransactionEndedError() : error
}

/**
 * Returns whether a prepared statement is missing or already exists. The pool is then behind a proxy such as PgBouncer,
 * which uses another connection to the server for each transaction.
 */
const isUnknownStatement = (error: unknown) => /^(26000|42P05)$/.test(Object(error).code)

const statementNames = new Map<string, string>()

/**
 * Returns a name for a prepared statement. It is the same for the same SQL in all processes, because a proxy may share
 * one connection among several processes.
 */
function nameOf(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const name = `payments_client_${sha256Sync(text)?.slice(0, 32)}`
  statementNames.set(text, name)
  return name
}

/** Matches printable ASCII without `'` and `\`. A literal of it needs no escapes, in any encoding of the server. */
const needsNoEscapes = /^[ -&(-[\]-~]*$/

/** Returns whether a value can be a literal in SQL. Other values must be parameters. */
const canBeLiteral = (value: unknown) =>
  value === null || (typeof value !== 'object' && needsNoEscapes.test(String(value)))

const toLiteral = (value: unknown) => (value === null || value === undefined ? 'NULL' : `'${value}'`)

/** The property of a `pg` client that the driver's types omit. Absent with `pg-native`. */
interface ClientInternals {
  readonly connection?: { on(event: 'readyForQuery', listener: (message: { status: string }) => void): void }
}

/** The state of one of a pool's connections. */
class Session {
  /** The transaction status that the server sent with the latest result. `I` means: no transaction is open. */
  status = 'I'
  /** Why the connection was lost. */
  error: Error | undefined
  /** Aborts if the connection is lost while a webhook function uses it. */
  lost: AbortController | undefined
  /** The names of the statements that the connection has prepared, by their SQL. */
  readonly prepared = new Map<string, string>()

  constructor(client: PgClient & ClientInternals) {
    client.connection?.on('readyForQuery', ({ status }) => {
      this.status = status
    })
    client.on('error', (error) => {
      this.error = error
      this.lost?.abort(error)
    })
  }

  /** Throws if other code returned the connection without ending its transaction. */
  requireNoTransaction(): void {
    if (this.status !== 'I') throw new TransactionOpenError()
  }
}

function pgDriver(pool: PgPool): Driver {
  ignoreConnectionErrors(pool)
  /** Whether connections can prepare statements under a name. False behind some proxies. Names need `node:crypto`. */
  let canNameStatements = findNodeCrypto() !== undefined
  /** Whether `EXECUTE` finds a statement that was prepared on the same connection. False behind some proxies. */
  let canExecuteByName = true
  const begin = `BEGIN ${isolation}; ${savepoint}`
  const sessions = new WeakMap<object, Session>()
  /** The class of this pool's transactions. */
  class OwnTransaction implements PgTransaction {
    constructor(readonly query: PgTransaction['query']) {}
  }

  function sessionOf(client: PgClient): Session {
    const session = sessions.get(client) ?? new Session(client)
    sessions.set(client, session)
    return session
  }
  const onAcquire = pool as unknown as { on(event: 'acquire', listener: (client: PgClient) => void): void }
  onAcquire.on('acquire', sessionOf)

  /** Starts a transaction with a statement. Needs one round trip if the statement is already prepared. */
  async function start(client: PgClient, session: Session, first: Statement): Promise<Rows> {
    const name = session.prepared.get(first.text)
    if (!canExecuteByName || name === undefined || !first.values.every(canBeLiteral)) {
      await client.query(begin)
      return prepareIn(client, session, first)
    }
    try {
      const results: unknown = await client.query(`${begin}; EXECUTE ${name} (${first.values.map(toLiteral)})`)
      return (results as PgResult[]).at(-1)?.rows ?? []
    } catch (error) {
      if (!isUnknownStatement(error)) throw error
      await rollBack(client)
      canExecuteByName = false
      return prepareIn(client, session, first)
    }
  }

  /**
   * Runs a statement. The connection also prepares it for later, if possible.
   *
   * @param undo If the named statement fails, `undo` runs, and then the statement is sent again without a name.
   */
  async function runAndPrepare(
    client: Pick<PgClient, 'query'>,
    { text, values }: Statement,
    undo = async () => {},
  ): Promise<Rows> {
    const query = { text, values: [...values] }
    if (canNameStatements) {
      try {
        return (await client.query({ ...query, name: nameOf(text) })).rows
      } catch (error) {
        if (!isUnknownStatement(error)) throw error
        await undo()
        canNameStatements = false
      }
    }
    return (await client.query(query)).rows
  }

  async function prepareIn(client: PgClient, session: Session, statement: Statement): Promise<Rows> {
    const rows = await runAndPrepare(client, statement, () => rollBack(client))
    if (canNameStatements) session.prepared.set(statement.text, nameOf(statement.text))
    return rows
  }

  const rollBack = async (client: PgClient) => void (await client.query(undo))

  return {
    query: async (sql, values) => (await pool.query(sql, [...values])).rows,
    async prepared(statement) {
      const client = await pool.connect()
      const session = sessionOf(client)
      try {
        const rows = await runAndPrepare(client, statement)
        session.requireNoTransaction()
        return rows
      } catch (error) {
        // Closing the connection also rolls back its transaction.
        session.error ??= error as Error
        throw error
      } finally {
        client.release(session.error)
      }
    },
    owns: (transaction) => transaction instanceof OwnTransaction || sessions.has(Object(transaction)),
    async script(sql) {
      await pool.query(sql)
    },
    async begin(first, work) {
      const client = await pool.connect()
      const session = sessionOf(client)
      const lost = new AbortController()
      session.lost = lost
      let hasEnded = false
      const given = new OwnTransaction((...parameters) =>
        hasEnded ? Promise.reject(new EndedError()) : client.query(...parameters),
      )
      const query: Query = async (sql, values) => (await client.query(sql, [...values])).rows
      const end = () => {
        hasEnded = true
        session.lost = undefined
      }
      try {
        session.requireNoTransaction()
        const rows = await start(client, session, first)
        const result = await work({ given, query, lost: lost.signal }, rows)
        end()
        await client.query(`RELEASE ${savepoint}; COMMIT`)
        return result
      } catch (error) {
        const isCommitError = hasEnded
        end()
        await client.query('ROLLBACK').catch((error) => {
          session.error ??= error
        })
        throw isCommitError ? failedCheck(error) : error
      } finally {
        client.release(session.error)
      }
    },
  }
}

function postgresDriver(sql: PostgresSql): Driver {
  const queryOn =
    (on: PostgresSql): Query =>
    async (text, values) => [...(await on.unsafe(text, [...values]))]
  const own = new WeakSet<object>()
  return {
    query: queryOn(sql),
    prepared: async ({ text, values }) => [...(await sql.unsafe(text, [...values], { prepare: true }))],
    // A transaction has the same function `json` as the instance that started it, so `json` identifies the instance.
    owns: (transaction) => own.has(Object(transaction)) || Object(transaction).json === Object(sql).json,
    async script(text) {
      await sql.unsafe(text)
    },
    async begin<T>(first: Statement, work: Work<T>) {
      const guard = new TransactionGuard()
      const lost = new AbortController()
      let running: Promise<unknown> | undefined
      let check: Promise<unknown> | undefined
      const run = async (transaction: PostgresSql) => {
        own.add(transaction)
        const query = queryOn(transaction)
        // This query is not awaited, so that the driver sends it together with the first statement.
        query(savepoint, []).catch(() => {})
        const rows = [...(await transaction.unsafe(first.text, [...first.values], { prepare: true }))]
        const result = await work({ given: transaction, query, lost: lost.signal }, rows)
        // Does not await this query, so that the driver sends it together with COMMIT.
        check = query(`RELEASE ${savepoint}`, [])
        check.catch(() => {})
        return result
      }
      const start = (transaction: PostgresSql) => {
        const result = run(transaction)
        running = result
          .catch(() => {})
          .then(() => {
            running = undefined
          })
        return result
      }
      try {
        const result = (await sql.begin(isolation, guard.protect(start))) as T
        await check?.catch((error) => {
          throw failedCheck(error)
        })
        return result
      } catch (error) {
        guard.hasEnded = true
        // The driver's `begin` rejects when the connection is lost, although the webhook function still runs. This code
        // aborts `lost` and waits until the function ends.
        if (running) lost.abort(error)
        await running
        throw error
      } finally {
        guard.hasEnded = true
      }
    },
  }
}
