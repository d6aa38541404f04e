import { createHash } from 'node:crypto'
import { maxTimerMs } from '../internal/options.js'
import { ignoreConnectionErrors } from './store-options.js'

/** The methods of a `pg` `Pool` that the stores use. */
export interface PgPool {
  connect(): Promise<PgClient>
  query(sql: string, values?: unknown[]): Promise<PgResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  readonly totalCount: number
  readonly options?: { readonly max?: number }
}

/** The methods of a pool's client that the stores use. */
export interface PgClient {
  query(sql: string | PgPreparedQuery, values?: unknown[]): Promise<PgResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(error?: Error | boolean): void
}

interface PgPreparedQuery {
  name: string
  text: string
  values: unknown[]
}

interface PgResult {
  // biome-ignore lint/suspicious/noExplicitAny: rows have the columns of the caller's query.
  rows: any[]
  rowCount: number | null
}

/** The transaction that a `pg` store passes as `context.transaction`. */
export interface PgTransaction {
  /** Runs a statement in the transaction. Rejects when the transaction has ended. */
  query(sql: string, values?: unknown[]): Promise<PgResult>
}

/** The methods of a `postgres` instance that the stores use. */
export interface PostgresSql {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own types are generic.
  (...parameters: any[]): any
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own types are generic.
  unsafe(sql: string, parameters?: any[], options?: { prepare?: boolean }): PromiseLike<any>
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own types are generic.
  begin(options: string, work: (transaction: any) => any): Promise<any>
  readonly options?: { readonly max?: number }
}

type Rows = Record<string, unknown>[]
type Query = (sql: string, values: readonly unknown[]) => Promise<Rows>

/** The open transaction, on one connection. */
interface Transaction {
  /** The value for `context.transaction`. */
  readonly given: unknown
  readonly query: Query
  /** Does the same as `query`, but saves most of the time to plan the statement. Must be the first query. */
  readonly prepared: Query
  /** Aborts if the connection is lost while the function runs. */
  readonly lost: AbortSignal
}

type Work<T> = (transaction: Transaction) => Promise<T>

export interface Connection {
  readonly query: Query
  /** Runs several statements in one transaction. */
  script(sql: string): Promise<void>
  /**
   * Runs `work` in a transaction, on one connection. Rejects unless this transaction was committed.
   *
   * Two connections of the pool remain free for the queries of `work` outside the transaction. So if the pool has `max`
   * connections, at most `max - 2` transactions run at the same time, but at least one. Others wait without a
   * connection.
   *
   * @param waitMs Milliseconds to wait for other transactions. After that, resolves to undefined. @default no limit
   */
  begin<T>(work: Work<T>, waitMs?: number): Promise<T | undefined>
}

/** A function ended the transaction in which it ran. Its statements before that may be committed. */
export class TransactionEndedError extends Error {
  constructor() {
    super(
      'The webhook function ended the transaction: throw an error instead of running ROLLBACK, and do not run COMMIT',
    )
  }
}

const connections = new WeakMap<object, Connection>()

/**
 * Returns a connection with the same functions for both drivers, or `undefined` for any other value. All stores on a
 * pool share one connection, and with it the limit for transactions.
 */
export function openConnection(pool: PgPool | PostgresSql): Connection | undefined {
  const known = connections.get(Object(pool))
  const opened = known ?? create(pool)
  if (opened && !known) connections.set(pool, opened)
  return opened
}

function create(pool: PgPool | PostgresSql): Connection | undefined {
  const driver = isPostgres(pool) ? postgresDriver(pool) : isPg(pool) ? pgDriver(pool) : undefined
  if (driver === undefined) return undefined
  const { max = 10 } = pool.options ?? {}
  const limit = new Limiter(Math.max(1, max - 2))
  return { ...driver, begin: (work, waitMs) => limit.run(() => driver.begin(work), waitMs) }
}

function isPostgres(pool: unknown): pool is PostgresSql {
  const { unsafe, begin } = Object(pool) as Partial<PostgresSql>
  return typeof pool === 'function' && typeof unsafe === 'function' && typeof begin === 'function'
}

function isPg(pool: unknown): pool is PgPool {
  const { connect, query, totalCount } = Object(pool) as Partial<PgPool>
  return typeof connect === 'function' && typeof query === 'function' && typeof totalCount === 'number'
}

/** Runs a limited number of functions at the same time. Others wait in order of arrival. */
class Limiter {
  #free: number
  readonly #queue = new Set<() => void>()

  constructor(limit: number) {
    this.#free = limit
  }

  /** Resolves to undefined, without calling `work`, if `work` has to wait for longer than `waitMs`. */
  async run<T>(work: () => Promise<T>, waitMs = Number.POSITIVE_INFINITY): Promise<T | undefined> {
    if (this.#free > 0) this.#free--
    else if (!(await this.#wait(waitMs))) return undefined
    try {
      return await work()
    } finally {
      const [next] = this.#queue
      if (next) next()
      else this.#free++
    }
  }

  #wait(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (hasSlot: boolean) => {
        clearTimeout(timer)
        this.#queue.delete(enter)
        resolve(hasSlot)
      }
      const enter = () => leave(true)
      const timer = setTimeout(() => leave(false), Math.min(waitMs, maxTimerMs))
      this.#queue.add(enter)
    })
  }
}

interface Driver extends Connection {
  begin<T>(work: Work<T>): Promise<T>
}

// Stricter isolation would hide rows that were committed while the transaction waited for its advisory locks.
const isolation = 'isolation level read committed'

// Exists only in the transaction of `begin`, so its release fails if `work` ended this transaction.
const savepoint = 'SAVEPOINT payments_client'

