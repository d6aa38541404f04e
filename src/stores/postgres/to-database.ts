import { ConfigurationError } from '../../core/errors.js'
import type { Database } from '../database.js'
import { pgDatabase } from './pg.js'
import { postgresDatabase } from './postgres-js.js'
import { type Query, retried } from './transactions.js'
import type { Connection, OwnDatabase, PgPool, PostgresSql } from './types.js'

const databases = new WeakMap<object, OwnDatabase>()

/**
 * Converts a connection to a `Database`. Always returns the same object for a connection, so that all its users share
 * one state.
 *
 * Before the first statement, checks that results can be read. Retries single statements that fail because of
 * concurrent transactions.
 *
 * @throws {ConfigurationError} The connection has an unsupported type.
 */
export function toDatabase(connection: Connection): OwnDatabase {
  const database = databases.get(Object(connection)) ?? withProbe(create(connection))
  databases.set(connection, database)
  databases.set(database, database)
  return database
}

function create(connection: unknown): OwnDatabase {
  if (isDatabase(connection)) return connection
  if (isPg(connection)) return pgDatabase(connection)
  if (isPostgres(connection)) return postgresDatabase(connection)
  throw new ConfigurationError(
    'The connection must be a Pool from pg or an instance of postgres, or a Database, for example from fromPrisma',
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

function withProbe(database: OwnDatabase): OwnDatabase {
  let probing: Promise<void> | undefined
  async function probed() {
    probing ??= requireReadable(database)
    try {
      await probing
    } catch (error) {
      probing = undefined
      throw error
    }
  }
  return {
    max: database.max,
    async query(sql, values) {
      await probed()
      return retried(() => database.query(sql, values.map(orNull)))
    },
    async transaction(work) {
      await probed()
      return database.transaction(work)
    },
    queryIn: async (transaction, sql, values) => database.queryIn(transaction, sql, values.map(orNull)),
  }
}

const orNull = (value: unknown) => value ?? null

/** Rejects if the connection returns rows in a form that the stores would misread. */
async function requireReadable(database: Database): Promise<void> {
  const rows: unknown = await retried(() =>
    database.query('SELECT $1::text AS text, NULL::text AS nothing, 1::int8 AS number', ['probe']),
  )
  const [row] = Array.isArray(rows) ? rows : []
  const { text, nothing = null, number } = Object(row)
  if (text === 'probe' && nothing === null && Number(number) === 1) return
  const names = Object.keys(Object(row))
  const problem = !Array.isArray(rows)
    ? 'the function query must resolve to an array of rows'
    : Array.isArray(row)
      ? 'rows are arrays: remove the option that returns arrays (rowMode, arrayMode, returnArrays)'
      : names.some((name) => name.toLowerCase() === 'text' && name !== 'text')
        ? 'its columns are renamed: remove the option transform (such as postgres.pascal), or use another instance'
        : 'its values are changed: remove the option transform or types, or use another instance'
  throw new ConfigurationError(`The results of the connection cannot be read: ${problem}`)
}

/**
 * Checks that a caller's transaction is open, and returns a function that runs statements in it. Writes nothing.
 *
 * @throws {ConfigurationError} No transaction is open, or the value does not belong to the database's library.
 */
export async function openTransaction<Transaction>(
  database: Database<Transaction>,
  transaction: Transaction,
): Promise<Query> {
  const query: Query = async (sql, values) => database.queryIn(transaction, sql, values)
  const status: unknown = (Object(transaction) as { getTransactionStatus?(): unknown }).getTransactionStatus?.()
  const isOpen = typeof status === 'string' ? status === 'T' : await hasOneId(query)
  if (isOpen) return query
  throw new ConfigurationError(
    'The transaction is not open: pass the value that your library passes to the function in its transaction, or the client of pg that has run BEGIN',
  )
}

/** Returns whether two statements have the same transaction ID. Outside a transaction, each statement has its own. */
async function hasOneId(query: Query): Promise<boolean> {
  const ids: unknown[] = []
  for (let index = 0; index < 2; index++) {
    const rows: unknown = await query('SELECT pg_current_xact_id()::text AS id', [])
    ids.push(Object(Array.isArray(rows) ? rows[0] : undefined).id)
  }
  return typeof ids[0] === 'string' && ids[0] === ids[1]
}
