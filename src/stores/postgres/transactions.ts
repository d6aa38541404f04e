import type { Deadline } from '../../core/internal/deadline.js'
import { Slots } from '../../core/internal/slots.js'
import { sqlState } from '../../operations/errors.js'
import type { Database, Row } from '../database.js'

export type Query = (sql: string, values: readonly unknown[]) => Promise<Row[]>

const maxRepetitions = 5

/** Runs `work`, and retries it if it fails because of a concurrent transaction or a deadlock. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let repetition = 0; ; repetition++) {
    try {
      return await work()
    } catch (error) {
      if (repetition === maxRepetitions || !['40001', '40P01'].includes(String(sqlState(error)))) throw error
      // The random delay keeps the same transactions from running at the same time again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** repetition * 10))
    }
  }
}

// With stricter isolation, a transaction would not see rows that were committed while it waited for a lock.
const isolation = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED'

/**
 * Runs `work` in a transaction. The transaction's first statement sets its isolation level, which a role or database
 * may have changed.
 */
export function isolated<Transaction, T>(
  database: Database<Transaction>,
  work: (query: Query, transaction: Transaction, lost?: AbortSignal) => Promise<T>,
): Promise<T> {
  return database.transaction(async (transaction: Transaction, lost?: unknown) => {
    const query: Query = (sql, values) => database.queryIn(transaction, sql, values)
    await query(isolation, [])
    return work(query, transaction, lost instanceof AbortSignal ? lost : undefined)
  })
}

/** Runs a script in one transaction. Each statement must end with `;` at the end of a line. */
export function runScript(database: Database, sql: string): Promise<void> {
  const statements = sql.split(/;\n(?!END)/).filter((statement) => statement.trim() !== '')
  return retried(() =>
    isolated(database, async (query) => {
      for (const statement of statements) await query(statement, [])
    }),
  )
}

const slotsOfDatabases = new WeakMap<object, Slots>()

/**
 * Returns the slots that limit how many transactions may call functions of the application at once. All stores of a
 * database share them.
 *
 * @param concurrency The number of slots. The default reserves two connections of the pool for these functions.
 */
export function slotsOf(database: Database & { readonly max?: number | undefined }, concurrency?: number): Slots {
  const { max } = database
  const slots = slotsOfDatabases.get(database) ?? new Slots(max === undefined ? 5 : Math.max(1, max - 2))
  slotsOfDatabases.set(database, slots)
  if (concurrency !== undefined) slots.limit = concurrency
  return slots
}

/** Thrown in a transaction to end it, because another transaction has locked a resource. */
export class ResourceLocked extends Error {}

/**
 * Calls `attempt` until it does not throw a `ResourceLocked`. No connection is in use between two attempts.
 *
 * @param slots Each attempt needs one of these slots. Absent if concurrent attempts are unlimited.
 * @throws {Interrupted} The deadline passed between two attempts.
 */
export async function attempts<T>(attempt: () => Promise<T>, deadline: Deadline, slots?: Slots): Promise<T> {
  for (let delayMs = 5; ; delayMs = Math.min(delayMs * 2, 100)) {
    if (slots && !slots.takeFree()) {
      const cutoff = deadline.startCutoff()
      await slots.wait(cutoff).finally(() => cutoff.end())
    }
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof ResourceLocked)) throw error
    } finally {
      slots?.release()
    }
    await deadline.sleep(delayMs)
  }
}
