import { ConfigurationError } from '../../core/errors.js'
import type { Row } from '../database.js'
import { EndedError, type OwnDatabase, type PostgresSql } from './types.js'

/** Converts a `postgres` instance to a `Database`. Its transaction is the `sql` that `sql.begin` passes. */
export function postgresDatabase(sql: PostgresSql): OwnDatabase<PostgresSql> {
  const run = async (on: PostgresSql, text: string, values: readonly unknown[]): Promise<Row[]> => [
    ...(await on.unsafe(text, [...values])),
  ]
  return {
    max: sql.options?.max,
    query: (text, values) => run(sql, text, values),
    async transaction<T>(work: (transaction: PostgresSql, lost: AbortSignal) => Promise<T>): Promise<T> {
      const lost = new AbortController()
      const state = { hasEnded: false }
      let running: Promise<unknown> | undefined
      const guardedWork = async (transaction: PostgresSql) => {
        const result = work(guardSql(transaction, sql, state), lost.signal)
        running = result.catch(() => {})
        await running
        running = undefined
        // If the connection was lost, the driver itself rejects `begin`.
        if (state.hasEnded) await never
        state.hasEnded = true
        return result
      }
      try {
        return await sql.begin('', guardedWork)
      } catch (error) {
        state.hasEnded = true
        if (running) lost.abort(error)
        await running
        throw error
      }
    },
    async queryIn(transaction, text, values) {
      if (typeof transaction !== 'function' || typeof transaction.unsafe !== 'function') {
        throw new ConfigurationError('The transaction must be the sql that sql.begin passes to its function')
      }
      return run(transaction, text, values)
    },
  }
}

type Work = (transaction: PostgresSql) => unknown
type Call = (...parameters: never[]) => unknown

interface SqlTransaction {
  hasEnded: boolean
}

/**
 * Wraps a transaction of the driver `postgres` 3, so that queries throw after the transaction or its connection has
 * ended. The driver would run them outside the transaction, or write to the closed socket, which ends the process
 * (https://github.com/porsager/postgres/pull/1215).
 *
 * Also exposes the instance's `options`, which Drizzle reads.
 */
function guardSql(transaction: PostgresSql, instance: PostgresSql, state: SqlTransaction): PostgresSql {
  const guarded = <Value extends Call>(call: Value): Value =>
    new Proxy(call, {
      apply(target, receiver, parameters) {
        if (state.hasEnded) throw new EndedError()
        return endIfLost(Reflect.apply(target, receiver, parameters), state)
      },
      get(target, name) {
        if (name === 'options') return instance.options
        const value: unknown = Reflect.get(target, name)
        if (name === 'savepoint') return savepoint(value as (...parameters: unknown[]) => unknown)
        return (name === 'unsafe' || name === 'file') && typeof value === 'function' ? guarded(value as Call) : value
      },
    })

  const savepoint =
    (start: (...parameters: unknown[]) => unknown) =>
    (...parameters: unknown[]) =>
      new Promise((resolve, reject) => {
        if (state.hasEnded) throw new EndedError()
        const work = parameters.pop() as Work
        const inner = async (savepoint: PostgresSql) => {
          try {
            const result = await work(guardSql(savepoint, instance, state))
            return await (Array.isArray(result) ? Promise.all(result) : result)
          } catch (error) {
            if (state.hasEnded) reject(error)
            throw error
          } finally {
            if (state.hasEnded) await never
          }
        }
        Promise.resolve(start(...parameters, inner)).then(resolve, reject)
      })

  return guarded(transaction)
}

/** Never settles, so that the driver does not send COMMIT or ROLLBACK over a closed connection. */
const never = new Promise<never>(() => {})

/** Ends the transaction when a query fails because the connection is lost, before its caller can send another query. */
function endIfLost(query: unknown, state: SqlTransaction): unknown {
  const then: unknown = Object(query).then
  if (typeof then !== 'function') return query
  const watched = (onResult: unknown, onError?: (error: unknown) => unknown) =>
    then.call(query, onResult, (error: unknown) => {
      // Ignores server errors, which have a severity, because their codes can look like Node's `ECONNRESET`.
      const { code, severity } = Object(error)
      if (severity === undefined && /^(CONNECTION_|E[A-Z]+$)/.test(String(code))) state.hasEnded = true
      if (onError) return onError(error)
      throw error
    })
  return Object.assign(query as object, { then: watched })
}
