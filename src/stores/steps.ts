import type { Row } from './database.js'

/** A statement with the parameters `$1`, `$2` and so on. */
export interface Statement {
  readonly sql: string
  readonly values: readonly Value[]
}

export type Value = string | number | null

/** One step of a transaction: a statement, or a function that receives the transaction. */
export type Step = Statement | ((transaction: unknown) => unknown)

/**
 * A piece of a transaction. Yields its steps instead of performing them, so that the same code runs on the asynchronous
 * drivers of PostgreSQL and on the synchronous drivers of SQLite.
 */
export type Steps<T> = Generator<Step, T, unknown>

/** Runs a statement, and returns its rows. */
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
