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
  query(sql: string, values?: unknown[]): Promise<PgResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(error?: Error | boolean): void
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
  unsafe(sql: string, parameters?: any[]): PromiseLike<any>
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own types are generic.
  begin(options: string, work: (transaction: any) => any): Promise<any>
  readonly options?: { readonly max?: number }
}

type Rows = Record<string, unknown>[]
type Query = (sql: string, values: readonly unknown[]) => Promise<Rows>

/** Runs in a transaction. `lost` aborts if the connection is lost while the function runs. */
type Work<T> = (transaction: unknown, query: Query, lost: AbortSignal) => Promise<T>

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

/** Returns the start time of the transaction, which identifies it on its connection. */
const startSql = 'SELECT extract(epoch FROM now())::text AS started'

/** Returns a statement that fails with a division by zero unless the transaction that started at `started` is open. */
const checkSql = (started: unknown) => `SELECT 1 / (extract(epoch FROM now())::text = '${started}')::int`

/** Converts an error of `checkSql`. */
function failedCheck(error: unknown): unknown {
  const { code } = Object(error)
  if (code === '22012') return new TransactionEndedError()
  if (code === '25P02') return new Error('The transaction was rolled back: one of its statements failed')
  return error
}

class EndedError extends Error {
  constructor() {
    super('The transaction has ended: its connection was lost, or the webhook function did not await this query')
  }
}

function pgDriver(pool: PgPool): Driver {
  ignoreConnectionErrors(pool)
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
        const begun = (await client.query(`BEGIN ${isolation}; ${startSql}`)) as unknown as PgResult[]
        const query: Query = async (sql, values) => (await client.query(sql, [...values])).rows
        const result = await work(transaction, query, lost.signal)
        ended = true
        await client.query(`${checkSql(begun[1]?.rows[0].started)}; COMMIT`).catch((error) => {
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
        const begun = query(startSql, [])
        begun.catch(() => {})
        const result = await work(transaction, query, lost.signal)
        const [row] = await begun
        // The driver sends this query together with COMMIT.
        check = query(checkSql(row?.['started']), [])
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
