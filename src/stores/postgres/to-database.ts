import { ConfigurationError } from '../../core/errors.js'
import type { Database, Row } from '../database.js'
import { ignoreConnectionErrors } from '../store-options.js'
import { EndedError, guardClient } from './client-guard.js'
import type { PgPool, PostgresSql } from './types.js'

const databases = new WeakMap<object, Database>()

/**
 * Returns a `Database` for a connection. Returns the same one for the same connection, so that everything that uses the
 * connection shares its state.
 *
 * @throws {ConfigurationError} The value is of another type.
 */
export function toDatabase<Transaction>(connection: Database<Transaction>): Database<Transaction>
export function toDatabase(connection: PgPool | PostgresSql | Database): Database
export function toDatabase(connection: PgPool | PostgresSql | Database): Database {
  const known = databases.get(Object(connection))
  if (known) return known
  const database = create(connection)
  databases.set(connection, database)
  return database
}

function create(connection: unknown): Database {
  if (isDatabase(connection)) return connection
  if (isPg(connection)) return pgDatabase(connection)
  if (isPostgres(connection)) return postgresDatabase(connection)
  throw new ConfigurationError(
    'The connection must be a Pool from pg, an instance of postgres, or a database, for example from fromPrisma',
  )
}

function isDatabase(value: unknown): value is Database {
  const { query, transaction, queryIn } = Object(value) as Partial<Database>
  return [query, transaction, queryIn].every((method) => typeof method === 'function')
}

function isPg(value: unknown): value is PgPool {
  const { connect, query, totalCount } = Object(value) as Partial<PgPool>
  return typeof connect === 'function' && typeof query === 'function' && typeof totalCount === 'number'
}

function isPostgres(value: unknown): value is PostgresSql {
  const { unsafe, begin } = Object(value) as Partial<PostgresSql>
  return typeof value === 'function' && typeof unsafe === 'function' && typeof begin === 'function'
}

interface PgTransactionLike {
  query(sql: string, values?: unknown[]): PromiseLike<unknown>
}

function pgDatabase(pool: PgPool): Database<PgTransactionLike> {
  ignoreConnectionErrors(pool)
  return {
    query: async (sql, values) => (await pool.query(sql, [...values])).rows,
    async transaction(work) {
      const client = await pool.connect()
      const { transaction, end } = guardClient(client)
      let failure: Error | undefined
      const onError = (error: Error) => {
        failure = error
      }
      client.on('error', onError)
      try {
        await client.query('BEGIN')
        const result = await work(transaction)
        end()
        await client.query('COMMIT')
        return result
      } catch (error) {
        end()
        await client.query('ROLLBACK').catch(onError)
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
      return rowsOf(await transaction.query(sql, [...values]))
    },
  }
}

/** Returns the rows of a result: of `pg`, `{ rows }`; of other libraries, the rows, or the rows and their number. */
export function rowsOf(result: unknown): Row[] {
  const rows = Array.isArray(result) ? result : Object(result).rows
  const isPair = Array.isArray(rows?.[0]) && typeof rows[1] === 'number'
  return isPair ? rows[0] : rows
}

function postgresDatabase(sql: PostgresSql): Database<PostgresSql> {
  const run = async (on: PostgresSql, text: string, values: readonly unknown[]) => [
    ...(await on.unsafe(text, [...values])),
  ]
  return {
    query: (text, values) => run(sql, text, values),
    async transaction<T>(work: (transaction: PostgresSql) => Promise<T>): Promise<T> {
      let running: Promise<unknown> = Promise.resolve()
      let hasEnded = false
      try {
        return await sql.begin('', async (transaction: PostgresSql) => {
          const result = work(guardSql(transaction, sql, () => hasEnded))
          running = result.catch(() => {})
          await running
          // If the connection was lost, the driver has rejected `begin`. It would now send COMMIT or ROLLBACK over the
          // closed connection, so this promise never settles.
          if (hasEnded) await new Promise(() => {})
          hasEnded = true
          return result
        })
      } finally {
        hasEnded = true
        await running
      }
    },
    queryIn(transaction, text, values) {
      if (typeof transaction !== 'function' || typeof transaction.unsafe !== 'function') {
        throw new ConfigurationError('The transaction must be the sql that sql.begin passes to its function')
      }
      return run(transaction, text, values)
    },
  }
}

/**
 * Wraps the transaction of `postgres`. Queries after its end throw, because the driver would run them outside the
 * transaction. Also has the properties of the instance, such as `options`, which Drizzle reads.
 */
function guardSql(transaction: PostgresSql, instance: PostgresSql, hasEnded: () => boolean): PostgresSql {
  const guarded = <Call extends (...parameters: never[]) => unknown>(call: Call): Call =>
    new Proxy(call, {
      apply(target, receiver, parameters) {
        if (hasEnded()) throw new EndedError()
        return Reflect.apply(target, receiver, parameters)
      },
    })
  return new Proxy(guarded(transaction), {
    get(target, name) {
      const value: unknown = Reflect.get(name in target ? target : instance, name)
      return name === 'unsafe' || name === 'savepoint' || name === 'file' ? guarded(value as () => unknown) : value
    },
  })
}

/**
 * Returns a function that runs statements in a caller's transaction, after it has checked that the transaction is open.
 * Writes nothing.
 *
 * @throws {ConfigurationError} No transaction is open, or the value does not belong to the database's library.
 */
export async function openTransaction<Transaction>(
  database: Database<Transaction>,
  transaction: Transaction,
): Promise<(sql: string, values: readonly unknown[]) => Promise<Row[]>> {
  const query = async (sql: string, values: readonly unknown[]) => database.queryIn(transaction, sql, values)
  const status: unknown = Object(transaction).getTransactionStatus?.()
  const isOpen = typeof status === 'string' ? status === 'T' : await hasOneId(query)
  if (isOpen) return query
  throw new ConfigurationError(
    'The transaction is not open: pass the value that the library passes to the function in its transaction, or the pg client that has run BEGIN',
  )
}

/** Returns whether two statements have the same transaction ID. Outside a transaction, each statement has its own. */
async function hasOneId(query: (sql: string, values: readonly unknown[]) => Promise<unknown>): Promise<boolean> {
  const ids: unknown[] = []
  for (let index = 0; index < 2; index++) {
    const rows = await query('SELECT pg_current_xact_id()::text AS id', [])
    ids.push(Object(Array.isArray(rows) ? rows[0] : undefined).id)
  }
  return typeof ids[0] === 'string' && ids[0] === ids[1]
}
