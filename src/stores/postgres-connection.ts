import { createHash } from 'node:crypto'
import { ConfigurationError } from '../errors.js'
import { unicodeEscape } from '../internal/escape.js'
import { Limiter } from './limiter.js'
import { EndedError, TransactionGuard } from './postgres-transaction-guard.js'
import type { PgClient, PgPool, PgResult, PostgresSql } from './postgres-types.js'
import { ignoreConnectionErrors } from './store-options.js'

export type Rows = Record<string, unknown>[]
type Query = (sql: string, values: readonly unknown[]) => Promise<Rows>

/** An open transaction on one connection. */
export interface Transaction {
  /** The value that the webhook function receives as `context.transaction`. */
  readonly given: unknown
  readonly query: Query
  /** Undoes everything since the start of the transaction. */
  undo(): Promise<void>
  /** Aborts if the connection is lost while the function runs. */
  readonly lost: AbortSignal
}

/** A statement to prepare, because PostgreSQL takes longer to plan it than to execute it. */
interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** A function that runs in a transaction. `rows` contains the results of the transaction's first statements. */
type Work<T> = (transaction: Transaction, rows: readonly Rows[]) => Promise<T>

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
   * Runs statements and then `work` in a transaction, on one connection. Rejects unless this transaction was committed.
   *
   * Two of the pool's connections remain free for queries that `work` sends outside the transaction. So if the pool has
   * `max` connections, at most `max - 2` transactions (but at least one) run at the same time. Further transactions
   * wait without a connection.
   *
   * @param waitMs Milliseconds to wait for other transactions. After that, resolves to undefined. @default no limit
   */
  begin<T>(first: readonly Statement[], work: Work<T>, waitMs?: number): Promise<T | undefined>
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
  const limit = new Limiter(Math.max(1, max - 2))
  return { ...driver, begin: (first, work, waitMs) => limit.run(() => driver.begin(first, work), waitMs) }
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
  begin<T>(first: readonly Statement[], work: Work<T>): Promise<T>
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
  const name = `payments_client_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
  statementNames.set(text, name)
  return name
}

/** Returns a string literal in SQL. It contains only letters, digits, `_`, `:`, `.`, `-` and Unicode escapes. */
function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  const text = String(value)
    .toWellFormed()
    .replace(/[^\w:.-]/g, unicodeEscape)
  return `E'${text}'`
}

const isPrimitive = (value: unknown) => typeof value !== 'object' || value === null

/** The property of a `pg` client that the driver's types omit. Absent with `pg-native`. */
interface ClientInternals {
  readonly connection?: { on(event: 'readyForQuery', listener: (message: { status: string }) => void): void }
}

function pgDriver(pool: PgPool): Driver {
  ignoreConnectionErrors(pool)
  /** Whether connections can prepare statements under a name. False behind some proxies. */
  let canNameStatements = true
  /** Whether `EXECUTE` finds a statement that was prepared on the same connection. False behind some proxies. */
  let canExecuteByName = true
  /** The SQL of the statements that each connection has prepared. */
  const prepared = new WeakMap<PgClient, Set<string>>()
  const begin = `BEGIN ${isolation}; ${savepoint}`
  const own = new WeakSet<object>()
  /** The transaction status that the server sent with each client's latest result. `I` means: no transaction is open. */
  const statuses = new WeakMap<object, string>()
  const onAcquire = pool as unknown as { on(event: 'acquire', listener: (client: ClientInternals) => void): void }
  onAcquire.on('acquire', (client) => {
    if (!own.has(client)) client.connection?.on('readyForQuery', ({ status }) => statuses.set(client, status))
    own.add(client)
  })
  const checkStatus = (client: PgClient) => {
    if ((statuses.get(client) ?? 'I') !== 'I') throw new TransactionOpenError()
  }

  /** Starts a transaction with its first statements. Needs one round trip if all of them are prepared. */
  async function start(client: PgClient, first: readonly Statement[]): Promise<Rows[]> {
    const isExecutable = ({ text, values }: Statement) => prepared.get(client)?.has(text) && values.every(isPrimitive)
    if (!canExecuteByName || !first.every(isExecutable)) {
      await client.query(begin)
      return prepareIn(client, first)
    }
    try {
      const executions = first.map(({ text, values }) => `; EXECUTE ${nameOf(text)} (${values.map(toLiteral)})`)
      const results: unknown = await client.query(begin + executions.join(''))
      return (results as PgResult[]).slice(-first.length).map(({ rows }) => rows)
    } catch (error) {
      if (!isUnknownStatement(error)) throw error
      await rollBack(client)
      canExecuteByName = false
      return prepareIn(client, first)
    }
  }

  /**
   * Runs statements. The connection also prepares them for later, if possible.
   *
   * @param undo If a named statement fails, `undo` runs, and then all statements are sent again without names.
   */
  async function runAndPrepare(
    client: Pick<PgClient, 'query'>,
    statements: readonly Statement[],
    undo = async () => {},
  ): Promise<Rows[]> {
    const runAll = async (isNamed: boolean) => {
      const results: Rows[] = []
      for (const { text, values } of statements) {
        const name = isNamed ? { name: nameOf(text) } : undefined
        results.push((await client.query({ ...name, text, values: [...values] })).rows)
      }
      return results
    }
    if (!canNameStatements) return runAll(false)
    try {
      return await runAll(true)
    } catch (error) {
      if (!isUnknownStatement(error)) throw error
      await undo()
      canNameStatements = false
      return runAll(false)
    }
  }

  async function prepareIn(client: PgClient, statements: readonly Statement[]): Promise<Rows[]> {
    const results = await runAndPrepare(client, statements, () => rollBack(client))
    if (!canNameStatements) return results
    const texts = prepared.get(client) ?? new Set()
    prepared.set(client, texts)
    for (const { text } of statements) texts.add(text)
    return results
  }

  const rollBack = async (client: PgClient) => void (await client.query(undo))

  return {
    query: async (sql, values) => (await pool.query(sql, [...values])).rows,
    async prepared(statement) {
      const client = await pool.connect()
      let broken: Error | undefined
      const onError = (error: Error) => {
        broken = error
      }
      client.on('error', onError)
      try {
        const [rows = []] = await runAndPrepare(client, [statement])
        checkStatus(client)
        return rows
      } catch (error) {
        // Closing the connection also rolls back its transaction.
        onError(error as Error)
        throw error
      } finally {
        client.release(broken)
        client.off('error', onError)
      }
    },
    owns: (transaction) => own.has(Object(transaction)),
    async script(sql) {
      await pool.query(sql)
    },
    async begin(first, work) {
      const client = await pool.connect()
      let broken: Error | undefined
      let ended = false
      const lost = new AbortController()
      const onError = (error: Error) => {
        broken = error
        if (!ended) lost.abort(error)
      }
      client.on('error', onError)
      const transaction = {
        query: (...parameters: [string, unknown[]]) =>
          ended ? Promise.reject(new EndedError()) : client.query(...parameters),
      }
      own.add(transaction)
      const query: Query = async (sql, values) => (await client.query(sql, [...values])).rows
      try {
        checkStatus(client)
        const rows = await start(client, first)
        const result = await work({ given: transaction, query, undo: () => rollBack(client), lost: lost.signal }, rows)
        ended = true
        await client.query(`RELEASE ${savepoint}; COMMIT`).catch((error) => {
          throw failedCheck(error)
        })
        return result
      } catch (error) {
        ended = true
        await client.query('ROLLBACK').catch(onError)
        throw error
      } finally {
        client.release(broken)
        client.off('error', onError)
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
    async begin<T>(first: readonly Statement[], work: Work<T>) {
      const guard = new TransactionGuard()
      const lost = new AbortController()
      let running: Promise<unknown> | undefined
      let check: Promise<unknown> | undefined
      const run = async (transaction: PostgresSql) => {
        own.add(transaction)
        const query = queryOn(transaction)
        // This query is not awaited, so that the driver sends it together with the first statements.
        query(savepoint, []).catch(() => {})
        const results = await Promise.all(
          first.map(({ text, values }) => transaction.unsafe(text, [...values], { prepare: true })),
        )
        const rows = results.map((rows) => [...rows])
        const undoAll = async () => void (await query(undo, []))
        const result = await work({ given: transaction, query, undo: undoAll, lost: lost.signal }, rows)
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
        guard.ended = true
        // The driver's `begin` rejects when the connection is lost, although the webhook function still runs. This code
        // aborts `lost` and waits until the function ends.
        if (running) lost.abort(error)
        await running
        throw error
      } finally {
        guard.ended = true
      }
    },
  }
}
