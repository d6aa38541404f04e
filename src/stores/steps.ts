import type { Deadline } from '../core/internal/deadline.js'
import type { Row } from './database.js'
import type { Dialect, Table } from './tables.js'

/** A statement with the parameters `$1`, `$2` and so on. */
export interface Statement {
  readonly sql: string
  readonly values: readonly Value[]
}

export type Value = string | number | null

/** One step of a transaction: a statement, or a function that receives the transaction. */
export type Step = Statement | ((transaction: unknown) => unknown)

/**
 * A part of a transaction. Yields its steps instead of performing them, so that the same code runs on the asynchronous
 * drivers of PostgreSQL and on the synchronous drivers of SQLite.
 */
export type Steps<T> = Generator<Step, T, unknown>

/** A database with the tables of a journal, a webhook store and orders. */
export interface SqlDatabase {
  readonly dialect: Dialect
  /** Whether statements run synchronously, as in SQLite. Functions of the application must then also be synchronous. */
  readonly isSynchronous: boolean
  /** Returns the quoted name of a table from its suffix. */
  table(suffix: string): string
  query(sql: string, values: readonly Value[]): Promise<Row[]>
  /** Performs steps in an open transaction, or outside one. Returns a promise only if the database is asynchronous. */
  run<T>(steps: Steps<T>, transaction?: unknown): T | Promise<T>
  /**
   * Performs steps in a transaction of the caller.
   *
   * @throws {ConfigurationError} No transaction is open, or it belongs to another database.
   */
  runWithin<T>(transaction: unknown, steps: Steps<T>): T | Promise<T>
  /**
   * Performs steps in a new transaction that locks a resource.
   *
   * @param hasHook Whether a step may call a function of the application.
   * @param deadline Ends the wait for the lock. @default 60 seconds with a hook, none without
   * @throws {Interrupted} The deadline passed before the lock was free.
   */
  transaction<T>(resource: string | undefined, work: () => Steps<T>, hasHook: boolean, deadline?: Deadline): Promise<T>
  /** Locks a resource until the end of the open transaction. Waits in the database if it is locked. */
  lock(resource: string): Steps<void>
  /** Does the same as `lock`, but ends the transaction if the resource is locked. It is attempted again later. */
  tryLock(resource: string): Steps<void>
  /** Creates tables, or upgrades those of earlier versions. */
  migrate(tables: readonly Table[]): Promise<void>
}

/** Runs a statement and returns its rows. */
export function* query(sql: string, ...values: readonly (Value | undefined)[]): Steps<Row[]> {
  return (yield { sql, values: values.map((value) => value ?? null) }) as Row[]
}

/** Performs steps one after another. Returns a promise only if a step returns one. */
export function run<T>(steps: Steps<T>, perform: (step: Step) => unknown): T | Promise<T> {
  const proceed = (result?: unknown): T | Promise<T> => {
    let step = steps.next(result)
    while (!step.done) {
      const performed = perform(step.value)
      if (performed instanceof Promise) return performed.then(proceed)
      step = steps.next(performed)
    }
    return step.value
  }
  return proceed()
}
