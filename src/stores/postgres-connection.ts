import { ignoreConnectionErrors } from './store-options.js'

/** The methods of a `pg` `Pool` that the stores use. */
export interface PgPool {
  connect(): Promise<PgClient>
  query(sql: string, values?: unknown[]): Promise<PgResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  readonly totalCount: number
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
  command: string
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
}

type Rows = Record<string, unknown>[]
type Query = (sql: string, values: readonly unknown[]) => Promise<Rows>

export interface Connection {
  readonly query: Query
  /** Runs several statements in one transaction. */
  script(sql: string): Promise<void>
  /**
   * Runs `work` in a transaction, on one connection. Rejects unless the transaction was committed.
   *
   * @param work Receives the signal `lost`, which aborts if the connection is lost while `work` runs.
   */
  begin<T>(work: (transaction: unknown, query: Query, lost: AbortSignal) => Promise<T>): Promise<T>
}

/** Returns a connection with the same functions for both drivers, or `undefined` for any other value. */
export function openConnection(connection: PgPool | PostgresSql): Connection | undefined {
  if (typeof connection === 'function') {
    return typeof connection.unsafe === 'function' && typeof connection.begin === 'function'
      ? postgresConnection(connection)
      : undefined
  }
  const { connect, query, totalCount } = Object(connection) as Partial<PgPool>
  const isPool = typeof connect === 'function' && typeof query === 'function' && typeof totalCount === 'number'
  return isPool ? pgConnection(connection) : undefined
}

// Stricter isolation would hide rows that were committed while the transaction waited for its advisory locks.
const isolation = 'isolation level read committed'

class EndedError extends Error {
  constructor() {
    super('The transaction has ended: its connection was lost, or the webhook function did not await this query')
  }
}

function pgConnection(pool: PgPool): Connection {
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
        await client.query(`BEGIN ${isolation}`)
        const query: Query = async (sql, values) => (await client.query(sql, [...values])).rows
        const result = await work(transaction, query, lost.signal)
        ended = true
        const { command } = await client.query('COMMIT')
        if (command !== 'COMMIT') throw new Error('The transaction was rolled back: one of its statements failed')
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

function postgresConnection(sql: PostgresSql): Connection {
  const queryOn =
    (on: PostgresSql): Query =>
    async (text, values) => [...(await on.unsafe(text, [...values]))]
  return {
    query: queryOn(sql),
    async script(text) {
      await sql.unsafe(text)
    },
    async begin<T>(work: (transaction: unknown, query: Query, lost: AbortSignal) => Promise<T>) {
      const guard = new TransactionGuard()
      const lost = new AbortController()
      let running: Promise<unknown> | undefined
      const start = (transaction: PostgresSql) => {
        const result = work(transaction, queryOn(transaction), lost.signal)
        running = result
          .catch(() => {})
          .then(() => {
            running = undefined
          })
        return result
      }
      try {
        return (await sql.begin(isolation, guard.protect(start))) as T
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
        if (/^(CONNECTION_|E[A-Z]+$)/.test(String(Object(error).code))) this.ended = true
        reject(error)
      }
    }
    return query
  }
}
