import type { Database } from '../database.js'
import { requireTransaction, toRows } from './rows.js'

/** The method of Prisma's transaction that `fromPrisma` uses. */
export interface PrismaTransaction {
  $queryRawUnsafe(sql: string, ...values: never[]): PromiseLike<unknown>
}

/** The methods of a `PrismaClient` 6 or 7 that `fromPrisma` uses. */
export interface PrismaDatabase<Transaction> extends PrismaTransaction {
  $transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: { timeout?: number; maxWait?: number },
  ): Promise<T>
}

/**
 * Converts a `PrismaClient` for PostgreSQL to a `Database`. Its transaction is Prisma's `tx`.
 *
 * @param options.timeout Milliseconds after which Prisma ends a transaction. @default 60000
 * @param options.maxWait Milliseconds that a transaction waits for a connection. @default 60000
 * @example
 * const store = createWebhookStore(fromPrisma(prisma), { concurrency: 8 })
 */
export function fromPrisma<Transaction extends PrismaTransaction>(
  prisma: PrismaDatabase<Transaction>,
  { timeout = 60_000, maxWait = 60_000 }: { timeout?: number; maxWait?: number } = {},
): Database<Transaction> {
  const query = async (on: PrismaTransaction, sql: string, values: readonly unknown[]) =>
    toRows(await on.$queryRawUnsafe(sql, ...(values as never[])))
  return {
    query: (sql, values) => query(prisma, sql, values),
    transaction: (work) => prisma.$transaction(work, { timeout, maxWait }),
    async queryIn(transaction, sql, values) {
      requireTransaction(typeof Object(transaction).$queryRawUnsafe === 'function', 'Prisma')
      return query(transaction, sql, values)
    },
  }
}