/** Converts an error from the release of the savepoint. */
function failedCheck(error: unknown): unknown {
  const { code } = Object(error)
  if (code === '25P02') return new Error('The transaction was rolled back: one of its statements failed')
  return /^(25P01|3B001)$/.test(code) ? new TransactionEndedError() : error
}

class EndedError extends Error {
  constructor() {
    super('The transaction has ended: its connection was lost, or the webhook function did not await this query')
  }
}

/**
 * Returns whether a prepared statement is missing or already exists. The pool is then behind a proxy such as PgBouncer,
 * which uses another connection to the server for each transaction.
 */
const isUnknownStatement = (error: unknown) => /^(26000|42P05)$/.test(Object(error).code)

const statementNames = new Map<string, string>()

/** Returns the same name for the same text in all processes, because a proxy may share their connections. */
function nameOf(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const name = `payments_client_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
  statementNames.set(text, name)
  return name
}

function pgDriver(pool: PgPool): Driver {
  ignoreConnectionErrors(pool)
  let prepares = true
  return {
    query: async (sql, values) => (await pool.query(sql, [...values])).rows,
    async script(sql) {
      await pool.query(sql)
    },
    async begin(work) {
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
      try {
        await client.query(`BEGIN ${isolation}; ${savepoint}`)
        const query: Query = async (sql, values) => (await client.query(sql, [...values])).rows
        const prepared: Query = async (text, values) => {
          if (!prepares) return query(text, values)
          try {
            return (await client.query({ name: nameOf(text), text, values: [...values] })).rows
          } catch (error) {
            if (!isUnknownStatement(error)) throw error
            prepares = false
            await client.query(`ROLLBACK TO ${savepoint}`)
            return query(text, values)
          }
        }
        const result = await work({ given: transaction, query, prepared, lost: lost.signal })
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
  return {
    query: queryOn(sql),
    async script(text) {
      await sql.unsafe(text)
    },
    async begin<T>(work: Work<T>) {
      const guard = new TransactionGuard()
      const lost = new AbortController()
      let running: Promise<unknown> | undefined
      let check: Promise<unknown> | undefined
      const run = async (transaction: PostgresSql) => {
        const query = queryOn(transaction)
        // The driver sends this query together with the first one of `work`.
        query(savepoint, []).catch(() => {})
        const prepared: Query = async (text, values) => [
          ...(await transaction.unsafe(text, [...values], { prepare: true })),
        ]
        const result = await work({ given: transaction, query, prepared, lost: lost.signal })
        // The driver sends this query together with COMMIT.
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
        // `begin` rejects when the connection is lost, although the function still runs. Aborts the function and waits
        // until it ends.
        if (running) lost.abort(error)
        await running
        throw error
      } finally {
        guard.ended = true
      }
    },
  }
}

type TransactionWork = (transaction: PostgresSql) => unknown

/**
 * Prevents `postgres` 3 from using a transaction's connection after it was lost.
 *
 * Over the closed socket, the driver's next statement or ROLLBACK would end the process. Over a new connection, it
 * would run outside the transaction.
 */
class TransactionGuard {
  ended = false

  /**
   * Wraps a function for `begin` or `savepoint`. After the connection is lost, the wrapper's promise never settles, so
   * the driver sends no ROLLBACK.
   *
   * @param onLost Rejects a `savepoint`. `begin` rejects by itself.
   */
  protect(work: TransactionWork, onLost: (error: unknown) => void = () => {}): TransactionWork {
    return async (transaction) => {
      let lost: unknown = new EndedError()
      try {
        const given = work(this.#wrap(transaction))
        // Awaits an array of queries here, because the driver does so only if the function itself returns it.
        const result = await (Array.isArray(given) ? Promise.all(given) : given)
        if (!this.ended) return result
      } catch (error) {
        // After a lost connection, the driver first rejects the statement, and then `begin`, which sets `ended`. Waits
        // until `begin` may have rejected.
        await new Promise((resolve) => setTimeout(resolve))
        if (!this.ended) throw error
        lost = error
      }
      onLost(lost)
      return new Promise(() => {})
    }
  }

  #wrap(transaction: PostgresSql): PostgresSql {
    return new Proxy(transaction, {
      apply: (target, _, parameters) => this.#watch(() => target(...parameters)),
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        // A Proxy keeps the properties of functions such as `typed` and `types`.
        return new Proxy(value, {
          apply: (method, _, parameters) => {
            const call = (given: unknown[]) => this.#watch(() => method.apply(target, given))
            return name === 'savepoint' ? this.#savepoint(call, parameters) : call(parameters)
          },
        })
      },
    })
  }

  #savepoint(call: (parameters: unknown[]) => unknown, parameters: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const isWork = (parameter: unknown): parameter is TransactionWork => typeof parameter === 'function'
      const given = parameters.map((parameter) => (isWork(parameter) ? this.protect(parameter, reject) : parameter))
      Promise.resolve(call(given)).then(resolve, reject)
    })
  }

  /** Detects a lost connection before the caller receives the error and sends another statement. */
  #watch(create: () => unknown): unknown {
    if (this.ended) throw new EndedError()
    const query = create() as { reject?: (error: unknown) => void }
    const reject = query?.reject
    if (typeof reject === 'function') {
      query.reject = (error) => {
        // An error from the server has a severity. Its code may look like one of Node, such as ECONNRESET.
        const { code, severity } = Object(error)
        if (severity === undefined && /^(CONNECTION_|E[A-Z]+$)/.test(String(code))) this.ended = true
        reject(error)
      }
    }
    return query
  }
}
