import { maxTimerMs } from '../../core/internal/validation.js'
import type { Database, Row } from '../database.js'

/** Runs a statement. */
export type Query = (sql: string, values: readonly unknown[]) => Promise<Row[]>

/**
 * Returns whether PostgreSQL reported one of the given SQLSTATEs. Libraries put the driver's error, or its code, into
 * fields of their own errors.
 */
export function hasSqlState(error: unknown, ...states: readonly string[]): boolean {
  let found: unknown = error
  for (let depth = 0; depth < 5; depth++) {
    const { code, originalCode, cause, meta, driverError, original, driverAdapterError } = Object(found)
    if (states.includes(code) || states.includes(originalCode)) return true
    found = cause ?? meta ?? driverError ?? original ?? driverAdapterError
  }
  return false
}

const maxRepetitions = 5

/** Runs statements of the stores. Repeats them if they fail because of a concurrent transaction or a deadlock. */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let repetition = 0; ; repetition++) {
    try {
      return await work()
    } catch (error) {
      if (repetition === maxRepetitions || !hasSqlState(error, '40001', '40P01')) throw error
      // The random delay keeps the same transactions from running at the same time again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** repetition * 10))
    }
  }
}

// With stricter isolation, a transaction would not see rows that were committed while it waited for a lock.
const isolation = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED'

/**
 * Runs `work` in a transaction. The transaction's first statement sets its isolation level, which a role or database may
 * have changed.
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

/** Runs several statements, which end with `;` at the end of a line, in one transaction. */
export function runScript(database: Database, sql: string): Promise<void> {
  const statements = sql.split(/;\n(?!END)/).filter((statement) => statement.trim() !== '')
  return repeated(() =>
    isolated(database, async (query) => {
      for (const statement of statements) await query(statement, [])
    }),
  )
}

const limiters = new WeakMap<object, Limiter>()

/**
 * Returns the limit for the transactions of a database that call functions of the merchant. All stores of a database
 * share it.
 *
 * @param concurrency The number of transactions. The default keeps two connections of the pool for the functions.
 */
export function limiterOf(database: Database & { readonly max?: number | undefined }, concurrency?: number): Limiter {
  const { max } = database
  const limiter = limiters.get(database) ?? new Limiter(max === undefined ? 5 : Math.max(1, max - 2))
  limiters.set(database, limiter)
  if (concurrency !== undefined) limiter.limit = concurrency
  return limiter
}

/** A limited number of slots. Callers wait for a slot in order of arrival. */
export class Limiter {
  #used = 0
  readonly #queue = new Set<() => void>()

  constructor(public limit: number) {}

  /** Takes a slot, which the caller must release with `leave`. Resolves to false if none is free within `waitMs`. */
  async enter(waitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.#used >= this.limit) return this.#wait(waitMs)
    this.#used++
    return true
  }

  leave(): void {
    const [next] = this.#queue
    if (next) next()
    else this.#used--
  }

  #wait(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (hasSlot: boolean) => {
        clearTimeout(timer)
        this.#queue.delete(enter)
        resolve(hasSlot)
      }
      const enter = () => leave(true)
      const timer = setTimeout(() => leave(false), Math.min(waitMs, maxTimerMs))
      this.#queue.add(enter)
    })
  }
}
