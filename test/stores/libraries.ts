import { inject } from 'vitest'
import {
  type Connection,
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPrisma,
  fromTypeOrm,
  type Row,
} from '../../src/stores/postgres/index.js'
import { driver } from './drivers.js'

/** An open connection pool of a library. */
export interface LibraryPool {
  /** The value for `createWebhookStore` and `createJournal`. */
  readonly connection: Connection
  /** Runs a statement without parameters, on the pool or in a transaction of the library. */
  run(sql: string, transaction?: unknown): Promise<Row[]>
  /** Runs `work` in a transaction of the library. */
  transaction<T>(work: (transaction: unknown) => Promise<T>): Promise<T>
  /** Runs `work` in a transaction inside a transaction, in the way of the library. */
  nested(transaction: unknown, work: (transaction: unknown) => Promise<unknown>): Promise<unknown>
  close(): Promise<void>
}

/** Opens a pool with the maximum number of connections. */
export type OpenLibrary = (max?: number, url?: string) => Promise<LibraryPool>

// The drivers and libraries are dependencies of this folder, so their types are not visible here.
// biome-ignore lint/suspicious/noExplicitAny: values of packages without types.
type Untyped = any

const openPool = (max: number, url: string) => new (driver('pg').Pool)({ connectionString: url, max })
const openSql = (max: number, url: string) => driver('postgres')(url, { max, onnotice: () => {} })

const openDrizzle = async (db: Untyped, sql: Untyped, close: () => Promise<void>): Promise<LibraryPool> => ({
  connection: fromDrizzle(db, sql),
  async run(text, transaction = db) {
    const result = await (transaction as Untyped).execute(sql.raw(text))
    return [...(result.rows ?? result)]
  },
  transaction: (work) => db.transaction(work),
  nested: (transaction: Untyped, work) => transaction.transaction(work),
  close,
})

/** The drivers and libraries with which the PostgreSQL stores work. */
export const libraries: Readonly<Record<string, OpenLibrary>> = {
  async pg(max = 10, url = inject('postgresUrl')) {
    const pool = openPool(max, url)
    return {
      connection: pool,
      run: async (sql, transaction = pool) => (await (transaction as Untyped).query(sql)).rows,
      async transaction(work) {
        const client = await pool.connect()
        try {
          await client.query('BEGIN')
          const result = await work(client)
          await client.query('COMMIT')
          return result
        } catch (error) {
          await client.query('ROLLBACK')
          throw error
        } finally {
          client.release()
        }
      },
      // A transaction of Drizzle on the same client begins with BEGIN.
      nested: (client, work) => driver('drizzle-orm/node-postgres').drizzle({ client }).transaction(work),
      close: () => pool.end(),
    }
  },
  async postgres(max = 10, url = inject('postgresUrl')) {
    const sql = openSql(max, url)
    return {
      connection: sql,
      run: async (text, transaction = sql) => [...(await (transaction as Untyped).unsafe(text))],
      transaction: (work) => sql.begin(work),
      nested: (transaction: Untyped, work) => transaction.savepoint(work),
      close: () => sql.end({ timeout: 1 }),
    }
  },
  async Prisma(max = 10, url = inject('postgresUrl')) {
    const adapter = new (driver('@prisma/adapter-pg').PrismaPg)({ connectionString: url, max })
    const prisma = new (driver('@prisma/client').PrismaClient)({ adapter })
    return {
      connection: fromPrisma(prisma),
      run: (sql, transaction = prisma) => (transaction as Untyped).$queryRawUnsafe(sql),
      transaction: (work) => prisma.$transaction(work),
      nested: async (transaction: Untyped, work) => transaction.$transaction(work),
      close: () => prisma.$disconnect(),
    }
  },
  async 'Drizzle on pg'(max = 10, url = inject('postgresUrl')) {
    const client = openPool(max, url)
    const db = driver('drizzle-orm/node-postgres').drizzle({ client })
    return openDrizzle(db, driver('drizzle-orm').sql, () => client.end())
  },
  async 'Drizzle on postgres'(max = 10, url = inject('postgresUrl')) {
    const client = openSql(max, url)
    const db = driver('drizzle-orm/postgres-js').drizzle({ client })
    return openDrizzle(db, driver('drizzle-orm').sql, () => client.end({ timeout: 1 }))
  },
  async Kysely(max = 10, url = inject('postgresUrl')) {
    const { CamelCasePlugin, Kysely, PostgresDialect, sql } = (await import(driver.resolve('kysely'))) as Untyped
    const dialect = new PostgresDialect({ pool: openPool(max, url) })
    const db = new Kysely({ dialect, plugins: [new CamelCasePlugin()] })
    return {
      connection: fromKysely(db),
      run: async (text, transaction = db) => (await sql.raw(text).execute(transaction)).rows,
      transaction: (work) => db.transaction().execute(work),
      nested: async (transaction: Untyped, work) => transaction.transaction().execute(work),
      close: () => db.destroy(),
    }
  },
  async Knex(max = 10, url = inject('postgresUrl')) {
    const knex = driver('knex')({ client: 'pg', connection: url, pool: { min: 0, max } })
    return {
      connection: fromKnex(knex),
      run: async (sql, transaction = knex) => (await (transaction as Untyped).raw(sql)).rows,
      transaction: (work) => knex.transaction(work),
      nested: (transaction: Untyped, work) => transaction.transaction(work),
      close: () => knex.destroy(),
    }
  },
  async TypeORM(max = 10, url = inject('postgresUrl')) {
    const dataSource = new (driver('typeorm').DataSource)({ type: 'postgres', url, poolSize: max })
    await dataSource.initialize()
    return {
      connection: fromTypeOrm(dataSource),
      run: (sql, transaction = dataSource) => (transaction as Untyped).query(sql),
      transaction: (work) => dataSource.transaction(work),
      nested: (transaction: Untyped, work) => transaction.transaction(work),
      close: () => dataSource.destroy(),
    }
  },
}
