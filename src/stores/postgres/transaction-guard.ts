import type { PostgresSql } from './types.js'

/** Thrown if a query is sent after the end of its transaction. */
export class EndedError extends Error {
  constructor() {
    super('The transaction has ended: its connection was lost, or your function did not await this query')
  }
}

type TransactionWork = (transaction: PostgresSql) => unknown

/**
 * Prevents `postgres` 3 from using a transaction's connection after it was lost. Releases of the driver with
 * https://github.com/porsager/postgres/pull/1215 do not need this class.
 *
 * Otherwise, the driver would send the next statement or ROLLBACK over the closed socket and crash the process, or send
 * it over a new connection, outside the transaction.
 */
export class TransactionGuard {
  hasEnded = false

  /**
   * Wraps a function for `begin` or `savepoint`. After the connection is lost, the wrapper's promise never settles, so
   * the driver sends no ROLLBACK.
   *
   * @param onLost Called when the connection is lost, to reject a `savepoint`. The driver itself rejects `begin`.
   */
  protect(work: TransactionWork, onLost: (error: unknown) => void = () => {}): TransactionWork {
    return async (transaction) => {
      let lost: unknown = new EndedError()
      try {
        const given = work(this.#wrap(transaction))
        // If `work` returns an array of queries, the driver would await them. But this wrapper returns a promise, so it
        // must await the queries itself.
        const result = await (Array.isArray(given) ? Promise.all(given) : given)
        if (!this.hasEnded) return result
      } catch (error) {
        // When the connection is lost, the driver first rejects the statement and then rejects `begin`. Only the second
        // rejection sets `hasEnded`, so this code waits for it.
        await new Promise((resolve) => setTimeout(resolve))
        if (!this.hasEnded) throw error
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
        // Wraps functions in a Proxy, so that their properties, such as `typed` and `types`, remain accessible.
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

  /** Sets `hasEnded` as soon as the connection is lost, so that a caller who then sends a statement gets an error. */
  #watch(create: () => unknown): unknown {
    if (this.hasEnded) throw new EndedError()
    const query = create() as { reject?: (error: unknown) => void }
    const reject = query?.reject
    if (typeof reject === 'function') {
      query.reject = (error) => {
        // Only errors from the server have a severity. Without this check, a server's code could be mistaken for a code
        // of Node, such as ECONNRESET.
        const { code, severity } = Object(error)
        if (severity === undefined && /^(CONNECTION_|E[A-Z]+$)/.test(String(code))) this.hasEnded = true
        reject(error)
      }
    }
    return query
  }
}
