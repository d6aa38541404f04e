import { type Connection, fromPrisma } from '../../../src/stores/postgres/index.js'
import { driver } from '../../stores/drivers.js'

/** The libraries with which the processes of a shop use PostgreSQL. */
export type LibraryName = 'pg' | 'prisma'

// The drivers and libraries are dependencies of the folder `stores`, so their types are not visible here.
// biome-ignore lint/suspicious/noExplicitAny: values of packages without types.
type Untyped = any

/** A connection pool of a library. */
export interface Library {
  readonly connection: Connection
  /** Runs a statement, on the pool or in a transaction of the library. */
  query(sql: string, values?: readonly unknown[], transaction?: unknown): Promise<Record<string, Untyped>[]>
  /** Runs `work` in a transaction of the library. */
  transaction<T>(work: (transaction: unknown) => Promise<T>): Promise<T>
  close(): Promise<void>
}

// The schema `moved` precedes PostgreSQL's own functions, so that a test can move the database's clock.
const options = '-c search_path=moved,pg_catalog,public'
const max = 8

export const openLibrary: Readonly<Record<LibraryName, (url: string) => Library>> = {
  pg(connectionString) {
    const pool = new (driver('pg').Pool)({ connectionString, max, options })
    // Without a listener, an idle connection that is lost would end the process.
    pool.on('error', () => {})
    return {
      connection: pool,
      query: async (sql, values = [], on = pool) => (await (on as Untyped).query(sql, [...values])).rows,
      async transaction(work) {
        const connection = await pool.connect()
        // Without a listener, a lost connection would end the process.
        const ignore = () => {}
        connection.on('error', ignore)
        try {
          await connection.query('BEGIN')
          const result = await work(connection)
          await connection.query('COMMIT')
          return result
        } catch (error) {
          await connection.query('ROLLBACK').catch(ignore)
          throw error
        } finally {
          connection.off('error', ignore)
          connection.release()
        }
      },
      close: () => pool.end(),
    }
  },
  prisma(connectionString) {
    const adapter = new (driver('@prisma/adapter-pg').PrismaPg)({ connectionString, max, options })
    const prisma = new (driver('@prisma/client').PrismaClient)({ adapter })
    return {
      connection: fromPrisma(prisma),
      query: (sql, values = [], on = prisma) => (on as Untyped).$queryRawUnsafe(sql, ...values),
      transaction: (work) => prisma.$transaction(work, { timeout: 60_000, maxWait: 60_000 }),
      close: () => prisma.$disconnect(),
    }
  },
}

/** The SQL that lets a test move the database's clock, for connections of `openLibrary`. */
export const movableClock = `
  CREATE SCHEMA moved;
  CREATE TABLE moved.clock (by interval NOT NULL);
  INSERT INTO moved.clock VALUES ('0');
  CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT pg_catalog.clock_timestamp() + by FROM moved.clock';`

/** Moves the database's clock forward. */
export async function moveClock(library: Library, ms: number): Promise<void> {
  await library.query(`UPDATE moved.clock SET by = by + $1::float8 * interval '1 ms'`, [ms])
}

const outages = /Connection terminated|not queryable|Can't reach|Server has closed|ConnectionClosed|ECONNREFUSED/

/** Returns whether an error means that the database was down or the connection was lost. */
export function isOutage(error: unknown): boolean {
  for (let found = error, depth = 0; depth < 5; depth++) {
    const { code, cause, meta, driverError } = Object(found)
    if (/^(57P0\d|08\d{3}|ECONN\w+|EPIPE|P1\d{3}|P2028)$/.test(String(code))) return true
    if (outages.test(String(found))) return true
    found = cause ?? meta?.driverAdapterError ?? driverError
  }
  return false
}
