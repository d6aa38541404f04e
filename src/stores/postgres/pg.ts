import { ConfigurationError } from '../../core/errors.js'
import { toRows } from '../adapters/rows.js'
import { ignoreConnectionErrors } from '../store-options.js'
import {
  EndedError,
  type OwnDatabase,
  type PgClient,
  type PgPool,
  type PgTransaction,
  RolledBackError,
} from './types.js'

/** Converts a `Pool` from `pg` to a `Database`. Its transaction is a client of the pool. */
export function pgDatabase(pool: PgPool): OwnDatabase<PgTransaction> {
  ignoreConnectionErrors(pool)
  return {
    max: pool.options?.max ?? 10,
    query: async (sql, values) => (await pool.query(sql, [...values])).rows,
    async transaction(work) {
      const client = await pool.connect()
      const { transaction, end } = guardClient(client)
      const lost = new AbortController()
      let failure: Error | undefined
      const onError = (error: Error) => {
        failure ??= error
        lost.abort(error)
      }
      client.on('error', onError)
      try {
        // Rejects a connection that other code released without ending its transaction.
        const isOpen = /[TE]/.test(client.getTransactionStatus?.() ?? '')
        if (isOpen) throw new Error('The connection is already within a transaction')
        await client.query('BEGIN')
        const result = await work(transaction, lost.signal)
        end()
        const committed: unknown = await client.query('COMMIT')
        if (Object(committed).command === 'ROLLBACK') throw new RolledBackError()
        return result
      } catch (error) {
        end()
        await client.query('ROLLBACK').catch((error) => {
          failure ??= error
        })
        throw error
      } finally {
        client.off('error', onError)
        client.release(failure)
      }
    },
    async queryIn(transaction, sql, values) {
      if (typeof Object(transaction).query !== 'function') {
        throw new ConfigurationError('The transaction must be a client of pg that has run BEGIN')
      }
      return toRows(await transaction.query(sql, [...values]))
    },
  }
}

/** Thrown if a statement in a store's transaction would start or end a transaction. */
class TransactionStatementError extends Error {
  constructor() {
    super(
      'The store ends the transaction: throw an error to roll it back. Use SAVEPOINT for a transaction inside the transaction',
    )
  }
}

const comments = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*[\s\S]*?\*/)*`
const transactionStatement = new RegExp(
  String.raw`^${comments}(?:BEGIN|COMMIT|END|ABORT|(?:START|PREPARE)\s+TRANSACTION|ROLLBACK(?!(?:\s+(?:WORK|TRANSACTION))?\s+TO\b))\b`,
  'i',
)

/** Wraps a client for one transaction: queries fail after `end`, and statements such as COMMIT are rejected. */
function guardClient<Client extends PgClient>(client: Client): { transaction: Client; end(): void } {
  let hasEnded = false
  const query = (config: unknown, ...rest: unknown[]) => {
    const text = typeof config === 'string' ? config : Object(config).text
    const error = hasEnded
      ? new EndedError()
      : transactionStatement.test(String(text))
        ? new TransactionStatementError()
        : undefined
    return error ? fail(error, config, rest) : Reflect.apply(client.query, client, [config, ...rest])
  }
  const release = () => {
    throw new Error('The store releases the connection of its transaction')
  }
  const transaction = new Proxy(client, {
    get(target, name) {
      if (name === 'query') return query
      if (name === 'release') return release
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    transaction,
    end() {
      hasEnded = true
    },
  }
}

/** Reports the error of a query in the way that the query expects: through a promise, a callback or a stream. */
function fail(error: Error, config: unknown, rest: unknown[]): unknown {
  const { submit, callback, handleError } = Object(config)
  const listener = [...rest, callback].find((parameter) => typeof parameter === 'function')
  if (typeof submit === 'function') {
    process.nextTick(() => (listener ? listener(error) : handleError.call(config, error)))
    return config
  }
  if (listener) return void process.nextTick(listener, error)
  const rejected = Promise.reject(error)
  // Prevents an unhandled rejection, which would end the process if the caller has stopped waiting.
  rejected.catch(() => {})
  return rejected
}
