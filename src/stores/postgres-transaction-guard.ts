import type { PostgresSql } from './postgres-types.js'

/** Thrown if a query is sent after the end of its transaction. */
export class EndedError extends Error {
  constructor() {
    super('The transaction has ended: its connection was lost, or your function did not await this query')
  }
}

type TransactionWork = (transaction: PostgresSql) => unknown

/**
 * Prevents `postgres` 3 from using a transaction's connection after it was lost. Unnecessary from the release that
 * contains https://github.com/porsager/postgres/pull/1215.
 *
 * Over the closed socket, the driver's next statement or ROLLBACK would end the process. Over a new connection, it
 * would run outside the transaction.
 */
export class TransactionGuard {
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
        // Awaits an array of queries here, because the driver awaits it only if the function that it called returns the
        // array.
        const result = await (Array.isArray(given) ? Promise.all(given) : given)
        if (!this.ended) return result
      } catch (error) {
        // When the connection is lost, the driver first rejects the statement and then rejects `begin`, and the second
        // rejection sets `ended`. So this code waits until `begin` may have rejected.
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
        // Errors from the server have a severity. Without this check, a server's code could be mistaken for a code of
        // Node, such as ECONNRESET.
        const { code, severity } = Object(error)
        if (severity === undefined && /^(CONNECTION_|E[A-Z]+$)/.test(String(code))) this.ended = true
        reject(error)
      }
    }
    return query
  }
}
